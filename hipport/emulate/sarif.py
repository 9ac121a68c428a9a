"""The findings of a run as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from typing import Any

import hipport
from hipport.emulate.findings import At, EmulatedFinding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_KEY = "hipportRun/v1"
_LINE = re.compile(r"(.+?):(\d+)")


def to_sarif(findings: Iterable[EmulatedFinding]) -> str:
    """Return one run with a result for each finding; places without a line are left out."""
    found = list(findings)
    kinds = sorted({finding.kind for finding in found})
    rules = [{"id": kind, "shortDescription": {"text": kind.replace("-", " ")}} for kind in kinds]
    run = {
        "tool": {"driver": {"name": "hipport run --check", "version": hipport.__version__, "rules": rules}},
        "results": [_result(finding, kinds.index(finding.kind)) for finding in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: EmulatedFinding, rule: int) -> dict[str, Any]:
    _, *rest = finding.lines()
    identity = "|".join([finding.kind, finding.kernel, *(at.line for at in (finding.at, finding.other) if at)])
    result = {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": "warning" if finding.kind == "leak" else "error",
        "message": {"text": "\n".join([finding.message, *(line.strip() for line in rest)])},
        "occurrenceCount": finding.count,
        "locations": list(_locations([finding.at])),
        "partialFingerprints": {_KEY: hashlib.sha256(identity.encode()).hexdigest()[:16]},
    }
    others = list(_locations([finding.other]))
    return result | ({"relatedLocations": others} if others else {})


def _locations(places: Iterable[At | None]) -> Iterator[dict[str, Any]]:
    for place in places:
        matched = _LINE.match(place.line) if place is not None else None
        if matched is not None:
            uri = {"uri": ("file://" if matched[1].startswith("/") else "") + urllib.parse.quote(matched[1])}
            region = {"startLine": max(int(matched[2]), 1)}
            yield {"physicalLocation": {"artifactLocation": uri, "region": region}}
