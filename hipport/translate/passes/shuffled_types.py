"""Detection of shuffles of a group whose value is not a number, which HIP's groups do not pass on."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.aggregates import Aggregates
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.work import Work

SHUFFLES = frozenset({"shfl", "shfl_up", "shfl_down", "shfl_xor"})
_VALUE = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?P<index>\[[^][]*\])?\s*\Z")
_NUMBER = re.compile(
    r"(?:(?:const|volatile|unsigned|signed|long|short|int|char|float|double|bool)\b\s*)+|(?:std::)?u?int\d*(?:_fast|_least)?"
    r"\d*_t|(?:std::)?(?:size_t|ptrdiff_t|ssize_t)|u(?:int|long|short|char)|auto"
)


def of_no_number(work: Work, opening: int) -> bool:
    """Return whether the value that is passed on is a struct, or a variable of a type that may not be a number.

    `opening` is the call's parenthesis.
    """
    close = matching_close(work.unit.code, opening)
    arguments = split_arguments(work.unit.code, opening + 1, close) if close is not None else ()
    if len(arguments) != 2:
        return False
    found = _VALUE.match(work.unit.code, arguments[0].start, arguments[0].end)
    return _is_other(work, found["name"], opening, bool(found["index"])) if found else _is_struct(work, arguments[0])


def _is_struct(work: Work, value: Span) -> bool:
    return bool(Aggregates(work.unit).of(work.unit.node_at(value)).name)


def _is_other(work: Work, name: str, offset: int, is_element: bool) -> bool:
    function = work.flow.function_at(offset)
    variable = function.variable(name, offset) if function else None
    if variable is None:
        return False
    depth = len(variable.sizes) or variable.text.count("*")
    return depth > is_element or not _is_number(variable.type)


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text.strip()) is not None
