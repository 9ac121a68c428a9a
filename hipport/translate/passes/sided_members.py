"""Members that a class has for devices in device compilations, and for hosts in those of the host.

    #ifdef __CUDA_ARCH__
        __device__ float &operator[](int i);
    #else
        __host__ HostReference operator[](int i);
    #endif

nvcc does not check the bodies of kernels in its compilation for the host. HIP's compilers do, and find the host's
members only; the other way round for host code. They tell functions for hosts from functions for devices of the same
parameters, so both are declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.redeclared_sides import functions, name_of, owner_of
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

WORDS = (frozenset({"__CUDA_ARCH__"}),)
_TESTS = {"ifdef": re.compile(r"\s*__CUDA_ARCH__\s*"), "if": re.compile(r"\s*defined\s*\(?\s*__CUDA_ARCH__\s*\)?\s*")}
_DEVICE, _HOST = re.compile(r"\b__device__\b|DEV(?:ICE)?\b"), re.compile(r"\b__host__\b|HOST")
_FOR_BOTH = "defined(__HIP_PLATFORM_AMD__)"


def run(work: Work) -> Iterator[Edit]:
    """Let both branches be compiled for AMD GPUs."""
    unit = work.unit
    for position, line in enumerate(unit.directives) if not is_hip(work) else ():
        test = _TESTS.get(line.word) if line.kind is DirectiveKind.CONDITION else None
        if test is None or not test.fullmatch(unit.code, line.body.start, line.body.end):
            continue
        middle = _lines_of_chain(unit, position)
        if middle is None or not _are_members(unit, line, *middle):
            continue
        otherwise = middle[0]
        word = unit.code.rfind(line.word, line.span.start, line.body.start)
        shown = f"if {_FOR_BOTH} || defined" if line.word == "ifdef" else f"if {_FOR_BOTH} ||"
        yield Replace(word, word + len(line.word), shown)
        newline = unit.source.newline
        start = unit.code.rfind("else", otherwise.span.start, otherwise.span.end)
        condition = f"endif{newline}#if {_FOR_BOTH} || !defined(__HIP_DEVICE_COMPILE__)"
        yield Replace(start, start + len("else"), condition)


def _lines_of_chain(unit: Unit, position: int) -> tuple[Directive, Directive] | None:
    """Return the `#else` and the `#endif` of the condition at a position; None for a chain of other lines."""
    depth, otherwise = 0, None
    for line in unit.directives[position + 1 :]:
        if line.word.startswith("if"):
            depth += 1
        elif line.word == "endif" and depth:
            depth -= 1
        elif not depth and line.word == "endif":
            return (otherwise, line) if otherwise is not None else None
        elif not depth and line.word.startswith("el"):
            if line.word != "else" or otherwise is not None:
                return None
            otherwise = line
    return None


def _are_members(unit: Unit, line: Directive, otherwise: Directive, end: Directive) -> bool:
    """Return whether the branches declare nothing but members of a class, for devices and for hosts alone."""
    for_devices = _sides(unit, Span(line.span.end, otherwise.span.start))
    for_hosts = _sides(unit, Span(otherwise.span.end, end.span.start))
    return {*for_devices} == {(True, False)} and {*for_hosts} <= {(False, True), (False, False)} and bool(for_hosts)


def _sides(unit: Unit, span: Span) -> list[tuple[bool, bool]]:
    """Return for each member in a range whether its words name device and host; nothing if it declares others, too."""
    members = [each.node for group in functions(unit).values() for each in group if _is_member(unit, each.node)]
    named = (name_of(unit, node) for node in members)
    names = sorted(name.start for name in named if name is not None and span.start <= name.start < span.end)
    if len(names) != unit.code.count(";", span.start, span.end):
        return []
    starts = [max(span.start, *(unit.code.rfind(end, span.start, name) for end in ";}")) for name in names]
    fronts = [unit.code[start:name] for start, name in zip(starts, names, strict=True)]
    return [(_DEVICE.search(front) is not None, _HOST.search(front) is not None) for front in fronts]


def _is_member(unit: Unit, node: Node) -> bool:
    """Return whether a function is declared in the body of a class."""
    owner = owner_of(unit, node)
    around = unit.parent(owner) if owner is not None else None
    while around is not None and around.type == "template_declaration":
        around = unit.parent(around)
    return around is not None and around.type == "field_declaration_list"
