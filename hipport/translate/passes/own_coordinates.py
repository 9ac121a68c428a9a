"""A project's own `extern const dim3 blockDim;`, for an editor or for host code, which HIP declares by another type.

CUDA's built-in variables are unknown to its host compilers, so sources declare them for these. HIP declares its own for
both sides, by types of its own, and any other declaration is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Span
from hipport.translate.passes.coordinates import NAMES
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.guarding import guard
from hipport.translate.syntax.declarations import at_file_scope
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_WARP_SIZE = "warpSize"
_WORDS = r"(?:(?:const|__device__|__host__|__device_builtin__|__constant__|[A-Z][A-Z0-9_]+)\s+)*"
_DECLARED = re.compile(
    rf"\bextern\s+(?:\"C\"\s+)?{_WORDS}(?:(?:dim3|uint3)\s+(?:const\s+)?(?:{'|'.join(sorted(NAMES))})"
    rf"|int\s+(?:const\s+)?{_WARP_SIZE})\s*;"
)
WORDS = (frozenset({"extern"}), NAMES | {_WARP_SIZE})


def run(work: Work) -> Iterator[Edit]:
    """Exclude such declarations for AMD."""
    unit = work.unit
    if is_hip(work):
        return
    found = (Span(match.start(), match.end()) for match in _DECLARED.finditer(unit.code))
    seen = (span for span in found if platform_at(unit, span.start) is not Platform.NVIDIA)
    own = [span for span in seen if unit.directive_at(span.start) is None and at_file_scope(unit, span.start)]
    yield from guard(unit, own, "HIP has its own")
