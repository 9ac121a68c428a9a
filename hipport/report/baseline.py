"""A baseline: a project's currently accepted findings, in a file that is committed and reviewed.

JSON with one line per finding, in order. A finding is identified by its code, the file relative to the folder of the
baseline, and the text of its line, so it stays known when lines move. Of identical findings, as many are accepted as
are listed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from hipport.diagnostics import Diagnostic
from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.report.fingerprint import Identity, identity

_SCHEMA = 1
_KEYS = ("code", "path", "line", "count")


class Sorted(Struct, frozen=True):
    """Findings compared with a baseline: `fresh` ones, the number `accepted`, and the number listed that are `gone`."""

    fresh: tuple[Diagnostic, ...]
    accepted: int
    gone: int


def sort_out(diagnostics: Iterable[Diagnostic], baseline: Counter[Identity], folder: str, checked: set[str]) -> Sorted:
    """Leave out findings that the baseline accepts; `checked` are the files examined, relative to its folder."""
    left = baseline.copy()
    fresh: list[Diagnostic] = []
    accepted = 0
    for found in diagnostics:
        known = identity(found, folder)
        if left[known] > 0:
            left[known] -= 1
            accepted += 1
        else:
            fresh.append(found)
    return Sorted(tuple(fresh), accepted, sum(count for (_, path, _), count in left.items() if path in checked))


def renewed(
    diagnostics: Iterable[Diagnostic], baseline: Counter[Identity], folder: str, checked: set[str]
) -> Counter[Identity]:
    """Return a baseline that accepts the findings in checked files and keeps the entries of other existing files.

    Findings about a file as a whole are never accepted, since they mean that something went wrong in this run.
    """
    kept = Counter({
        known: count
        for known, count in baseline.items()
        if known[1] not in checked and (Path(folder) / known[1]).exists()
    })  # fmt: skip
    return kept + Counter(identity(found, folder) for found in diagnostics if found.quote is not None)


def to_text(baseline: Counter[Identity]) -> str:
    """Return the text of a baseline."""
    rows = sorted(baseline.items(), key=lambda row: (row[0][1], row[0][0], row[0][2]))
    lines = [json.dumps(dict(zip(_KEYS, (*known, count), strict=True))) for known, count in rows]
    findings = ",\n".join(f"    {line}" for line in lines)
    return f'{{\n  "schema": {_SCHEMA},\n  "findings": [\n{findings}\n  ]\n}}\n'


def from_text(text: str, where: str) -> Counter[Identity]:
    """Parse a baseline and return what it accepts; HipportError if it is invalid."""
    try:
        data = parse_json(text, where, "Write it again with --write-baseline.")
        if data["schema"] != _SCHEMA:
            raise HipportError(
                f"{where} is a baseline of another hipport version", hint="Write it again with --write-baseline."
            )
        return Counter(dict(map(_row, data["findings"])))
    except (ValueError, TypeError, KeyError) as error:
        hint = "Write it again with --write-baseline."
        raise HipportError(f"{where} is not a baseline that hipport wrote", hint=hint) from error


def _row(row: dict[str, Any]) -> tuple[Identity, int]:
    code, path, line, count = (row[key] for key in _KEYS)
    if not all(isinstance(text, str) for text in (code, path, line)) or not isinstance(count, int):
        raise TypeError(row)
    return (code, path, line), count
