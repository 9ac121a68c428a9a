"""Sources that are translated in a build for an NVIDIA GPU."""

from __future__ import annotations

from pathlib import Path

from hipport.builds.gather import translator
from hipport.mappings.choice import ANY
from hipport.translate.convert import convert_source

SOURCE = b"""#define FULL 0xffffffffu
__device__ int sum(int value, unsigned some) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(FULL, value, step);
  return __shfl_sync(some, value, 0) + __popc(__ballot_sync(some, value)) + __shfl_xor(value, 1);
}
__device__ int whole(int value) { return __popc(__ballot_sync(FULL, value < warpSize)); }
"""


def translated(*, lane_masks: bool) -> str:
    made = translator(ANY, "7.2", Path("cache"), lane_masks=lane_masks)
    return convert_source(SOURCE, "sum.cu", made.context).data.decode()


def test_shuffles_and_votes_of_full_masks_keep_them() -> None:
    kept = translated(lane_masks=True)
    assert "__shfl_down_sync(FULL, value, step)" in kept
    assert "__shfl_sync(some, value, 0)" in kept
    assert "__ballot_sync(FULL, value < warpSize)" in kept


def test_what_else_there_is_becomes_what_it_becomes_for_amd() -> None:
    kept, dropped = translated(lane_masks=True), translated(lane_masks=False)
    for shared in ("hipport::warp32::ballot(some, value)", "__shfl_xor(value, 1, 32)"):
        assert shared in kept and shared in dropped
    assert "_sync" not in dropped
