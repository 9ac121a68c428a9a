"""Render the report as JSON, described in docs/convert.md."""

from __future__ import annotations

import json
from typing import Any

import hipport
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import Releases
from hipport.project.request import FileResult, FileVerdict, Report
from hipport.report.displayable import json_name, json_text

_SCHEMA = 1
"""Incremented when a key is removed or changes its meaning; new keys may be added at any time."""


def to_json(report: Report) -> str:
    """Return the whole report as one object."""
    data = {
        "schema": _SCHEMA,
        "hipport": hipport.__version__,
        "mode": report.mode.value,
        "exit_status": report.exit_status,
        "releases": _releases(report.releases),
        "summary": {severity.value + "s": report.count(severity) for severity in Severity},
        "files": [_file(file) for file in report.files],
        "support_dirs": [json_text(folder) for folder in report.support_dirs],
        "verdicts": None if report.verdicts is None else [_verdict(file) for file in report.verdicts],
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in report.diagnostics],
    }
    return json.dumps(data, indent=2) + "\n"


def _releases(releases: Releases | None) -> dict[str, Any] | None:
    if releases is None:
        return None
    return {"rocm": releases.rocm, "origin": releases.origin.value, "cuda": releases.cuda}


def _file(file: FileResult) -> dict[str, Any]:
    return {
        **json_name("source", file.source),
        **json_name("target", file.target),
        "action": file.action.value,
        "changed": file.changed,
        "failed": file.failed,
        "build_file": file.build_file,
    }


def _verdict(file: FileVerdict) -> dict[str, Any]:
    return {**json_name("path", file.path), "verdict": file.verdict.value}


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        **json_name("path", found.path),
        "line": found.line,
        "column": found.column,
        "code": found.code,
        "severity": found.severity.value,
        "message": json_text(found.message),
        "advice": json_text(found.advice),
        "fixable": bool(found.fix),
    }
