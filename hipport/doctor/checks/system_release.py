"""Check that AMD's packages were made for the installed distribution."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, ok, warning
from hipport.doctor.machine import Machine, text_of
from hipport.doctor.releases import release_of

TITLE = "distribution"
AREA = Area.SURROUNDINGS
_FIELD = re.compile(r'^(ID|VERSION_ID)="?([^"\n]*)"?$', re.MULTILINE)


def run(machine: Machine) -> Iterator[Finding]:
    """Compare /etc/os-release with the table of releases; a distribution's own packages are not AMD's."""
    row = release_of(machine.hip.version) if machine.hip else None
    if row is None or not row.systems or machine.hip is None or machine.path("opt") not in machine.hip.root.parents:
        return
    fields = dict(_FIELD.findall(text_of(machine.path("etc/os-release"))))
    name = f"{fields.get('ID', '')} {fields.get('VERSION_ID', '')}".strip()
    if name in row.systems:
        yield ok(f"{name}, which AMD's packages of ROCm {row.name} support")
    elif name:
        yield warning(
            f"AMD's packages of ROCm {row.name} do not support {name}",
            f"They were tested on {', '.join(row.systems)}: use a container with one of them, or the distribution's "
            "own packages",
        )
