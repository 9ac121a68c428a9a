"""Half numbers beside other types in functions such as `fma(1.f, h, 2.f)`, for which Clang's header has no overload.

`hipport/compat/half_promotions.h` tells that header what a half is promoted to.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.files.facts import Kind
from hipport.source import Edit
from hipport.translate.passes import insertion
from hipport.translate.passes.half_operators import may_be_half
from hipport.translate.syntax.includes import includes_half
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_HEADER = "hipport/compat/half_promotions.h"
_SHORT = frozenset({"half", "half2"})
"""Names that a project may have for types of its own: they are CUDA's where its header is included."""
_TYPES = _SHORT | {"__half", "nv_bfloat16", "__nv_bfloat16"}
_FUNCTIONS = frozenset(
    {"atan2", "copysign", "fdim", "fma", "fmax", "fmin", "fmod", "hypot", "nextafter", "pow", "remainder"}
)
WORDS = (_TYPES, _FUNCTIONS)


def run(work: Work) -> Iterator[Edit]:
    """Include it where an argument may be a half and not all need be."""
    names = _TYPES & work.unit.words - work.told(Kind.NAME)
    if not names or not (names - _SHORT or includes_half(work.unit)):
        return
    calls = (node for node in work.unit.all_of("call_expression") if _is_mixed(work, node))
    first = next(calls, None)
    if first is not None:
        yield from insertion.include(work, {_HEADER}, first.start_byte)


def _is_mixed(work: Work, call: Node) -> bool:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count < 2:
        return False
    name = work.unit.code[function.start_byte : function.end_byte].removeprefix("::").removeprefix("std::")
    if name not in _FUNCTIONS or platform_at(work.unit, call.start_byte) is Platform.NVIDIA:
        return False
    return any(may_be_half(work, argument) for argument in arguments.named_children)
