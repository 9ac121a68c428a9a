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
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = (frozenset({"__CUDA_ARCH__"}),)
_TESTS = {"ifdef": re.compile(r"\s*__CUDA_ARCH__\s*"), "if": re.compile(r"\s*defined\s*\(?\s*__CUDA_ARCH__\s*\)?\s*")}
_DEVICE, _HOST = re.compile(r"\b__device__\b|DEV(?:ICE)?\b"), re.compile(r"\b__host__\b|HOST")
_MAY_BE_BOTH = re.compile(
    r"\b(?!__(?:host|inline|forceinline|noinline|attribute)__|__(?:forceinline|inline|restrict)\b)__[a-z]\w*"
    r"|\b(?:\w+_)?(?:BOTH|both|HD|HOSTDEV|XINLINE|DUAL)(?:_\w+)?\b"
    r"|\b(?!(?:inline|explicit|constexpr|virtual|static|const|__host__)\b)\w+\s+operator\s+\w"
)
"""Matches words that may be macros for functions of both sides, such as any but specifiers before `operator double`."""
_OF_CLASS = re.compile(r"\b(?:class|struct)\s[^;{}()]*\Z")
_LONGEST_HEAD = 400
"""Characters in front of the brace of a class among which its name and bases are."""
_FUNCTION = re.compile(
    r"\s*(?:template\s*<[^;{}]*>\s*)?(?P<front>[\w:<>,*&\s]+\boperator\s*(?:\(\s*\)|\S{1,3}?)|[\w:<>,*&\s]+)\s*"
    r"\([^;{}=]*\)\s*(?:const|noexcept|\s)*"
)
"""Matches a prototype, up to its semicolon."""
_BODY = re.compile(r"\{[^{}]*\}")
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
    """Return whether the branches declare nothing but functions of a class, for devices and for hosts alone."""
    braces = unit.braces.around(Span(otherwise.span.start, otherwise.span.end))
    if braces is None or not _OF_CLASS.search(unit.code, max(0, braces.start - _LONGEST_HEAD), braces.start):
        return False
    for_devices = _sides(unit.code[line.span.end : otherwise.span.start])
    for_hosts = _sides(unit.code[otherwise.span.end : end.span.start])
    if _MAY_BE_BOTH.search(unit.code, otherwise.span.end, end.span.start):
        return False  # in the compilation for the host, device code finds functions of both sides
    return {*for_devices} == {(True, False)} and {*for_hosts} <= {(False, True), (False, False)} and bool(for_hosts)


def _sides(text: str) -> list[tuple[bool, bool]]:
    """Return for each function that a text declares whether its words name device and host; nothing for other text."""
    before = ""
    while before != text:  # bodies, from the innermost braces
        before, text = text, _BODY.sub(";", text)
    *declarations, rest = text.split(";")
    declarations = [each for each in declarations if each.strip()]
    fronts = [match["front"] for each in declarations if (match := _FUNCTION.fullmatch(each)) is not None]
    if rest.strip() or len(fronts) != len(declarations):
        return []
    return [(_DEVICE.search(front) is not None, _HOST.search(front) is not None) for front in fronts]
