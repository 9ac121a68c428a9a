"""The kernel descriptor: the 64 bytes at `<kernel>.kd` that the packet processor reads at each launch.

Source: "Kernel Descriptor" in LLVM's AMDGPUUsage. The metadata note says what the compiler counted, the descriptor what
the hardware allocates, which is more when `amdgpu_waves_per_eu` asks for fewer waves.
"""

from __future__ import annotations

from dataclasses import dataclass

from hipport.codeobject.region import Region

_SIZE = 64
_PGM_RSRC1 = 48
_WGP_MODE_BIT = 29


@dataclass(frozen=True, slots=True)
class Descriptor:
    """`vgpr_blocks` is the granulated VGPR count plus one; `wgp_mode` counts on gfx10 and later only."""

    vgpr_blocks: int
    wgp_mode: bool


def read_descriptor(region: Region, offset: int) -> Descriptor:
    """The descriptor at `offset` of the section that holds it."""
    body = region.sub(offset, _SIZE, "kernel descriptor")
    (resources,) = body.unpack("<I", _PGM_RSRC1, "kernel descriptor")
    return Descriptor((resources & 0x3F) + 1, bool(resources >> _WGP_MODE_BIT & 1))
