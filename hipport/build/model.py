"""What a build is told and what it is made of."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hipport.mappings.choice import ANY, NameChoice
from hipport.toolchain.mpi import Mpi
from hipport.toolchain.target_id import TargetID


class Language(str, enum.Enum):
    """The language of a translation unit, as the compiler's `-x` spells it."""

    HIP = "hip"
    CXX = "c++"
    C = "c"


class OutputKind(str, enum.Enum):
    """What comes out: a program, a shared or static library, or a bare fat binary for `hipModuleLoad`."""

    EXECUTABLE = "executable"
    SHARED = "shared"
    STATIC = "static"
    FAT_BINARY = "fat binary"


@dataclass(frozen=True, slots=True)
class Settings:
    """Compile options, the same for every unit.

    `defines` are whole options (`-DX=1`, `-UX`) in order; `both` goes to all compile commands, `device`, `host` and
    `link` to the commands they name. `std` is left out of C units. `rdc`: units can call device functions of
    others. `host_target` is the triple of the machine that it is for, empty for one like this.
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
class Request:
    """A build as the user asked for it; paths as the user wrote them, relative to the working folder.

    `launcher` is a program such as ccache that goes in front of compiles. The options of `mpi` are in the settings.
    `compress`: fat binaries are compressed.
    """

    sources: tuple[str, ...]
    output: str
    targets: tuple[TargetID, ...]
    kind: OutputKind = OutputKind.EXECUTABLE
    build_dir: str = ""
    settings: Settings = Settings()
    compiler: str | None = None
    jobs: int | None = None
    names: NameChoice = ANY
    launcher: str | None = None
    mpi: Mpi | None = None
    compress: bool = False

    @property
    def folder(self) -> str:
        """The build folder: beside the output unless one was named."""
        return self.build_dir or f"{self.output}.build"


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation unit.

    `name` is the source as the user named it, `path` what the compiler reads: the source or its translation.
    `key` names the unit's folder in the build folder, no two units have the same. `include_dirs` come before those
    of the settings, `last_dirs` after all others.
    """

    name: str
    path: str
    key: str
    language: Language
    include_dirs: tuple[str, ...] = ()
    last_dirs: tuple[str, ...] = ()
