"""The macros of a project by which a file takes either what is HIP's or what is CUDA's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.mappings.tables import Tables
from hipport.translate.syntax.includes import Include
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind
from hipport.translate.syntax.sides import Setting, Sides, is_projects_switch
from hipport.translate.syntax.unit import Unit

OF_HIP = re.compile(r"(?i:\A(?:hip|roc)|(?:\A|[/_.-])(?:hip|rocm)(?=[/_.-]))")
"""Matches headers of HIP and of a project's own port, such as `vendors/hip.h`."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME_OF_HIP = re.compile(r"\bi?hip(?=[A-Z])\w+|\bHIP_\w+|\broc[a-z]+_\w+")
_TAG_OF_CUDA = re.compile(r"CU\w+_st")
"""Matches the structs behind CUDA's handles, such as `CUstream_st`."""


def selecting(unit: Unit, sides: Sides, lines: Sequence[Include], tables: Tables) -> Iterator[tuple[str, Directive]]:
    """Yield the macros, like `USE_HIP`, that a build must define so that the file is HIP.

    Each comes with the line that tests it. One branch of its `#if` has headers or names of HIP's, another one CUDA's.
    """
    for line in lines:
        branch = line.directive.branch
        name = _switch(unit, sides, branch) if branch and OF_HIP.search(line.operand) else ""
        if name and _is_beside_cuda(unit, line, lines, tables):
            yield name, unit.branches[branch[-1]]
    for key, opened in unit.branches.items():
        if (name := _switch(unit, sides, opened.after)) and _names_hip_beside_cuda(unit, key, tables):
            yield name, opened


def _switch(unit: Unit, sides: Sides, branch: Branch) -> str:
    """Return the macro of a project that a branch for HIP depends on; empty without one."""
    if sides.of(Setting.HIP, branch) is not None or sides.of(Setting.PORT, branch) is not True:
        return ""
    names = [name for name in sorted(sides.switches(unit.branches[branch[-1]])) if is_projects_switch(name)]
    return names[0] if names and names[0] not in unit.macros else ""


def _names_hip_beside_cuda(unit: Unit, key: tuple[int, int], tables: Tables) -> bool:
    """Return whether the code of a branch has names of HIP's, and that of another branch of its `#if` CUDA's."""
    others = (other for other in unit.branches if other[0] == key[0] and other != key)
    return _NAME_OF_HIP.search(_code(unit, key)) is not None and any(
        _is_cudas(word, tables) for other in others for word in _WORD.findall(_code(unit, other))
    )


def _code(unit: Unit, key: tuple[int, int]) -> str:
    """Return the code of a branch."""
    opened = unit.branches[key]
    outer = opened.after[:-1]
    following = unit.directives[unit.directives.index(opened) + 1 :]
    end = next(
        (each.span.start for each in following if each.word.startswith(("el", "endif")) and each.branch[:-1] == outer),
        len(unit.code),
    )
    return unit.code[opened.span.end : end]


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
    return any(_is_cudas(word, tables) for word in _WORD.findall(unit.code[line.body.start : line.body.end]))


def _is_cudas(word: str, tables: Tables) -> bool:
    if word[:2] not in ("cu", "CU"):
        return False
    entry = tables.names.get(word)
    return _TAG_OF_CUDA.fullmatch(word) is not None or (entry is not None and not entry.ordinary)
