"""The results of `codeobject.read`."""

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

    `max_waves` is the hardware limit, the others are what each resource alone would allow. `by_workgroup` and
    `by_lds` are for the largest work-group that the kernel may be launched with: whole work-groups have to fit.
    """

    max_waves: int
    by_vgprs: int
    by_sgprs: int
    by_workgroup: int
    by_lds: int

    @property
    def waves(self) -> int:
        return min(self.max_waves, self.by_vgprs, self.by_sgprs, self.by_workgroup, self.by_lds)

    @property
    def limited_by(self) -> str:
        """The first limiting resource: `VGPR`, `SGPR`, `WG` (work-group) or `LDS`; empty at the maximum."""
        limits = {"VGPR": self.by_vgprs, "SGPR": self.by_sgprs, "WG": self.by_workgroup, "LDS": self.by_lds}
        waves = self.waves
        return "" if waves == self.max_waves else next(name for name, limit in limits.items() if limit == waves)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel of a code object, from its metadata note. Sizes are in bytes, registers are counted per lane.

    `vgprs` is what the register file has to hold: on targets where accumulation registers are part of it (gfx90a and
    later CDNA) it includes `agprs`. `agprs` is None if the metadata has no such field. `lds` is the size known at
    compile time; dynamic shared memory (`extern __shared__`) is not in the file. `scratch` is a lower bound if
    `dynamic_stack`. `occupancy` is None for a target with unknown limits.
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
class BundleEntry:
    """One entry of a bundle: the code for one target.

    `id` is the bundle entry ID as written and `kind` its offload kind (`host`, `hip`, `hipv4`, `openmp`, empty for a
    bare code object); `triple` has no trailing dashes. `offset` is relative to the start of the file or, in a
    compressed bundle, of the decompressed data. `warnings` are contradictions within the file.
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

    `format` is their container: a `plain` or `compressed` offload bundle, `sections` of an object (one per entry), an
    `offload binary` of LLVM's newer driver, or `bare` for a code object that is not in a bundle. `offset` and `size`
    are the extent in the file. `compression` (zlib, zstd), `version` and `uncompressed_size` are those of a
    compressed bundle's header, None otherwise. `member` is the name in an archive, `section` that in the host ELF
    file.
    """

    format: BundleFormat
    offset: int
    size: int
    entries: tuple[BundleEntry, ...]
    compression: str | None = None
    version: int | None = None
    uncompressed_size: int | None = None
    member: str | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class MissingKernel:
    """A kernel that the host code registers and that is missing from the code object for `target_id`.

    `elsewhere` is set if a code object for another target has it. `instead` are kernels that this code object has and
    the host code does not register, usually the same template with other arguments.
    """

    name: str
    target_id: str
    elsewhere: bool
    instead: tuple[str, ...]

    @property
    def is_error(self) -> bool:
        """True if host and device compile disagree on its name, rather than leave it out for this target."""
        return bool(self.instead) or not self.elsewhere


@dataclass(frozen=True, slots=True)
class HostPart:
    """Host code that registers kernels: a file, or a `member` of an archive.

    `registered` are names of kernels. `unchecked` is why the list may be incomplete, empty if it is complete.
    """

    registered: tuple[str, ...]
    missing: tuple[MissingKernel, ...]
    unchecked: str
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Binary:
    """A file, the GPU code in it (no bundles if there is none), and the host code that registers its kernels."""

    path: Path
    kind: BinaryKind
    bundles: tuple[Bundle, ...]
    hosts: tuple[HostPart, ...] = ()
