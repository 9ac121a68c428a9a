"""The machine-readable result: JSON, described in docs/verify.md."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import hipport
from hipport.report.about import About
from hipport.report.displayable import shown
from hipport.verify.model import Program, Verdict, Verification

_SCHEMA = 1
"""Incremented when a key is removed or changes its meaning; new keys may be added at any time."""


def rendered(result: Verification, file: str, about: About | None = None) -> str:
    """Return the report in the format of the file's suffix: HTML for `.html` or `.htm`, otherwise JSON."""
    if file.lower().endswith((".html", ".htm")):
        from hipport.verify.page import to_html

        return to_html(result, about or About())
    return to_json(result)


def to_json(result: Verification) -> str:
    """Return the whole result as one JSON object."""
    data = {
        "schema": _SCHEMA,
        "hipport": hipport.__version__,
        "equal": result.equal,
        "original": {**_program(result.original), "seconds": result.seconds},
        "ports": [_verdict(verdict) for verdict in result.verdicts],
    }
    return json.dumps(_clean(data), indent=2, allow_nan=False) + "\n"


def _program(program: Program) -> dict[str, Any]:
    return {"title": program.title, **asdict(program), "platform": program.platform.value}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        **_program(verdict.port),
        "seconds": verdict.seconds,
        "equal": verdict.equal,
        "comparisons": [asdict(item) for item in verdict.comparisons],
        "trace": None if verdict.finding is None else asdict(verdict.finding),
    }


def _clean(value: Any) -> Any:
    """Return data that every JSON parser accepts: no infinite numbers, no lone surrogates."""
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return None
    return shown(value) if isinstance(value, str) else value
