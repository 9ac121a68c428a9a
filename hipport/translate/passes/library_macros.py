"""Macros of a project that are names in headers of HIP's libraries and not in those of CUDA's.

`#define INVALID 0`, then `<cub/cub.cuh>`; `#define real double`, then `<cusparse.h>`. They are put aside while such
headers are included. The macros may be those of other included files.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import OF_COMPLEX, OF_ROCPRIM, Include, includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.prologue import line_after
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_NAMES = {
    OF_ROCPRIM: frozenset({"COMPLETE", "EMPTY", "INVALID", "PARTIAL"}),  # the enumerators of `prefix_flag`
    OF_COMPLEX: frozenset({"imag", "p", "q", "real", "ret", "sqabs", "z"}),  # parameters and variables
}
"""Names in HIP's headers and not in CUDA's, by the beginnings of the headers that bring them."""
NAMES = frozenset().union(*_NAMES.values())


def put_aside(work: Work) -> Iterator[Edit]:
    """Remove the macros in front of such includes, and restore them behind."""
    unit = work.unit
    lines = [] if is_hip(work) else [each for each in _of_libraries(unit) if _is_for_amd(unit, each)]
    if not lines:
        return
    told = {fact.subject for fact in work.facts(Kind.HIDES)}
    own = {line.name: line.span.start for line in reversed(unit.directives) if _hides(line)}
    newline = unit.source.newline
    for line in lines:
        defined = told | {name for name, start in own.items() if start < line.directive.span.start}
        if names := sorted(defined & _hidden_by(line)):
            start = unit.code.rfind("\n", 0, line.directive.span.start) + 1
            end = line_after(unit, line.directive.span.end)
            front = (f'#pragma push_macro("{name}"){newline}#undef {name}{newline}' for name in names)
            yield Replace(start, start, "".join(front))
            yield Replace(end, end, "".join(f'#pragma pop_macro("{name}"){newline}' for name in names))


def facts(work: Work) -> Iterator[str]:
    """Yield the macros of the file with such names."""
    yield from {str(Fact(Kind.HIDES, line.name)) for line in work.unit.directives if _hides(line)}


def asked(work: Work) -> Iterator[str]:
    """Yield the questions of a file that includes such headers."""
    names = frozenset().union(*map(_hidden_by, _of_libraries(work.unit)))
    yield from (question(Kind.HIDES, name) for name in names)


def _of_libraries(unit: Unit) -> Iterator[Include]:
    return (line for line in includes(unit) if line.operand.startswith((*OF_ROCPRIM, *OF_COMPLEX)))


def _hidden_by(line: Include) -> frozenset[str]:
    return next(names for headers, names in _NAMES.items() if line.operand.startswith(headers))


def _is_for_amd(unit: Unit, line: Include) -> bool:
    return platform_at(unit, line.directive.span.start) is not Platform.NVIDIA


def _hides(line: Directive) -> bool:
    return line.kind is DirectiveKind.DEFINE and line.name in NAMES
