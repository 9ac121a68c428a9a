"""HP139: traits of CUDA's types that have another value in HIP, such as `is_same<cudaError_t, CUresult>`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_NUMBERS = ("CUdeviceptr", "CUtexObject", "CUsurfObject", "cudaTextureObject_t", "cudaSurfaceObject_t")
"""Types that are numbers of 64 bits in CUDA, and pointers in HIP."""
_OF_NUMBERS = ("is_integral", "is_arithmetic", "is_fundamental", "is_unsigned", "is_pointer", "integral")
_OF_PAIRS = ("is_same", "is_convertible", "is_assignable", "is_constructible", "same_as")
_ALIASES = frozenset(
    {
        *("cudaStream_t", "cudaEvent_t", "cudaGraph_t", "cudaGraphNode_t", "cudaGraphExec_t", "cudaUserObject_t"),
        *("cudaFunction_t", "cudaKernel_t", "cudaMemPool_t", "cudaUUID_t", "cudaExternalMemory_t", "cudaHostFn_t"),
        *("cudaExternalSemaphore_t", "cudaTextureObject_t", "cudaSurfaceObject_t", "cudaGraphicsResource_t"),
    }
)
"""Types of the runtime that are the driver's in CUDA, too."""
WORDS = frozenset({f"{trait}{end}" for trait in (*_OF_NUMBERS, *_OF_PAIRS) for end in ("", "_v")} - {"integral_v"}) | {
    *_NUMBERS
}
_NUMBER = re.compile(
    rf"\b(?P<trait>{'|'.join(_OF_NUMBERS)})(?:_v)?\s*<\s*(?:const\s+)?(?:::\s*)?(?P<type>{'|'.join(_NUMBERS)})\s*>"
)
_PAIR = re.compile(
    rf"\b(?P<trait>{'|'.join(_OF_PAIRS)})(?:_v)?\s*<\s*(?:::\s*)?(?P<one>cu\w+|CU\w+)\s*,\s*(?:::\s*)?(?P<other>cu\w+|CU\w+)\s*>"
)
_POINTER = r"void\s*\*"
_PLAIN = r"unsigned\s+long\s+long(?:\s+int)?"
_WITH_PLAIN = re.compile(
    rf"\b(?P<trait>is_same|same_as)(?:_v)?\s*<\s*(?:(?P<one>{'|'.join(_NUMBERS)})\s*,\s*(?:{_PLAIN})|(?:{_PLAIN})\s*,\s*(?P<other>{'|'.join(_NUMBERS)}))\s*>"
)
_SPECIALIZED = re.compile(
    rf"\btemplate\s*<\s*>[^;{{}}()<>]*\b(?P<name>\w+)\s*<\s*(?:(?P<type>{'|'.join(_NUMBERS)})|(?P<plain>{_PLAIN})|(?P<pointer>{_POINTER}))\s*>"
)
_OVERLOADED = re.compile(
    rf"\b(?P<name>\w+)\s*\(\s*(?:const\s+)?(?:(?P<type>{'|'.join(_NUMBERS)})|(?P<plain>{_PLAIN})|(?P<pointer>{_POINTER}))(?:\s*const)?\s*(?:\w+\s*)?[,)]"
)
"""Matches a declaration, by its first parameter."""
_NO_FUNCTIONS = frozenset({"sizeof", "alignof", "alignas", "typeid", "decltype", "return", "operator", "throw"})
_FIRST = re.compile(r"<\s*(?:::\s*)?(?:cu|CU)\w")
"""Matches the beginning of such a pair, of which few files have one."""
_ADVICE = "Ask for what the code does with the type, or leave the branch out for HIP."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report traits of types that are others in HIP, and of pairs that are one type there."""
    if is_hip(work):
        return
    for match in () if work.unit.words.isdisjoint(_NUMBERS) else _NUMBER.finditer(work.unit.code):
        hip, cuda = ("true", "false") if match["trait"] == "is_pointer" else ("false", "true")
        message = f"{match['trait']} is {hip} for HIP's {match['type']}, which is a pointer, and {cuda} in CUDA"
        yield from _report(work, Span(*match.span("type")), message)
    if not work.unit.words.isdisjoint(_NUMBERS):
        yield from _of_plain_types(work)
    for match in _PAIR.finditer(work.unit.code) if _FIRST.search(work.unit.code) else ():
        if hip := _common(work, match["one"], match["other"]):
            names = f"{match['one']} and {match['other']}"
            message = f"{match['trait']} is true in HIP, where {names} are {hip}, and false in CUDA"
            yield from _report(work, Span(match.start("one"), match.end("other")), message)


def _of_plain_types(work: Work) -> Iterator[Diagnostic]:
    """Report code that depends on which plain type such a number is: traits, specializations and overloads."""
    for match in _WITH_PLAIN.finditer(work.unit.code):
        part = "one" if match["one"] else "other"
        message = f"{match['trait']} is false for HIP's {match[part]}, which is a pointer, and true in CUDA"
        yield from _report(work, Span(*match.span(part)), message)
    for pattern, what in ((_SPECIALIZED, "specializations"), (_OVERLOADED, "overloads")):
        found: dict[str, dict[str, Span]] = {}
        for match in pattern.finditer(work.unit.code):
            kind = str(match.lastgroup)
            if match["name"] in _NO_FUNCTIONS or (kind == "plain" and "CUdeviceptr" not in work.unit.words):
                continue
            found.setdefault(match["name"], {}).setdefault(kind, Span(*match.span(kind)))
        for name, places in found.items():
            if "pointer" in places and len(places) > 1:
                message = f"'{name}' has {what} for numbers and pointers; pointers in HIP: {_listed(work)}"
                yield from _report(work, places.get("type") or places["plain"], message)


def _listed(work: Work) -> str:
    return " and ".join(name for name in _NUMBERS if name in work.unit.words)


def _common(work: Work, one: str, other: str) -> str:
    """Return the type that two types are in HIP; empty if they differ there, or are one type in CUDA, too."""
    found = [work.context.tables.names.get(name) for name in (one, other)]
    names = {entry.hip.name for entry in found if entry is not None and entry.hip is not None}
    known = all(entry is not None and entry.hip is not None for entry in found)
    of_both = {one[:2], other[:2]} == {"cu", "CU"} or (one.endswith("Status_t") and other.endswith("Status_t"))
    differ = one != other and of_both and _ALIASES.isdisjoint({one, other})
    return names.pop() if known and differ and len(names) == 1 else ""


def _report(work: Work, span: Span, message: str) -> Iterator[Diagnostic]:
    if platform_at(work.unit, span.start) is not Platform.NVIDIA:
        yield work.report(span, "HP139", Severity.WARNING, message, _ADVICE)
