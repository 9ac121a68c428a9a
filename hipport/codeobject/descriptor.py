"""The kernel descriptor: the 64 bytes at `<kernel>.kd` that the packet processor reads at each launch.

Source: "Kernel Descriptor" in LLVM's AMDGPUUsage. The metadata note has the registers that the compiler counted, the
descriptor those that the hardware allocates, which are more when `amdgpu_waves_per_eu` asks for fewer waves.
"""

from __future__ import annotations

from dataclasses import dataclass

from hipport.codeobject.region import Region

_SIZE = 64
_PGM_RSRC1 = 48
_WGP_MODE_BIT = 29


@dataclass(frozen=True, slots=True)
class Descriptor:
    """`vgpr_blocks` is the granulated VGPR count plus one; `wgp_mode` only applies to gfx10 and later."""

    vgpr_blocks: int
    wgp_mode: bool


def read_descriptor(region: Region, offset: int) -> Descriptor:
    """Read the descriptor at `offset` in its section."""
    body = region.sub(offset, _SIZE, "kernel descriptor")
    (resources,) = body.unpack("<I", _PGM_RSRC1, "kernel descriptor")
    return Descriptor((resources & 0x3F) + 1, bool(resources >> _WGP_MODE_BIT & 1))
