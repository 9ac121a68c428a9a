"""Headers that CUDA's headers include but HIP's do not: code relies on them without an `#include` of its own."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Span
from hipport.translate.inclusion import RUNTIME
from hipport.translate.passes import insertion, thrust_headers
from hipport.translate.passes.runtime_include import missing_runtime
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.declarations import host_function
from hipport.translate.syntax.includes import BLAS_HEADERS, OF_COMPLEX, OF_ROCPRIM, includes
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.named_scopes import USING_STD
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_NARROW = {"cuda_bf16.h": re.compile(r"bfloat16|bf16"), "cuda_fp16.h": re.compile(r"half")}
"""These headers, with patterns found in the names of their types and functions."""
_BLAS, _HALF = "cublas", "half"
"""The subjects of facts about these headers."""
_MATH = frozenset({"isfinite", "isinf", "isnan"})
"""Functions that <math.h> and nvcc's runtime header declare at file scope for the host; HIP's does so for GPUs only."""
_NAMES = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma "
    "fmax fmin fmod frexp hypot ldexp lgamma log log10 log1p log2 logb modf nearbyint nextafter pow remainder remquo "
    "rint round scalbln scalbn signbit sin sinh sqrt tan tanh tgamma trunc"
)
_CONSTANTS, _CONSTANT = "math_constants.h", "CUDART_"
_OVERLOADED = frozenset(_NAMES.split())
"""Functions whose overloads for `float` <math.h> declares at file scope. HIP leaves hosts with those of C: a `float` is
computed as a `double`, and `modf` takes no `float*`."""
_STD_TYPES = "cuda/std/utility"
_BRING_STD_TYPES = ("cuda/functional", "cuda/std/span")
"""Headers whose counterparts include that of `cuda::std`."""
_LIBCUDACXX = {
    _STD_TYPES: re.compile(
        r"\bcuda\s*::\s*std\s*::(?!\s*(?:atomic|memory_order|thread_scope|barrier|span\b|dynamic_extent\b))"
    ),
    "cuda/std/span": re.compile(r"\bcuda\s*::\s*std\s*::\s*(?:span|dynamic_extent)\b"),
    "cuda/atomic": re.compile(r"\bcuda\s*::\s*(?:std\s*::\s*)?(?:atomic|memory_order|thread_scope)\w*\b"),
    "cuda/functional": re.compile(r"\bcuda\s*::\s*(?:minimum|maximum|proclaim_\w+)\b"),
}
"""Headers of libcu++, which CUB and Thrust include, with patterns found in the code that needs them."""
_CONTAINERS = re.compile(r"\bstd\s*::\s*(vector|list|deque|map|set|unordered_map|unordered_set|queue|stack)\s*<")
_COMPILED_FOR_GPUS = frozenset({"__global__", "__device__", "dim3", "threadIdx"})
_OF_SOLVERS = ("cublasLt", "cusolver", "cusparseLt")
"""Headers of libraries that include those of others."""
_OTHER = re.compile(r"(?:\.|->|::|\b(?!return\b)\w+)\s*\Z")
"""Matches the text in front of a member, a namespaced name, or a declaration."""
_LOOK_BACK = 64


def run(work: Work) -> Iterator[Edit]:
    """Include headers that the file uses but gets only through a CUDA header."""
    operands = {include.operand for include in includes(work.unit)}
    needed = dict(_narrow_types(work)) if _brings_narrow_types(work, operands) else {}
    if "math.h" not in operands:
        needed |= _math(work, operands)
    if "cuda" in work.unit.words:
        needed |= _libcudacxx(work, operands)
    needed |= _math_constants(work, operands)
    needed |= thrust_headers.needed(work)
    if any(each.startswith(_OF_SOLVERS) for each in operands):
        from hipport.translate.passes import included_libraries  # few files need it

        needed |= included_libraries.needed(work, operands)
    named = _CONTAINERS.findall(work.unit.code) if "std" in work.unit.words else ()
    if {*named} - operands or bool(work.told(Kind.LACKS)):
        from hipport.translate.passes import lacking_headers  # few files need it

        needed |= lacking_headers.needed(work)
    if needed:
        yield from insertion.include(work, needed, min(needed.values()))
    if any(each.startswith((*OF_ROCPRIM, *OF_COMPLEX)) for each in operands):
        from hipport.translate.passes import library_macros  # few files need it

        yield from library_macros.put_aside(work)


def facts(work: Work) -> Iterator[str]:
    """Yield whether a header includes one of cuBLAS, which has the 16-bit types in CUDA, or that of such a type."""
    operands = {include.operand for include in includes(work.unit)}
    if operands & BLAS_HEADERS:
        yield str(Fact(Kind.HAS, _BLAS))
    if operands & _NARROW.keys():
        yield str(Fact(Kind.HAS, _HALF))


def asked(work: Work) -> Iterator[str]:
    """Yield what a file with the 16-bit types, and without their headers, asks about those that it includes."""
    if not any(line.quoted for line in includes(work.unit)):
        return
    words = " ".join(work.unit.words)  # one search of all takes less than one of each
    if any(names.search(words) for names in _NARROW.values()):
        yield from (question(Kind.HAS, subject) for subject in (_BLAS, _HALF))


def _brings_narrow_types(work: Work, operands: set[str]) -> bool:
    """Return whether the file has the 16-bit types by a header of cuBLAS only, its own or one of the project's."""
    if operands & _NARROW.keys():
        return False
    told = {fact.subject for fact in work.facts(Kind.HAS)}
    return bool(operands & BLAS_HEADERS) or (_BLAS in told and _HALF not in told)


def _narrow_types(work: Work) -> Iterator[tuple[str, int]]:
    """Yield the headers of the 16-bit types in use, with a place of use for each. Most have the same names in HIP."""
    known, own = work.context.tables.names, work.told(Kind.NAME)
    for header, names in _NARROW.items():
        target = work.context.tables.headers.get(header)
        place = next((found.span.start for found in work.references.found if names.search(found.entry.name)), None)
        same = frozenset(word for word in work.unit.words if names.search(word) and word in known and word not in own)
        uses = (offset for name, offset in work.unit.occurrences(same) if _is_of_header(work.unit, name, offset))
        place = min((each for each in (place, next(uses, None)) if each is not None), default=None)
        if place is not None and target is not None and target.hip:
            yield target.hip, place


def _libcudacxx(work: Work, operands: set[str]) -> dict[str, int]:
    """Return the headers for names of libcu++ that the file does not include, with the place of the first one."""
    known = work.context.tables.headers
    present = operands | {target.hip for each in operands if (target := known.get(each)) is not None}
    found = {}
    for header, names in _LIBCUDACXX.items():
        target = known.get(header)
        uses = (match.start() for match in names.finditer(work.unit.code))
        place = next(
            (at for at in uses if not work.unit.code[max(0, at - _LOOK_BACK) : at].rstrip().endswith("::")), None
        )
        if place is not None and target is not None and target.hip and target.hip not in present:
            found[target.hip] = place
    counterparts = {name: each.hip for name in _LIBCUDACXX if (each := known.get(name)) is not None}
    if not (found.keys() | present).isdisjoint(counterparts.get(name) for name in _BRING_STD_TYPES):
        found.pop(counterparts.get(_STD_TYPES) or "", None)
    return found


def _math_constants(work: Work, operands: set[str]) -> dict[str, int]:
    """Return the header of constants such as `CUDART_INF_F`, which nvcc's own header of functions includes."""
    header = work.context.tables.headers.get(_CONSTANTS)
    if header is None or not header.hip or operands & {_CONSTANTS, header.hip}:
        return {}
    uses = (use for use in work.references.found if use.entry.name.startswith(_CONSTANT) and not use.entry.support)
    place = next((use.span.start for use in uses if use.entry.hip and use.entry.hip.name.startswith("HIP_")), None)
    return {header.hip: place} if place is not None else {}


def _is_of_header(unit: Unit, name: str, offset: int) -> bool:
    """Return whether a name is not only that of a variable, `int half = n / 2;`."""
    node = unit.node_at(Span(offset, offset + len(name))) if name == "half" else None
    return name != "half" or (node is not None and node.type == "type_identifier")


def _has_runtime(work: Work, operands: set[str]) -> bool:
    """Return whether the translation includes HIP's runtime header."""
    headers = (work.context.tables.headers.get(operand) for operand in operands)
    return any(header is not None and header.hip == RUNTIME for header in headers) or missing_runtime(work) is not None


def _math(work: Work, operands: set[str]) -> dict[str, int]:
    """Return <math.h> with the first use of a function that needs it, if there is one."""
    named_std = USING_STD.search(work.unit.code) is not None
    if "cmath" not in operands:
        for name, offset in work.unit.occurrences(_MATH):
            if _is_called(work.unit, name, offset) and _has_runtime(work, operands):
                return {"math.h": offset}
    if named_std or (work.unit.words.isdisjoint(_COMPILED_FOR_GPUS) and not work.unit.launches):
        return {}
    for name, offset in work.unit.occurrences(_OVERLOADED):
        if _is_called(work.unit, name, offset) and _in_host_code(work.unit, offset):
            return {"math.h": offset}
    return {}


def _is_called(unit: Unit, name: str, offset: int) -> bool:
    called = unit.code.startswith("(", skip_blanks(unit.code, offset + len(name)))
    return called and not _OTHER.search(unit.code, max(0, offset - _LOOK_BACK), offset)


def _in_host_code(unit: Unit, offset: int) -> bool:
    """Return whether a place is in the body of a function that is compiled for the host, or of a macro."""
    line = unit.directive_at(offset)
    if line is not None:
        return line.kind is DirectiveKind.DEFINE
    return host_function(unit, offset) is not None
