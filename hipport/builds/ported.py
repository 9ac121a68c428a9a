"""Sources with a port of their own: the macros by which a project's build selects HIP instead of CUDA."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from hipport.builds.gather import Gathered
from hipport.mappings.tables import Tables
from hipport.project.ports import mentions_hip
from hipport.source import SourceFile
from hipport.translate.port_switches import selecting
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.sides import Sides
from hipport.translate.syntax.unit import parse

_DEFINED = re.compile(r"-[DU](\w+)")


def with_switches(found: Gathered, tables: Tables) -> Gathered:
    """Define the macros that select HIP where the sources have either CUDA's headers and names or HIP's, and say so."""
    given = {
        match[1] for option in (*found.settings.defines, *found.settings.both) if (match := _DEFINED.match(option))
    }
    asked = {name: path for path in found.ingested.read for name in _switches(path, tables)}
    fresh = {name: path for name, path in asked.items() if name not in given}
    notes = tuple(f"compiling with -D{name}, which selects HIP in {path}" for name, path in sorted(fresh.items()))
    defines = (*found.settings.defines, *(f"-D{name}" for name in sorted(fresh)))
    return replace(found, settings=replace(found.settings, defines=defines), notes=(*found.notes, *notes))


def _switches(path: str, tables: Tables) -> frozenset[str]:
    data = Path(path).read_bytes()
    if not mentions_hip(data):
        return frozenset()
    unit = parse(SourceFile.decode(data, path))
    return frozenset(name for name, _ in selecting(unit, Sides(unit), tuple(includes(unit)), tables))
