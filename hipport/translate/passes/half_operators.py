"""Comparisons by operators of half numbers and of pairs, where HIP's differ from CUDA's at NaN or compare one number.

`hipport/compat/half_operators.h` has CUDA's. Templates find them where they are used, so a file also includes it that
passes such a type to a template.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes import insertion
from hipport.translate.syntax.includes import includes_half
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_HEADER = "hipport/compat/half_operators.h"
_PAIRS = frozenset({"half2", "__half2", "nv_bfloat162", "__nv_bfloat162"})
TYPES = _PAIRS | {"half", "__half"}
_SHORT = frozenset({"half", "half2"})
"""Names that a project may have for types of its own: they are CUDA's where its header is included."""
_OF_HALVES = re.compile(r"(?<![-<])(?:<=|>=)(?!>)")
_OF_PAIRS = re.compile(r"(?<![-<>])(?:[<>]=?(?![<>])|!=)")
_PASSED = re.compile(
    r"(?<!std::)\b(?!\w*_cast\b|\w*vector\b|\w*ptr\b|template\b|fragment\b|is_\w+\b|sizeof\b)\w+\s*"
    r"<(?:[^<>;(){}]*\W)?(?:(?:__)?half2?|(?:__)?nv_bfloat162)\s*(?:,[^<>;(){}]*)?>"
)
_NUMBER = re.compile(
    r"(?:(?:unsigned|signed|long|short|int|char|float|double|bool)\b\s*)+|u?int\d+_t|s?size_t|uint|dim3"
)
_COORDINATES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_NEVER = frozenset(
    {"number_literal", "char_literal", "string_literal", "null", "true", "false", "sizeof_expression", "this"}
    | {"new_expression", "qualified_identifier"}
)
_DEEPEST = 8
WORDS = (TYPES,)


def run(work: Work) -> Iterator[Edit]:
    """Include CUDA's operators where halves or pairs may be compared."""
    names = TYPES & work.unit.words - work.told(Kind.NAME)
    if not names or not (names - _SHORT or includes_half(work.unit)):
        return
    if _is_passed(work) or _is_compared(work, _OF_HALVES if names.isdisjoint(_PAIRS) else _OF_PAIRS):
        first = min(offset for _, offset in work.unit.occurrences(names))
        yield from insertion.include(work, {_HEADER}, first)


def _is_passed(work: Work) -> bool:
    return any(_counts(work, match.start()) for match in _PASSED.finditer(work.unit.code))


def _is_compared(work: Work, operator: re.Pattern[str]) -> bool:
    return any(_may_compare(work, Span(*match.span())) for match in operator.finditer(work.unit.code))


def _counts(work: Work, offset: int) -> bool:
    return work.unit.directive_at(offset) is None and platform_at(work.unit, offset) is not Platform.NVIDIA


def _may_compare(work: Work, operator: Span) -> bool:
    """Return whether both operands may be halves; in macros, whose arguments are not known, they are not."""
    if not _counts(work, operator.start):
        return False
    inner = work.unit.node_at(operator)
    node = work.unit.parent(inner) if inner is not None else None
    token = node.child_by_field_name("operator") if node is not None and node.type == "binary_expression" else None
    if node is None or token is None or token.start_byte != operator.start:
        return False
    sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    return all(side is not None and may_be_half(work, side) for side in sides)


def may_be_half(work: Work, node: Node, depth: int = 0) -> bool:
    """Return whether an expression may be a half or a pair; other types are known by literals and declarations."""
    if node.type in _NEVER or depth > _DEEPEST:
        return False
    if node.type == "identifier":
        return _may_hold_half(work, node, bare=depth == 0)
    if node.type == "cast_expression":
        return _NUMBER.fullmatch(text_of(node.child_by_field_name("type")).strip()) is None
    if node.type == "field_expression":
        argument = node.child_by_field_name("argument")
        return argument is None or text_of(argument) not in _COORDINATES
    if node.type == "subscript_expression":
        array = node.child_by_field_name("argument")
        return array is None or may_be_half(work, array, depth + 1)
    if node.type in ("binary_expression", "parenthesized_expression", "unary_expression", "conditional_expression"):
        return all(may_be_half(work, part, depth + 1) for part in node.named_children)
    return node.type == "call_expression" and text_of(node.child_by_field_name("function")) not in ("sizeof", "strcmp")


def _may_hold_half(work: Work, name: Node, *, bare: bool) -> bool:
    text = text_of(name)
    if text in _COORDINATES:
        return False
    function = work.flow.function_at(name.start_byte)
    variable = function.variable(text, name.start_byte) if function is not None else None
    if variable is None:
        return not text.isupper() and work.flow.constants.value(text) is None
    return _NUMBER.fullmatch(" ".join(variable.type.split())) is None and not (bare and variable.pointer)
