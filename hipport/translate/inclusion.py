"""Collect facts about the places of `#include` lines for the files on both ends."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind
from hipport.files.inclusion import COPY, FOR_CXX, OF_C, ONCE, fact
from hipport.mappings.entry import Header
from hipport.mappings.loader import Tables
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.compiled import asks_for_amd, is_compiled, test_of
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind
from hipport.translate.syntax.prologue import inside_guard, is_guarded
from hipport.translate.syntax.unit import Unit

RUNTIME = "hip/hip_runtime.h"
"""The header that replaces those of CUDA that have no counterpart of their own."""
_INSIDE = frozenset(",=(|&+<?[")
"""Characters after which an expression or a list goes on."""
_OF_CUDA_HEADERS = frozenset(
    {"CUDARTAPI", "CUDAAPI", "CUBLASAPI", "CUBLASWINAPI", "CUDNNWINAPI", "CUFFTAPI", "CURANDAPI", "CUSPARSEAPI"}
)
"""Macros in the declarations of CUDA's own headers, and of copies of them."""
_BRINGING = {
    **{name: name for name in ("array", "complex", "iterator", "ratio", "thread", "tuple")},
    **dict.fromkeys(("algorithm", "functional", "map", "memory", "string", "vector"), "much"),
    **dict.fromkeys(("fstream", "iomanip", "ios", "iostream", "istream", "ostream", "sstream"), "much"),
}
"""Headers of the C++ library, with their own names, or `much` for those that include most of the others."""
_INCLUDED = re.compile(r"#include <([^>\n]+)>")


def facts(unit: Unit, tables: Tables, edits: Iterable[Edit] = ()) -> Iterator[str]:
    """Yield the facts of `hipport.files.inclusion` about a file, whose translation makes these edits."""
    lines = list(includes(unit))
    yield from (fact(Kind.IN_CODE, each) for each in {line.operand for line in lines if _is_in_code(unit, line)})
    yield from (fact(Kind.EXPANDS, each) for each in {line.operand for line in lines if _is_expanded(unit, line)})
    if is_guarded(unit):
        yield ONCE
    quoted = [line.operand for line in lines if line.quoted]
    yield from (fact(Kind.ASKS, each) for each in quoted if each in tables.headers)
    yield from (fact(Kind.REPLACED, each) for each in quoted if is_replaced(tables.headers.get(each)))
    yield from (str(Fact(Kind.BRINGS, "std", each)) for each in brought_by(unit))
    yield from (fact(Kind.FINDS, each.operand) for each in lines if may_be_own(each, tables))
    if not unit.words.isdisjoint(_OF_CUDA_HEADERS):
        yield COPY
    if THRUST_SYSTEM in unit.words:
        yield from (fact(Kind.FINDS, f"{folder}/cuda/") for _, folder in system_folders(unit))
    if is_c_source(unit):
        yield OF_C
    elif unit.source.name.endswith(".h") and needs_cxx(unit, tables):
        yield FOR_CXX
    of_cuda = [
        inside_guard(unit, line.directive.branch)
        for line in lines
        if line.operand in tables.headers or line.operand.startswith("hip/")
    ]
    branches = {line.directive.branch for line in lines}
    outside = {branch for branch in branches if _is_without_cuda(unit, of_cuda, branch)}
    regular = {line.operand for line in lines if line.directive.branch not in outside}
    yield from (fact(Kind.WITHOUT_CUDA, each) for each in {line.operand for line in lines} - regular)
    for edit in edits:
        if isinstance(edit, Replace) and edit.start == edit.end:
            yield from (fact(Kind.NEEDS, header) for header in _INCLUDED.findall(edit.text))


def brought_by(unit: Unit) -> frozenset[str]:
    """Return what the file's headers of the C++ library bring, as the values of facts say it."""
    return frozenset(_BRINGING[each.operand] for each in includes(unit) if each.operand in _BRINGING)


def is_replaced(header: Header | None) -> bool:
    """Return whether a translation includes another header, or none, in place of this one."""
    return header is not None and (header.drop or (header.hip is not None and header.hip != header.name))


THRUST_SYSTEM = "__THRUST_DEVICE_SYSTEM_NAMESPACE"
"""Thrust's macro for the name of its backend: `cuda`, in rocThrust `hip`."""
_SYSTEM_FOLDER = re.compile(rf"(?P<folder>\w+(?:\s*/\s*\w+)*)\s*/\s*{THRUST_SYSTEM}\b")


def system_folders(unit: Unit) -> Iterator[tuple[Directive, str]]:
    """Yield macros that name a folder with `cuda` by Thrust's macro, and the folder around it; none of Thrust's own."""
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE:
            found = _SYSTEM_FOLDER.search(unit.code, line.body.start, line.body.end)
            folder = "".join(found["folder"].split()) if found is not None else ""
            if folder and not f"{folder}/".startswith("thrust/"):
                yield line, folder


def may_be_own(include: Include, tables: Tables) -> bool:
    """Return whether the project may have a header that is called like those of CUDA's libraries in a folder.

    Public headers of libcu++ have no suffix: `<cuda/atomic>`.
    """
    header = tables.headers.get(include.operand)
    if header is None:
        return False
    if include.operand.startswith("thrust/system/cuda/"):
        return True
    inner = include.operand.startswith(("cuda/std/", "cuda/__"))
    return header.library == "libcudacxx" and "." in include.operand and not inner and not include.quoted


def is_c_source(unit: Unit) -> bool:
    """Return whether a file is a C source by its name."""
    return unit.source.name.endswith(".c")


def is_cxx(header: str, tables: Tables) -> bool:
    """Return whether a header of HIP's or hipport's is C++ only."""
    return header in _CXX_HEADERS or (header.startswith("hipport/") and header not in tables.in_c)


def needs_cxx(unit: Unit, tables: Tables) -> bool:
    """Return whether a file has anything that HIP and hipport have in C++ only."""
    operands = {line.operand for line in includes(unit)}
    headers = (tables.headers.get(operand) for operand in operands)
    wanted = {header.hip for header in headers if header is not None and header.hip}
    wanted |= {tables.names[name].support for name in unit.words & tables.active}
    return not operands.isdisjoint(tables.c_includes) or any(is_cxx(each, tables) for each in wanted)


_CXX_HEADERS = frozenset(
    {
        "hip/hip_bf16.h",
        "hip/hip_bfloat16.h",
        "hip/hip_fp8.h",
        "hipblaslt/hipblaslt.h",
        "hipfft/hipfftXt.h",
        "hipfftXt.h",
    }
)
"""Headers of HIP's with counterparts in C that C compilers reject, in all releases up to 7.2."""
_BEFORE = 4000
"""Characters in front of an `#include` among which the last one of the code is looked for."""


def is_in_code(unit: Unit, line: Include) -> bool:
    """Return whether an `#include` is in braces, in a list or expression, or makes code of a list by a macro."""
    return _is_in_code(unit, line) or _is_expanded(unit, line)


def _is_in_code(unit: Unit, line: Include) -> bool:
    start = line.directive.span.start
    if unit.code.find("{", 0, start) >= 0 and unit.braces.has(Span(start, line.directive.span.end)):
        return True
    before = unit.shadow.main[max(0, start - _BEFORE) : start].rstrip()
    return before[-1:] in _INSIDE


def _is_expanded(unit: Unit, line: Include) -> bool:
    """Return whether a macro with parameters is defined just before the `#include`: it expands the list in the file."""
    index = bisect_left(unit.directives, line.directive.span.start, key=lambda each: each.span.start)
    previous = unit.directives[index - 1] if index else None
    if previous is None or previous.kind is not DirectiveKind.DEFINE:
        return False
    head = unit.code[previous.span.start : previous.body.start].rstrip()
    return head.endswith(")") and not unit.code[previous.span.end : line.directive.span.start].strip()


_SWITCH = re.compile(
    r"!(?:\w*_)?(?:(?:WITH|USE|USES|USING|HAVE|HAS|ENABLE|BUILD)_CUDA|CUDA_(?:ENABLED?|FOUND|SUPPORT|AVAILABLE))_*"
)
"""Matches the test that a macro is not defined which a project's build defines for CUDA as a whole."""


def _is_without_cuda(unit: Unit, of_cuda: list[Branch], whole: Branch) -> bool:
    """Return whether a branch is beside one of those that include CUDA, or never compiled in a build with CUDA."""
    branch = inside_guard(unit, whole)
    if not branch:
        return False
    if asks_for_amd(unit, branch):  # beside a branch for nvcc, whose test is left alone
        return False
    compiled = is_compiled(unit, whole)
    if compiled is not None:
        return not compiled
    if any(_SWITCH.fullmatch(test_of(unit, *each)) for each in branch):
        return True
    return any(_excludes(unit, branch, other) for other in of_cuda) and branch not in of_cuda


def _excludes(unit: Unit, one: Branch, other: Branch) -> bool:
    """Return whether two branches are alternatives: of one condition, or of `#ifdef X` and `#ifndef X`."""
    for (number, index), (other_number, other_index) in ((a, b) for a in one for b in other):
        if number == other_number and index != other_index:
            return True
        mine, its = test_of(unit, number, index), test_of(unit, other_number, other_index)
        if mine and its and mine != its and mine.lstrip("!") == its.lstrip("!"):
            return True
    return False
