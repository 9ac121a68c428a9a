"""Identify a finding in later runs, after lines were added, moved or indented elsewhere in the file."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hipport.diagnostics import Diagnostic
from hipport.files.paths import is_below, relative, slashed

KEY = "hipport/v1"
"""Name of these fingerprints in reports; must change with the way they are computed."""


Identity = tuple[str, str, str]


def fingerprints(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """Return one unique fingerprint for each finding.

    It is made of the code, the path, the text of the line without regard to white space, and the number among identical
    findings. Paths are relative to the current folder, or absolute for files outside it, so run in the same folder.
    """
    seen: Counter[Identity] = Counter()
    prints = []
    for found in diagnostics:
        what = identity(found)
        seen[what] += 1
        text = "\0".join((*what, str(seen[what])))
        prints.append(hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32])
    return prints


def identity(found: Diagnostic, folder: str = ".") -> Identity:
    """Return what identifies a finding when lines move: code, path relative to `folder`, text of the line."""
    return found.code, _place(found.path, folder), _line(found)


def _place(path: str, folder: str) -> str:
    inside = relative(path, folder)
    return inside if is_below(inside) else slashed(os.fspath(Path(path).resolve()))


def _line(found: Diagnostic) -> str:
    return " ".join(found.quote.text.split()) if found.quote is not None else ""
