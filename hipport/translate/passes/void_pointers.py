"""Arithmetic on pointers to `void`: `memcpy(out, map + offset, n)` for a `void* map`.

nvcc takes it as GCC does, in bytes, Clang does not in C++. The pointer is cast to one to `char` and back.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.dataflow.function import text_of
from hipport.translate.inclusion import is_c_source
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (frozenset({"void"}),)
_POINTER = re.compile(r"\bvoid\b(?:\s*\bconst\b)?\s*\*")
_CONST = re.compile(r"\bconst\b[^*]*\*|\bvoid\s+const\b")
_SIGNS = frozenset({"+", "-"})
_DECLARED = re.compile(r"\bvoid\s*(?:const\s*)?\*([^;(){}]*)")
_ADDED = re.compile(r"\b([A-Za-z_]\w*)\s*[-+](?![-+>])")
_SIDES = frozenset({"__device__", "__global__", "__host__"})
_UNITS = (".cu", ".cuh")


def run(work: Work) -> Iterator[Edit]:
    """Insert the casts where the pointer is a variable or parameter of the function."""
    unit = work.unit
    if unit.words.isdisjoint(_SIDES) and not unit.source.name.endswith(_UNITS):
        return  # a host compiler may compile it
    if is_hip(work) or is_c_source(unit) or not _POINTER.search(unit.code) or not _may_add(unit.code):
        return
    for node in work.unit.all_of("binary_expression", "assignment_expression"):
        left = node.child_by_field_name("left")
        const = _pointed(work, left) if left is not None and left.type == "identifier" else None
        if left is None or const is None or platform_at(work.unit, node.start_byte) is Platform.NVIDIA:
            continue
        operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        sign = text_of(operator).removesuffix("=")
        if operator is None or right is None or sign not in _SIGNS or _is_pointer(work, right):
            continue
        casts = f"({const}void*)(({const}char*)"
        if node.type == "binary_expression":
            yield Replace(left.start_byte, left.start_byte, casts)
            end = _chain(work, node).end_byte
            yield Replace(end, end, ")")
        else:
            yield Replace(operator.start_byte, operator.end_byte, f"= {casts}{text_of(left)} {sign}")
            yield Replace(right.start_byte, right.start_byte, "(")
            yield Replace(right.end_byte, right.end_byte, "))")


def _may_add(code: str) -> bool:
    """Return whether a word behind `void*` is in front of a sign anywhere."""
    declared = {word for text in _DECLARED.findall(code) for word in text.replace("*", " ").replace(",", " ").split()}
    return not declared.isdisjoint(_ADDED.findall(code))


def _pointed(work: Work, node: Node) -> str | None:
    """Return `const ` or nothing for a variable that is a pointer to `void`; None for another one."""
    function = work.flow.function_at(node.start_byte)
    variable = function.variable(text_of(node), node.start_byte) if function is not None else None
    if variable is None or variable.sizes or variable.text.count("*") != 1 or "void" not in variable.type.split():
        return None
    return "const " if _CONST.search(variable.text) else ""


def _is_pointer(work: Work, node: Node) -> bool:
    """Return whether a variable is a pointer: the difference of two is not taken by nvcc either."""
    return node.type == "identifier" and _pointed(work, node) is not None


def _chain(work: Work, node: Node) -> Node:
    """Return the whole sum that begins with a node: that of `p + a - b` for `p + a`."""
    around = work.unit.parent(node)
    while around is not None and around.type == "binary_expression" and around.child_by_field_name("left") == node:
        if text_of(around.child_by_field_name("operator")) not in _SIGNS:
            break
        node, around = around, work.unit.parent(around)
    return node
