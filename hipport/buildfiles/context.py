"""Inputs for the translation of a build file besides the file itself."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hipport.buildfiles.tables import BuildTables
from hipport.mappings.choice import Flavour, Releases


class BuildContext(Struct, frozen=True):
    """Inputs for a rule besides the file itself.

    `targets`: what to build for instead of NVIDIA architectures that the file names. `renamed`: renamed sources (names
    without folder), old to new. `kept`: `.cu` files that keep their names. `libraries`: CUDA libraries that build files
    in the same folder or below link with. `support`: relative path from the folder of the file to the folder with
    hipport's own headers, None if translations include none. `link_keyword`: a file of the project sets
    CUDA_LINK_LIBRARIES_KEYWORD. `relocatable`: a file of a folder above turns relocatable device code on.
    `architectures`: variables of CMake files whose values become lists of architectures.
    `nvcc_variables`: variables of Makefiles that hold nvcc, and those with flags for it, if other Makefiles say so.
    `links_device_code`: a Makefile that belongs to this one compiles relocatable device code.
    `old_default`: hipcc defaults to C++11. `releases`: what the sources are translated for.
    """

    tables: BuildTables
    targets: tuple[str, ...]
    flavour: Flavour = "hip"
    renamed: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    libraries: tuple[str, ...] = ()
    support: str | None = None
    link_keyword: bool = False
    relocatable: bool = False
    architectures: frozenset[str] = frozenset()
    nvcc_variables: tuple[frozenset[str], frozenset[str]] | None = None
    links_device_code: bool = False
    old_default: bool = False
    releases: Releases | None = None
