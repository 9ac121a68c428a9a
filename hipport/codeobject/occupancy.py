"""Compute how many waves of a kernel fit on a SIMD, by the rules of LLVM's AMDGPU back end.

Sources: LLVM's `AMDGPUBaseInfo.cpp` (namespace IsaInfo: getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule,
getOccupancyWithNumSGPRs, getMaxWorkGroupsPerCU, getLocalMemorySize, getEUsPerCU) and `AMDGPUSubtarget.cpp`
(getOccupancyWithLocalMemSize, as of LLVM 19: LLVM 15 did not divide by the SIMDs of a compute unit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hipport.codeobject.model import Occupancy

_KIB: Final = 1024

# (maximum SGPRs, waves per SIMD that they allow), in order; None as the maximum is "and everything above".
_SgprSteps = tuple[tuple[int | None, int], ...]
_SGPRS_GFX6: Final[_SgprSteps] = ((48, 10), (56, 9), (64, 8), (72, 7), (80, 6), (None, 5))
_SGPRS_GFX8: Final[_SgprSteps] = ((80, 10), (88, 9), (100, 8), (None, 7))
_SGPRS_FIXED: Final[_SgprSteps] = ()  # every wave has all of them


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources of a compute unit of a processor. VGPR numbers are for wave64; wave32 has twice as many of each."""

    max_waves: int
    vgprs: int
    vgpr_granule: int
    sgpr_steps: _SgprSteps
    lds: int = 64 * _KIB
    unified_vgprs: bool = False
    """gfx90a and later CDNA: one register file for VGPRs and AGPRs."""
    pairs_units: bool = False
    """gfx10 and later: two compute units of two SIMDs can work as one (WGP mode), with the LDS of both."""


_GFX6 = Limits(10, 256, 4, _SGPRS_GFX6, lds=32 * _KIB)
_GFX7 = Limits(10, 256, 4, _SGPRS_GFX6)
_GFX9 = Limits(10, 256, 4, _SGPRS_GFX8)
_GFX90A = Limits(8, 512, 8, _SGPRS_GFX8, unified_vgprs=True)
_GFX950 = Limits(8, 512, 8, _SGPRS_GFX8, lds=160 * _KIB, unified_vgprs=True)
_GFX10_1 = Limits(20, 512, 4, _SGPRS_FIXED, pairs_units=True)
_GFX10_3 = Limits(16, 512, 8, _SGPRS_FIXED, pairs_units=True)
_GFX11_LARGE = Limits(16, 768, 12, _SGPRS_FIXED, pairs_units=True)

# The longest matching prefix of the processor's name applies. gfx12.5 and gfx13 are left out on purpose, to show no
# occupancy rather than a guess.
LIMITS: Final = {
    "gfx6": _GFX6,
    "gfx7": _GFX7,
    "gfx8": _GFX9,
    "gfx9": _GFX9,
    "gfx90a": _GFX90A,
    "gfx94": _GFX90A,
    "gfx9-4-generic": _GFX90A,
    "gfx950": _GFX950,
    "gfx101": _GFX10_1,
    "gfx10-1-generic": _GFX10_1,
    "gfx103": _GFX10_3,
    "gfx10-3-generic": _GFX10_3,
    "gfx110": _GFX10_3,
    "gfx115": _GFX10_3,
    "gfx11-generic": _GFX10_3,
    "gfx1100": _GFX11_LARGE,
    "gfx1101": _GFX11_LARGE,
    "gfx1151": _GFX11_LARGE,
    "gfx120": _GFX11_LARGE,
    "gfx12-generic": _GFX11_LARGE,
}


@dataclass(frozen=True, slots=True)
class Demand:
    """The resources of one kernel: registers per lane, static LDS in bytes, the largest work-group, its wave size."""

    vgprs: int
    sgprs: int
    lds: int
    workgroup_size: int
    wavefront_size: int
    wgp_mode: bool


def limits_of(processor: str) -> Limits | None:
    """Return the limits of a processor such as `gfx90a`, None if they are unknown."""
    fitting = (prefix for prefix in LIMITS if processor.startswith(prefix))
    longest = max(fitting, key=len, default=None)
    return None if longest is None else LIMITS[longest]


def occupancy(processor: str, demand: Demand) -> Occupancy | None:
    """Return the occupancy of a kernel on `processor`, None if the processor's limits are unknown."""
    limits = limits_of(processor)
    if limits is None:
        return None
    return Occupancy(
        max_waves=limits.max_waves,
        by_vgprs=_by_vgprs(limits, demand),
        by_sgprs=_by_sgprs(limits, demand),
        by_workgroup=_by_groups(limits, demand, lds=0),
        by_lds=_by_groups(limits, demand, lds=demand.lds),
    )


def _by_vgprs(limits: Limits, demand: Demand) -> int:
    lanes = 64 // demand.wavefront_size
    granule = limits.vgpr_granule * lanes
    allocated = max(granule, _ceil_div(demand.vgprs, granule) * granule)
    return min(limits.max_waves, max(1, limits.vgprs * lanes // allocated))


def _by_sgprs(limits: Limits, demand: Demand) -> int:
    for most, waves in limits.sgpr_steps:
        if most is None or demand.sgprs <= most:
            return min(waves, limits.max_waves)
    return limits.max_waves


def _by_groups(limits: Limits, demand: Demand, lds: int) -> int:
    """Return the waves per SIMD if whole work-groups share a compute unit (or pair): LDS, wave slots and barriers."""
    paired = limits.pairs_units and demand.wgp_mode
    simds = 2 if limits.pairs_units and not paired else 4
    waves_per_group = max(1, _ceil_div(demand.workgroup_size, demand.wavefront_size))
    groups = limits.max_waves * simds // waves_per_group
    if waves_per_group > 1:  # a work-group of one wave needs no barrier
        groups = min(groups, 32 if paired else 16)
    groups = min(groups, limits.lds * (2 if paired else 1) // max(1, lds))
    return min(limits.max_waves, max(1, _ceil_div(groups * waves_per_group, simds)))


def _ceil_div(value: int, by: int) -> int:
    return -(-value // by)


def encoded_vgprs(processor: str, wavefront_size: int, blocks: int) -> int:
    """Return the VGPRs in `blocks` blocks of a kernel descriptor (IsaInfo::getVGPREncodingGranule), 0 if unknown."""
    limits = limits_of(processor)
    if limits is None:
        return 0
    return blocks * (8 if limits.unified_vgprs else 4 * (64 // wavefront_size))
