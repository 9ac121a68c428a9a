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
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("__lane_id", "__clock", "__clock64", "__named_sync", "wall_clock64", "__smid"), ""),
    **dict.fromkeys(("__lanemask_lt", "__lanemask_gt", "__lanemask_eq", "__get_dynamicgroupbaseptr"), ""),
    "__ballot64": "int",
    "__barrier": "int",
    "__bitextract_u32": "uint32_t uint32_t uint32_t",
    "__bitextract_u64": "uint64_t uint32_t uint32_t",
    "__bitinsert_u32": "uint32_t uint32_t uint32_t uint32_t",
    "__bitinsert_u64": "uint64_t uint64_t uint32_t uint32_t",
    "__fns64": "uint64_t uint32_t int",
    "__lastbit_u32_u64": "uint64_t",
    "__local_to_generic": "void*",
    "__mbcnt_hi": "uint32_t uint32_t",
    "__mbcnt_lo": "uint32_t uint32_t",
    "atomicAddNoRet": "float* float",
    "unsafeAtomicAdd": "float* float",
    "safeAtomicAdd": "float* float",
}
"""Functions of all releases of HIP that CUDA lacks, with the types of their parameters."""
_SAME_TYPES = (
    (re.compile(r"\b(?:unsigned\s+int|uint|unsigned(?!\s+long))\b"), "uint32_t"),
    (re.compile(r"\b(?:unsigned\s+long(?:\s+int)?(?!\s+long)|size_t)\b"), "uint64_t"),
    (re.compile(r"\bint32_t\b"), "int"),
    (re.compile(r"\bconst\b|\bstd\s*::"), ""),
)
_PARAMETER = re.compile(r"\s*(\w+(?:\s*\*)?)\s*\w*\s*")
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
WORDS = (*_TYPES, "hipSuccess", *FUNCTIONS)
_OWN_TYPE = re.compile(
    rf"\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^()]*\)\s*)?({_TYPE_NAMES})\s*(?:final\s*)?[{{:;]"
    rf"|\}}\s*({_TYPE_NAMES})\s*;|\busing\s+({_TYPE_NAMES})\s*="
)
_OWN_OBJECT = re.compile(r"(?:^|[;}])[^;{}()#\n]*[\w*&>]\s*\b(texture)\s*(?:[(=;{]|\[)", re.MULTILINE)
"""Matches the declaration of a function or variable."""
_OWN_FUNCTION = re.compile(
    rf"(?<=[\s*&])({'|'.join(FUNCTIONS)})\s*\((?:\s*void\s*(?=\)))?([^(){{}};]*)\)\s*(?:noexcept\s*)?\{{"
)
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*\Z")
_OWN_SUCCESS = re.compile(r"\benum(?:\s+\w+)?\s*(?::[^{};]*)?\{(?:[^{}]*?,)?\s*(hipSuccess)\b\s*(?:=[^{},]*)?[,}]")
_LONGEST = 200
"""Characters in front of a function's name."""
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
        if unit.directive_at(match.start(1)) is None and _is_defined_again(unit, match):
            message = f"HIP's headers have a function {match[1]}() too, which cannot be defined again"
            yield work.report(Span(*match.span(1)), "HP133", Severity.ERROR, message, _OTHER)
    yield from _own_success(work)


def _is_defined_again(unit: Unit, match: re.Match[str]) -> bool:
    """Return whether a definition has the parameters of HIP's function, and is no template."""
    text = match[2]
    for pattern, replacement in _SAME_TYPES:
        text = pattern.sub(replacement, text)
    types = (_PARAMETER.fullmatch(each) for each in text.split(",")) if text.strip() else ()
    given = ["".join(each[1].split()) if each is not None else "" for each in types]
    before = unit.code[max(0, match.start() - _LONGEST) : match.start()]
    return given == FUNCTIONS[match[1]].split() and at_file_scope(unit, match.start(1)) and not _TEMPLATE.search(before)


def _own_success(work: Work) -> Iterator[Diagnostic]:
    """Report enumerators that conflict with HIP's, or hide it where `cudaSuccess` is used."""
    unit = work.unit
    for match in _OWN_SUCCESS.finditer(unit.code):
        start = match.start(1)
        if unit.directive_at(start) is None and (at_file_scope(unit, match.start()) or "cudaSuccess" in unit.code):
            message = "hipSuccess, which cudaSuccess becomes, is an enumerator of the project here"
            yield work.report(Span(*match.span(1)), "HP133", Severity.ERROR, message, "Rename the enumerator.")
