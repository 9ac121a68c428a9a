"""HP101: names of `cuda::std` that CUDA's headers have in C++17, and the standard library later.

hipport's `cuda::std` is the standard library, with what programs use most of C++20 (`hipport/compat/cuda_std.h`).
`tests/compat/test_cuda_std.py` compares it and these names with CUDA's headers.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

WORDS = frozenset({"cuda"})
_SINCE_20 = frozenset(
    [
        "assignable_from",
        "assume_aligned",
        "basic_common_reference",
        "bidirectional_iterator",
        "bind_front",
        "common_reference",
        "common_reference_t",
        "common_reference_with",
        "common_with",
        "contiguous_iterator",
        "contiguous_iterator_tag",
        "copy_constructible",
        "copyable",
        "default_initializable",
        "default_sentinel",
        "default_sentinel_t",
        "destructible",
        "disable_sized_sentinel_for",
        "equality_comparable",
        "equality_comparable_with",
        "equivalence_relation",
        "erase",
        "erase_if",
        "forward_iterator",
        "incrementable",
        "incrementable_traits",
        "indirect_binary_predicate",
        "indirect_equivalence_relation",
        "indirect_result_t",
        "indirect_strict_weak_order",
        "indirect_unary_predicate",
        "indirectly_comparable",
        "indirectly_copyable",
        "indirectly_copyable_storable",
        "indirectly_movable",
        "indirectly_movable_storable",
        "indirectly_readable",
        "indirectly_readable_traits",
        "indirectly_regular_unary_invocable",
        "indirectly_swappable",
        "indirectly_unary_invocable",
        "indirectly_writable",
        "input_iterator",
        "input_or_output_iterator",
        "is_nothrow_convertible",
        "is_nothrow_convertible_v",
        "iter_common_reference_t",
        "iter_difference_t",
        "iter_reference_t",
        "iter_rvalue_reference_t",
        "iter_value_t",
        "make_unique_for_overwrite",
        "mergeable",
        "movable",
        "move_constructible",
        "move_sentinel",
        "output_iterator",
        "permutable",
        "predicate",
        "projected",
        "random_access_iterator",
        "regular",
        "regular_invocable",
        "relation",
        "semiregular",
        "sentinel_for",
        "sized_sentinel_for",
        "sortable",
        "strict_weak_order",
        "swappable",
        "swappable_with",
        "totally_ordered",
        "totally_ordered_with",
        "unreachable_sentinel",
        "unreachable_sentinel_t",
        "weakly_incrementable",
    ]
)
_NEVER = frozenset(
    [
        "forward_like",
        "invoke_r",
        "is_scoped_enum",
        "is_scoped_enum_v",
        "reference_constructs_from_temporary",
        "reference_constructs_from_temporary_v",
        "reference_converts_from_temporary",
        "reference_converts_from_temporary_v",
    ]
)
"""Names of C++23 and later that most standard libraries lack."""
_NAMES = _SINCE_20 | _NEVER
_ALIAS = re.compile(r"\bnamespace\s+([A-Za-z_]\w*)\s*=\s*(?:::\s*)?cuda\s*::\s*std\s*;")
_SCOPE = r"(?<![\w:])(?:::\s*)?(?:cuda\s*::\s*std{})\s*::\s*([a-z]\w*)"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the first use of each name behind `cuda::std::`, or behind an alias of that namespace."""
    words = work.visible_words
    if "std" not in words or words.isdisjoint(_NAMES) or is_hip(work):
        return
    aliases = "".join(rf"|\b{name}" for name in sorted({*_ALIAS.findall(work.visible_code)}))
    said: set[str] = set()
    for match in re.finditer(_SCOPE.format(aliases), work.unit.code):
        name = match[1]
        if name not in said and name in _NAMES and work.unit.directive_at(match.start()) is None:
            said.add(name)
            yield _report(work, name, Span(match.start(1), match.end(1)))


def _report(work: Work, name: str, span: Span) -> Diagnostic:
    if name in _NEVER:
        message = f"cuda::std::{name} is of C++23 or later, and most standard libraries lack it"
        return work.report(span, "HP101", Severity.ERROR, message, "Write it out, or use AMD's libhipcxx.")
    message = f"cuda::std::{name} is of the standard library here, which has it since C++20"
    return work.report(span, "HP101", Severity.WARNING, message, "Compile as C++20, or use AMD's libhipcxx.")
