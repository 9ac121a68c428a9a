"""Render the report as SARIF 2.1.0 (OASIS) for code scanning, which GitHub and many editors display."""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hipport
from hipport.diagnostics import Change, Diagnostic
from hipport.files.paths import is_below, relative, slashed
from hipport.project.request import Mode, Report
from hipport.report.displayable import json_text
from hipport.report.fingerprint import KEY, fingerprints
from hipport.report.pages import page

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: Report) -> str:
    """Return one run with every diagnostic as a result; the rules contain the documentation pages.

    Quick fixes are left out if the sources were changed in place: their offsets refer to the text before.
    """
    codes = sorted({found.code for found in report.diagnostics})
    run = {
        "tool": {"driver": {"name": "hipport", "version": hipport.__version__, "rules": list(map(_rule, codes))}},
        "columnKind": "unicodeCodePoints",
        "results": _results(report.diagnostics, codes, fixes=report.mode is not Mode.IN_PLACE),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    found = page(code)
    title, text = (found.title, found.text) if found is not None else (code, code)
    return {
        "id": code,
        "shortDescription": {"text": title},
        "fullDescription": {"text": title},
        "help": {"text": text, "markdown": text},
    }


def _results(diagnostics: Sequence[Diagnostic], codes: list[str], *, fixes: bool) -> list[dict[str, Any]]:
    results = []
    for found, fingerprint in zip(diagnostics, fingerprints(diagnostics), strict=True):
        result = _result(found) | {"ruleIndex": codes.index(found.code), "partialFingerprints": {KEY: fingerprint}}
        results.append(result | ({"fixes": [_fix(found)]} if fixes and found.changes else {}))
    return results


def _result(found: Diagnostic) -> dict[str, Any]:
    text = f"{found.message}. {found.advice}" if found.advice else found.message
    place = {"artifactLocation": {"uri": _uri(found.path)}, "region": _region(found)}
    return {
        "ruleId": found.code,
        "level": found.severity.value,
        "message": {"text": json_text(text)},
        "locations": [{"physicalLocation": place}],
    }


def _region(found: Diagnostic) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(found.line, 1), "startColumn": max(found.column, 1)}
    if found.quote is not None:
        region |= {"endColumn": found.quote.end, "snippet": {"text": json_text(found.quote.text)}}
    return region


def _fix(found: Diagnostic) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _deleted(change), "insertedContent": {"text": json_text(change.text)}}
        for change in found.changes
    ]
    change = {"artifactLocation": {"uri": _uri(found.path)}, "replacements": replacements}
    return {"description": {"text": json_text(found.advice or found.message)}, "artifactChanges": [change]}


def _deleted(change: Change) -> dict[str, int]:
    """Return the range to delete, empty for an insertion."""
    return {
        "startLine": change.line,
        "startColumn": change.column,
        "endLine": change.end_line,
        "endColumn": change.end_column,
    }


def _uri(path: str) -> str:
    """Return a path as a URI reference, relative to the current folder if it is below it."""
    inside = relative(path)
    if not is_below(inside):
        whole = slashed(os.fspath(Path.cwd() / path))
        return f"file://{'' if whole.startswith('/') else '/'}" + urllib.parse.quote_from_bytes(os.fsencode(whole))
    return urllib.parse.quote_from_bytes(os.fsencode(inside))
