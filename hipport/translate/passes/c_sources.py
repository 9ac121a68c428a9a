"""C sources, and headers that they include: names and headers that HIP and hipport have in C++ only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.inclusion import OF_C
from hipport.translate.inclusion import is_c_source, is_cxx
from hipport.translate.references import Reference
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_FOR_CXX = re.compile(r"__cplusplus|__CUDACC__|__NVCC__|__HIPCC__|__CUDA_ARCH__")
_ADVICE = "Compile the source as C++: rename it to .cpp, or move this part to a C++ source."


def is_c(work: Work) -> bool:
    """Return whether C compilers read the file."""
    return is_c_source(work.unit) or work.is_told(OF_C)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report headers that become C++ ones."""
    for line in includes(work.unit) if is_c(work) else ():
        header = work.context.tables.headers.get(line.operand)
        spared = line.operand in work.context.tables.c_includes or _is_for_cxx(work, line.span.start)
        if header is not None and header.hip and is_cxx(header.hip, work.context.tables) and not spared:
            message = f"<{line.operand}> becomes <{header.hip}>, which is C++, and C sources include it"
            yield work.report(line.span, "HP102", Severity.ERROR, message, _ADVICE)


def lacks(work: Work, reference: Reference) -> bool:
    """Return whether a C compiler cannot read the hipport header that a name needs."""
    return (
        is_c(work)
        and is_cxx(reference.entry.support, work.context.tables)
        and not _is_for_cxx(work, reference.span.start)
    )


def refuses(work: Work, reference: Reference) -> bool:
    """Return whether a name stays, because C has no counterpart; overloads are not needed in C."""
    return bool(reference.entry.support) and lacks(work, reference) and not reference.entry.overloads


def lacking(work: Work, references: Iterable[Reference]) -> Iterator[Diagnostic]:
    """Report names whose hipport header is C++."""
    for each in references:
        if refuses(work, each):
            message = f"{each.entry.name} is in <{each.entry.support}>, which is C++, and C sources use it"
            yield work.report(each.span, "HP101", Severity.ERROR, message, _ADVICE)


def _is_for_cxx(work: Work, offset: int) -> bool:
    """Return whether a condition around a place asks for C++."""
    line = work.unit.directive_at(offset)
    branches = (work.unit.branches[each] for each in (line.branch if line is not None else work.unit.branch_at(offset)))
    return any(_FOR_CXX.search(work.unit.code, each.body.start, each.body.end) for each in branches)
