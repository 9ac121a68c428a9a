"""The macros of a project by which a file takes either what is HIP's or what is CUDA's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.mappings.tables import Tables
from hipport.translate.syntax.includes import Include
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.sides import Setting, Sides, is_projects_switch
from hipport.translate.syntax.unit import Unit

OF_HIP = re.compile(r"(?i:\A(?:hip|roc)|(?:\A|[/_.-])(?:hip|rocm)(?=[/_.-]))")
"""Matches headers of HIP and of a project's own port, such as `vendors/hip.h`."""
_WORD = re.compile(r"[A-Za-z_]\w*")


def selecting(unit: Unit, sides: Sides, lines: Sequence[Include], tables: Tables) -> Iterator[tuple[str, Directive]]:
    """Yield the macros, like `USE_HIP`, that a build must define so that the file includes HIP's headers.

    Each comes with the line that tests it. The same `#if` has another branch with headers or names of CUDA's.
    """
    for line in lines:
        branch = line.directive.branch
        if not branch or not OF_HIP.search(line.operand):
            continue
        if sides.of(Setting.HIP, branch) is None and sides.of(Setting.PORT, branch) is True:
            opened = unit.branches[branch[-1]]
            names = [name for name in sorted(sides.switches(opened)) if is_projects_switch(name)]
            if names and names[0] not in unit.macros and _is_beside_cuda(unit, line, lines, tables):
                yield names[0], opened


def _is_beside_cuda(unit: Unit, line: Include, lines: Sequence[Include], tables: Tables) -> bool:
    """Return whether another branch of the condition around an `#include` has headers or macros that are CUDA's."""
    number, index = line.directive.branch[-1]
    of_cuda = (each.directive for each in lines if each.operand in tables.headers and not OF_HIP.search(each.operand))
    renaming = (
        each for each in unit.directives if each.kind is DirectiveKind.DEFINE and _names_cuda(unit, each, tables)
    )
    return any(
        number == other and index != at for found in (of_cuda, renaming) for each in found for other, at in each.branch
    )


def _names_cuda(unit: Unit, line: Directive, tables: Tables) -> bool:
    """Return whether a macro stands for something that has another name in HIP."""
    found = (tables.names.get(word) for word in _WORD.findall(unit.code[line.body.start : line.body.end]))
    return any(entry is not None and not entry.ordinary and entry.name[:2].lower() == "cu" for entry in found)
