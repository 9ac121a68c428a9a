"""The report for code scanning: SARIF 2.1.0 (OASIS), which GitHub and many editors show."""

from __future__ import annotations

import hashlib
import json
import os
import urllib.parse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hipport
from hipport.diagnostics import Diagnostic
from hipport.pages import page
from hipport.project.request import Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(report: Report) -> str:
    """One run with every diagnostic as a result; the rules carry the pages of the documentation."""
    codes = sorted({found.code for found in report.diagnostics})
    driver = {"name": "hipport", "version": hipport.__version__, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": _results(report.diagnostics, codes),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    found = page(code)
    title, text = (found.title, found.text) if found is not None else (code, code)
    return {
        "id": code,
        "shortDescription": {"text": title.replace("`", "")},
        "fullDescription": {"text": title.replace("`", "")},
        "help": {"text": text, "markdown": text},
    }


def _results(diagnostics: Sequence[Diagnostic], codes: list[str]) -> list[dict[str, Any]]:
    seen: Counter[str] = Counter()
    results = []
    for found in diagnostics:
        # The same finding keeps its fingerprint when lines move; equal ones in a file are told apart by order.
        what = "\0".join((found.path, found.code, found.message))
        seen[what] += 1
        results.append(_result(found, codes.index(found.code), f"{what}\0{seen[what]}"))
    return results


def _result(found: Diagnostic, rule: int, identity: str) -> dict[str, Any]:
    text = f"{found.message}. {found.advice}" if found.advice else found.message
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    region = {"startLine": max(found.line, 1), "startColumn": max(found.column, 1)}
    return {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity.value,
        "message": {"text": text.encode("utf-8", "replace").decode()},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(found.path)}, "region": region}}],
        "partialFingerprints": {"hipport/v1": digest},
    }


def _uri(path: str) -> str:
    """A path as a URI reference, relative to the current folder where it lies below."""
    inside = os.path.relpath(path)
    if inside.startswith(".."):
        return "file://" + urllib.parse.quote_from_bytes(os.fsencode(Path.cwd() / path))
    return urllib.parse.quote_from_bytes(os.fsencode(inside))
