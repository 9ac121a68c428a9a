"""`int base; if (lane == leader) base = ...; base = __shfl_sync(mask, base, leader);`: a value that one lane sets.

In CUDA the other lanes pass an undefined value, which nobody reads. For clang an undefined argument is undefined
behavior, and so is an undefined result of a function (`int sum; if (threadIdx.x == 0) sum = ...; return sum;`), so it
takes the condition for always true: every lane executes what the leader should, or what follows is left out for the
others. HIP's own shuffles declare their arguments as possibly undefined, but only since ROCm 5.3, and other functions
never do. So such a variable gets an initial value.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import Function, Variable, make_function
from hipport.translate.dataflow.unset import declarator_end, unset_variables
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.side_words import device_macros
from hipport.translate.work import Work

_NUMBER = re.compile(r"(?:(?:unsigned|signed|int|long|short|char|float|double|size_t|u?int\d*_t|uint)\b\s*)+\Z")
WORDS = (frozenset({"return", "__device__", "__global__", "asm", "__asm", "__asm__"}),)


def run(work: Work) -> Iterator[Edit]:
    """Give variables an initial value that some lanes do not set before they pass or return them."""
    if is_hip(work) or not (work.unit.shadow.device_words or device_macros(work.unit) or _told(work)):
        return
    done: set[Span] = set()
    for function in _functions(work):
        for variable in unset_variables(work.flow, function):
            if variable.place not in done:
                done.add(variable.place)
                yield from _given_value(work, function, variable)


def _told(work: Work) -> frozenset[str]:
    """Return the macros of other files that stand for `__device__`."""
    return frozenset(fact.subject for fact in work.facts(Kind.DEVICE_ONLY))


def _functions(work: Work) -> Iterator[Function]:
    """Yield what may run on the device: functions, function-like macros, and lambdas of host functions."""
    yield from work.flow.device_functions
    told = _told(work) & work.unit.words
    yield from work.flow.functions(told) if told else ()
    for line in work.unit.directives:
        has_statements = line.kind is DirectiveKind.DEFINE and ";" in work.unit.code[line.body.start : line.body.end]
        function = work.flow.function_at(line.body.start) if has_statements else None
        if function is not None:
            yield function
    for node in work.unit.all_of("lambda_expression") if _has_lambdas(work) else ():
        function = make_function(work.unit, node)
        if function is not None and function.device:
            yield function


def _has_lambdas(work: Work) -> bool:
    return "[" in work.unit.code


def _given_value(work: Work, function: Function, variable: Variable) -> Iterator[Edit]:
    """Yield the initial value of a variable, unless a jump passes the declaration."""
    if not _is_jumped_over(function, variable):
        end = declarator_end(work.unit, variable)
        scalar = _NUMBER.match(variable.type) and not variable.pointer and not variable.sizes
        yield Replace(end, end, " = 0" if scalar else "{}")


def _is_jumped_over(function: Function, variable: Variable) -> bool:
    """Return whether a `goto` or `case` may jump past a declaration, which must have no initial value then."""
    inside = [each for each in function.of_type("labeled_statement") if _is_behind(variable, each.start_byte)]
    if inside and any(each.start_byte < variable.place.start for each in function.of_type("goto_statement")):
        return True
    for case in function.of_type("case_statement"):
        around = case.start_byte <= variable.place.start < case.end_byte
        if around and variable.scope.start < case.start_byte:
            return True
    return False


def _is_behind(variable: Variable, offset: int) -> bool:
    return variable.place.start < offset < variable.scope.end
