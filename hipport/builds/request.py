"""The inputs of a build: request, settings, translation units."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hipport.mappings.choice import ANY, NameChoice
from hipport.toolchain.mpi import Mpi


class Language(str, enum.Enum):
    """The language of a translation unit, as spelled for the compiler's `-x`."""

    HIP = "hip"
    CXX = "c++"
    C = "c"


class OutputKind(str, enum.Enum):
    """The kind of output: a program, a shared or static library, or a bare fat binary for `hipModuleLoad`."""

    EXECUTABLE = "executable"
    SHARED = "shared"
    STATIC = "static"
    FAT_BINARY = "fat binary"


@dataclass(frozen=True, slots=True)
class CompileSettings:
    """Compile options, the same for every unit.

    `defines` are whole options (`-DX=1`, `-UX`) in order; `both` goes to all compile commands, `device`, `host` and
    `link` to the commands they name. `std` does not apply to C units. With `rdc`, units can call device functions of
    other units. `host_target` is the triple of the host to build for, empty for one like this machine.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "c++17"
    optimize: str = "3"
    debug: bool = False
    save_temps: bool = False
    both: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    rdc: bool = False
    host_target: str = ""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """A build as requested by the user; paths are as given, relative to the working folder.

    `targets` are names of GPU architectures as the backend returns them; `wave_size` (lanes) and `sanitizers` are for
    the CPU. `launcher` is a program such as ccache that prefixes compiles. The options of `mpi` are in the settings.
    `compress` compresses fat binaries.
    """

    sources: tuple[str, ...]
    output: str
    targets: tuple[str, ...] = ()
    kind: OutputKind = OutputKind.EXECUTABLE
    build_dir: str = ""
    settings: CompileSettings = CompileSettings()
    compiler: str | None = None
    jobs: int | None = None
    names: NameChoice = ANY
    launcher: str | None = None
    mpi: Mpi | None = None
    compress: bool = False
    wave_size: int | None = None
    sanitizers: tuple[str, ...] = ()
    lockstep: bool = False

    @property
    def folder(self) -> str:
        """The build folder, by default next to the output."""
        return self.build_dir or f"{self.output}.build"


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation unit.

    `name` is the source as the user named it, `path` what the compiler reads: the source or its translation. `key` is
    the unique name of the unit's folder in the build folder. `include_dirs` precede those of the settings;
    `last_dirs` come after all others.
    """

    name: str
    path: str
    key: str
    language: Language
    include_dirs: tuple[str, ...] = ()
    last_dirs: tuple[str, ...] = ()
