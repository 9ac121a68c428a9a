"""Stand-ins for device functions in host code: `inline int __float_as_int(float)` behind `#ifndef __CUDA_ARCH__`.

In a namespace such a function hides CUDA's. nvcc does not ask on which side it is when it compiles for the host; Clang
rejects device functions that call it. So it gets both sides: only host code is generated where it is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Wrap
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import functions, owner_of
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_ARCH = frozenset({"__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"})
_TEST = re.compile(
    r"\s*(?P<no>!)?\s*(?:defined\s*\(?\s*)?(?:__CUDA_ARCH__|__HIP_DEVICE_COMPILE__)\s*\)?\s*(?:>\s*0\s*)?\Z"
)
WORDS = (frozenset({"namespace"}), _ARCH)


def run(work: Work) -> Iterator[Edit]:
    """Give functions with names of CUDA's that only host code has both sides."""
    if not is_hip(work):
        for _, start in stand_ins(work):
            yield Wrap(start, start, "__host__ __device__ ", "")


def stand_ins(work: Work) -> Iterator[tuple[str, int]]:
    """Yield the name and the start of each definition of a stand-in."""
    unit = work.unit
    if unit.words.isdisjoint(_ARCH):
        return
    for name, group in functions(unit).items():
        if not name.startswith("__") or name not in work.context.tables.known:
            continue
        for found in group:
            owner = owner_of(unit, found.node) if found.is_definition and not found.decorated else None
            if owner is not None and _is_in_namespace(unit, owner) and _is_for_host(unit, owner.start_byte):
                yield name, owner.start_byte


def _is_in_namespace(unit: Unit, node: Node) -> bool:
    """Return whether a function belongs to a namespace with a name, and to no class."""
    around, named = unit.parent(node), False
    while around is not None:
        if around.type in ("class_specifier", "struct_specifier"):
            return False
        named |= around.type == "namespace_definition" and around.child_by_field_name("name") is not None
        around = unit.parent(around)
    return named


def _is_for_host(unit: Unit, offset: int) -> bool:
    """Return whether a condition around this offset excludes device code."""
    for branch in unit.branch_at(offset):
        first, line = unit.branches[(branch[0], 0)], unit.branches[branch]
        test = _TEST.match(unit.code[first.body.start : first.body.end])
        if test is None or (line is not first and (line.word != "else" or branch[1] > 1)):
            continue
        excludes = (first.word == "ifndef") != bool(test["no"])
        if excludes == (line is first):
            return True
    return False
