"""Tells a finding again in a later run, after lines were added, moved or indented elsewhere in the file."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hipport.diagnostics import Diagnostic

KEY = "hipport/v1"
"""The name of these fingerprints in reports; another way of making them needs another name."""


def fingerprints(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """One fingerprint for each finding, all different.

    Made of the code, the path, the text of the line without regard to white space, and the how-manieth such finding
    it is. Paths count as seen from the current folder, or from `/` for files outside it: run in the same folder.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    prints = []
    for found in diagnostics:
        what = (found.code, _place(found.path), _line(found))
        seen[what] += 1
        identity = "\0".join((*what, str(seen[what])))
        prints.append(hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:32])
    return prints


def _place(path: str) -> str:
    inside = os.path.relpath(path)
    return os.fspath(Path(path).resolve()) if Path(inside).parts[:1] == ("..",) else inside


def _line(found: Diagnostic) -> str:
    return " ".join(found.quote.text.split()) if found.quote is not None else ""
