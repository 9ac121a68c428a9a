"""Decode the GPU from an AMDGPU ELF header.

Sources: `EF_AMDGPU_*` in LLVM's `BinaryFormat/ELF.h` and the tables "AMDGPU ELF Header" of LLVM's AMDGPUUsage.
"""

from __future__ import annotations

from dataclasses import dataclass

# EF_AMDGPU_MACH: the lowest byte of e_flags. Releases after LLVM 19 reserve 0x40 and 0x4b again, which were gfx940
# and gfx941.
PROCESSORS = {
    0x20: "gfx600",
    0x21: "gfx601",
    0x22: "gfx700",
    0x23: "gfx701",
    0x24: "gfx702",
    0x25: "gfx703",
    0x26: "gfx704",
    0x28: "gfx801",
    0x29: "gfx802",
    0x2A: "gfx803",
    0x2B: "gfx810",
    0x2C: "gfx900",
    0x2D: "gfx902",
    0x2E: "gfx904",
    0x2F: "gfx906",
    0x30: "gfx908",
    0x31: "gfx909",
    0x32: "gfx90c",
    0x33: "gfx1010",
    0x34: "gfx1011",
    0x35: "gfx1012",
    0x36: "gfx1030",
    0x37: "gfx1031",
    0x38: "gfx1032",
    0x39: "gfx1033",
    0x3A: "gfx602",
    0x3B: "gfx705",
    0x3C: "gfx805",
    0x3D: "gfx1035",
    0x3E: "gfx1034",
    0x3F: "gfx90a",
    0x40: "gfx940",
    0x41: "gfx1100",
    0x42: "gfx1013",
    0x43: "gfx1150",
    0x44: "gfx1103",
    0x45: "gfx1036",
    0x46: "gfx1101",
    0x47: "gfx1102",
    0x48: "gfx1200",
    0x49: "gfx1250",
    0x4A: "gfx1151",
    0x4B: "gfx941",
    0x4C: "gfx942",
    0x4E: "gfx1201",
    0x4F: "gfx950",
    0x50: "gfx1310",
    0x51: "gfx9-generic",
    0x52: "gfx10-1-generic",
    0x53: "gfx10-3-generic",
    0x54: "gfx11-generic",
    0x55: "gfx1152",
    0x58: "gfx1153",
    0x59: "gfx12-generic",
    0x5A: "gfx1251",
    0x5B: "gfx12-5-generic",
    0x5C: "gfx1172",
    0x5D: "gfx1170",
    0x5E: "gfx1171",
    0x5F: "gfx9-4-generic",
}

# e_ident[EI_ABIVERSION] of ELFOSABI_AMDGPU_HSA files: code object version.
CODE_OBJECT_VERSIONS = {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}

# From code object version 4 on each feature has two bits: 0 unsupported, 1 any, 2 off, 3 on.
_FEATURE_SHIFTS = {"sramecc": 10, "xnack": 8}
_FEATURE_SIGNS = {2: "-", 3: "+"}


@dataclass(frozen=True, slots=True)
class TargetID:
    """A processor and its features that are set explicitly: `{"xnack": "+"}`."""

    processor: str
    features: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ":".join((self.processor, *(name + sign for name, sign in self.features)))

    @classmethod
    def parse(cls, text: str) -> TargetID:
        """Parse a target ID such as `gfx90a:sramecc+:xnack-`, sorting its features into canonical order."""
        processor, *features = text.split(":")
        return cls(processor, tuple(sorted((feature[:-1], feature[-1:]) for feature in features)))


def from_elf_flags(flags: int, version: int | None) -> TargetID:
    """Return the target ID in the `e_flags` of a code object of this version."""
    mach = flags & 0xFF
    processor = PROCESSORS.get(mach, f"unknown-{mach:#04x}")
    if version is None or version < 4:
        # Before version 4 a cleared bit may mean off or unsupported; the flags alone do not tell.
        return TargetID(processor)
    settings = ((name, _FEATURE_SIGNS.get(flags >> shift & 3)) for name, shift in _FEATURE_SHIFTS.items())
    return TargetID(processor, tuple((name, sign) for name, sign in settings if sign))
