"""What `codeobject.read` finds in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BinaryKind = Literal["executable", "shared library", "object", "archive", "fat binary", "code object"]
BundleFormat = Literal["plain", "compressed", "sections", "offload binary", "bare"]
Content = Literal["code object", "bitcode", "empty", "other"]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many waves of a kernel one SIMD (execution unit) can hold at the same time, and what limits it.

    `max_waves` is the hardware's own limit, the others are what each resource alone would allow. `by_workgroup` and
    `by_lds` are for the largest work-group that the kernel may be launched with: whole work-groups have to fit.
    """

    max_waves: int
    by_vgprs: int
    by_sgprs: int
    by_workgroup: int
    by_lds: int

    @property
    def waves(self) -> int:
        """Waves per SIMD."""
        return min(self.max_waves, self.by_vgprs, self.by_sgprs, self.by_workgroup, self.by_lds)

    @property
    def limited_by(self) -> str:
        """`VGPR`, `SGPR`, `WG` (work-group) or `LDS`, the first of them that sets the limit; empty at the maximum."""
        limits = {"VGPR": self.by_vgprs, "SGPR": self.by_sgprs, "WG": self.by_workgroup, "LDS": self.by_lds}
        waves = self.waves
        return "" if waves == self.max_waves else next(name for name, limit in limits.items() if limit == waves)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel of a code object, from its metadata note. Sizes are bytes, registers are counted per lane.

    `vgprs` counts what the register file has to hold: on targets where accumulation registers are part of it
    (gfx90a and later CDNA) it includes `agprs`. `agprs` is None where the metadata has no such field. `lds` is what
    is known at compile time; what a launch adds (`extern __shared__`) is not in the file. `scratch` is a lower bound
    when `dynamic_stack`. `occupancy` is None for a target whose limits are not known here.
    """

    name: str
    symbol: str
    vgprs: int
    agprs: int | None
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds: int
    scratch: int
    dynamic_stack: bool
    wavefront_size: int
    max_workgroup_size: int
    kernarg_size: int
    occupancy: Occupancy | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a bundle: what is there for one target.

    `id` is the bundle entry ID as written and `kind` its offload kind (`host`, `hip`, `hipv4`, `openmp`, empty for a
    bare code object); `triple` has no trailing dashes. `offset` counts from the start of the file, in a compressed
    bundle from the start of what was decompressed. `warnings` are contradictions that the file itself shows.
    """

    id: str
    kind: str
    triple: str
    target_id: str
    content: Content
    offset: int
    size: int
    code_object_version: int | None
    kernels: tuple[Kernel, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Entries that belong together.

    `format` says how they are held: a `plain` or `compressed` offload bundle, `sections` of an object (one per entry),
    an `offload binary` of LLVM's newer driver, or `bare` for a code object that is in no bundle. `offset` and `size`
    are the extent in the file. `compression` (zlib, zstd), `version` and `uncompressed_size` are those of a compressed
    bundle's header, None otherwise. `member` is the name in an archive, `section` that in the host ELF file.
    """

    format: BundleFormat
    offset: int
    size: int
    entries: tuple[Entry, ...]
    compression: str | None = None
    version: int | None = None
    uncompressed_size: int | None = None
    member: str | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class MissingKernel:
    """A kernel that the host code registers and a code object, for `target_id`, does not have.

    `elsewhere`: a code object for another target has it. `instead` are kernels that it has and the
    host code does not register, usually the same template with other arguments.
    """

    name: str
    target_id: str
    elsewhere: bool
    instead: tuple[str, ...]

    @property
    def is_error(self) -> bool:
        """Whether host and device compile disagree on its name, rather than leave it out for this target."""
        return bool(self.instead) or not self.elsewhere


@dataclass(frozen=True, slots=True)
class HostPart:
    """Host code that registers kernels: a file, or a `member` of an archive.

    `registered` are names of kernels. `unchecked` says why there may be more of them, empty if these are all.
    """

    registered: tuple[str, ...]
    missing: tuple[MissingKernel, ...]
    unchecked: str
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Binary:
    """A file, the GPU code in it, and the host code that registers its kernels; no bundles: it holds no GPU code."""

    path: Path
    kind: BinaryKind
    bundles: tuple[Bundle, ...]
    hosts: tuple[HostPart, ...] = ()
