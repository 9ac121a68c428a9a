"""What the translation of a build file depends on besides the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hipport.buildfiles.tables import BuildTables
from hipport.mappings.choice import Flavour


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a rule may know besides the file itself.

    `targets`: what is built for where the file names NVIDIA architectures. `renamed`: sources (names without folder)
    that get another name, old to new. `kept`: `.cu` files that keep theirs. `libraries`: CUDA libraries that build
    files in the same folder or below link with. `support`: the way from the folder of the file to that with hipport's
    own headers, None where translations include none. `old_default`: hipcc takes C++11 where nothing is said.
    """

    tables: BuildTables
    targets: tuple[str, ...]
    flavour: Flavour = "hip"
    renamed: Mapping[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    libraries: tuple[str, ...] = ()
    support: str | None = None
    old_default: bool = False
