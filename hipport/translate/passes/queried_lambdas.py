"""`[=] __device__ (int i) {...}` in a file that asks whether callables can be called, or what they return.

Clang answers the host's question by the host's functions: no device lambda satisfies `std::invocable<F, int>` there,
where nvcc does not ask for the side. A lambda for both does; it is compiled for the host only where that calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_ASKING = frozenset(
    {
        "invocable",
        "regular_invocable",
        "predicate",
        "is_invocable",
        "is_invocable_v",
        "is_invocable_r",
        "is_invocable_r_v",
        "is_nothrow_invocable",
        "is_nothrow_invocable_v",
        "invoke_result",
        "invoke_result_t",
        "result_of",
        "result_of_t",
    }
)
_LAMBDA = re.compile(r"\]\s*(?P<side>__device__)\s*(?=[({<]|mutable\b|noexcept\b|->)")
WORDS = (_ASKING, frozenset({"__device__"}))


def run(work: Work) -> Iterator[Edit]:
    """Make device lambdas callable on both sides, but for files that are HIP already and compile as they are."""
    if is_hip(work):
        return
    for match in _LAMBDA.finditer(work.unit.code):
        if platform_at(work.unit, match.start()) is not Platform.NVIDIA:
            yield Replace(match.start("side"), match.start("side"), "__host__ ")
