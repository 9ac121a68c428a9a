"""Sources with a port of their own: the macros by which a project's build selects HIP instead of CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from hipport.builds.gather import Gathered
from hipport.mappings.tables import Tables
from hipport.source import SourceFile
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.sides import Setting, Sides, is_projects_switch
from hipport.translate.syntax.unit import parse

_DEFINED = re.compile(r"-[DU](\w+)")
_HIP = re.compile(rb"#\s*include\s*[<\"]hip")


def with_switches(found: Gathered, tables: Tables) -> Gathered:
    """Define the macros that select HIP where the sources include either CUDA's headers or HIP's, and say so."""
    given = {
        match[1] for option in (*found.settings.defines, *found.settings.both) if (match := _DEFINED.match(option))
    }
    asked = {name: path for path in found.ingested.read for name in _switches(path, tables)}
    fresh = {name: path for name, path in asked.items() if name not in given}
    notes = tuple(f"compiling with -D{name}, which selects HIP in {path}" for name, path in sorted(fresh.items()))
    defines = (*found.settings.defines, *(f"-D{name}" for name in sorted(fresh)))
    return replace(found, settings=replace(found.settings, defines=defines), notes=notes)


def _switches(path: str, tables: Tables) -> Iterator[str]:
    data = Path(path).read_bytes()
    if not _HIP.search(data):
        return
    unit = parse(SourceFile.decode(data, path))
    sides, lines = Sides(unit), list(includes(unit))
    for line in lines:
        branch = line.directive.branch
        if not branch or not line.operand.startswith("hip") or not _is_beside_cuda(line, lines, tables):
            continue
        if sides.of(Setting.HIP, branch) is None and sides.of(Setting.PORT, branch) is True:
            opened = unit.branches[branch[-1]]
            names = [name for name in sorted(sides.switches(opened)) if is_projects_switch(name)]
            yield from (name for name in names[:1] if name not in unit.macros)


def _is_beside_cuda(line: Include, lines: Iterable[Include], tables: Tables) -> bool:
    """Return whether another branch of the condition around an `#include` has one of CUDA's headers."""
    number, index = line.directive.branch[-1]
    others = (each for each in lines if each.operand in tables.headers and not each.operand.startswith("hip"))
    return any(number == other and index != at for each in others for other, at in each.directive.branch)
