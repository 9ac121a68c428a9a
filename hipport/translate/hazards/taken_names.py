"""Names that HIP has, and CUDA has not: at file scope types `texture` and `hipArray`, functions such as `__lane_id()`.

An enumerator `hipSuccess` hides HIP's in its namespace: results of HIP's calls would be compared with it.

CUDA 12 has no texture references, so that the name of the type is free there.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.declarations import at_file_scope
from hipport.translate.work import Work

_FUNCTIONS = ("__lane_id", "__clock", "__clock64", "__named_sync", "wall_clock64")
_TYPES = (
    *(
        "texture",
        "textureReference",
        "hipArray",
        "hipDeviceProp_t",
        "hipError_t",
        "hipEvent_t",
        "hipExtent",
        "hipFunction_t",
    ),
    *("hipMemcpyKind", "hipModule_t", "hipPitchedPtr", "hipPos", "hipResourceDesc", "hipStream_t", "hipTextureDesc"),
)
_TYPE_NAMES = "|".join(_TYPES)
WORDS = (*_TYPES, "hipSuccess", *_FUNCTIONS)
_OWN_TYPE = re.compile(
    rf"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^()]*\)\s*)?({_TYPE_NAMES})\s*(?:final\s*)?[{{:;]"
    rf"|\}}\s*({_TYPE_NAMES})\s*;|\busing\s+({_TYPE_NAMES})\s*="
)
_OWN_OBJECT = re.compile(r"(?:^|[;}])[^;{}()#\n]*[\w*&>]\s*\b(texture)\s*(?:[(=;{]|\[)", re.MULTILINE)
"""Matches the declaration of a function or variable."""
_OWN_FUNCTION = re.compile(rf"(?<=[\s*&])({'|'.join(_FUNCTIONS)})\s*\(\s*(?:void)?\s*\)\s*(?:noexcept\s*)?\{{")
_OWN_SUCCESS = re.compile(r"\benum(?:\s+\w+)?\s*(?::[^{};]*)?\{(?:[^{}]*?,)?\s*(hipSuccess)\b\s*(?:=[^{},]*)?[,}]")
_ABOUT = "HIP's headers have a type {} at file scope, with which this name is in conflict"
_OTHER = "Rename it, or put it in a namespace. HIP's __lane_id() counts all lanes of a wavefront, up to 64."
_ADVICE = "Rename it, or put it in a namespace that no using directive opens."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report types at file scope that HIP has as templates, and functions that it has with the same parameters."""
    unit = work.unit
    if is_hip(work):
        return
    found = (match for pattern in (_OWN_TYPE, _OWN_OBJECT) for match in pattern.finditer(unit.code))
    declared = {match.start(match.lastindex or 0): match[match.lastindex or 0] for match in found}
    for start, name in sorted(declared.items()):
        span = Span(start, start + len(name))
        if unit.directive_at(span.start) is None and at_file_scope(unit, span.start):
            yield work.report(span, "HP133", Severity.ERROR, _ABOUT.format(name), _ADVICE)
    for match in _OWN_FUNCTION.finditer(unit.code):
        if unit.directive_at(match.start(1)) is None and at_file_scope(unit, match.start(1)):
            message = f"HIP's headers have a function {match[1]}() too, which cannot be defined again"
            yield work.report(Span(*match.span(1)), "HP133", Severity.ERROR, message, _OTHER)
    yield from _own_success(work)


def _own_success(work: Work) -> Iterator[Diagnostic]:
    """Report enumerators that conflict with HIP's, or hide it where `cudaSuccess` is used."""
    unit = work.unit
    for match in _OWN_SUCCESS.finditer(unit.code):
        start = match.start(1)
        if unit.directive_at(start) is None and (at_file_scope(unit, match.start()) or "cudaSuccess" in unit.code):
            message = "hipSuccess, which cudaSuccess becomes, is an enumerator of the project here"
            yield work.report(Span(*match.span(1)), "HP133", Severity.ERROR, message, "Rename the enumerator.")
