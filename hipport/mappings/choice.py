"""Options that select names in the mapping tables."""

from __future__ import annotations

import enum
from typing import Literal

from msgspec import Struct

Flavour = Literal["hip", "roc"]


class NameChoice(Struct, frozen=True):
    """A selection of names.

    `rocm` is the release to translate for; by default the one `installed` on the machine, else the newest that the
    tables know. With `cuda`, only names that this CUDA release has count as CUDA. `flavour` selects hip libraries
    (hipBLAS) or roc libraries (rocBLAS). `overlays` are YAML files with a project's own names. `torch` is the release
    of PyTorch that extensions are for; by default `installed_torch`, else the newest.
    """

    rocm: str | None = None
    cuda: str | None = None
    flavour: Flavour = "hip"
    overlays: tuple[str, ...] = ()
    installed: str | None = None
    torch: str | None = None
    installed_torch: str | None = None


ANY = NameChoice()
"""The default choice: hip libraries, for the newest release."""


class Origin(str, enum.Enum):
    """How the ROCm release of a run was determined."""

    ASKED = "asked for"
    INSTALLED = "installed"
    NEWEST = "newest known"


class Releases(Struct, frozen=True):
    """The ROCm release that tables were resolved for, and the CUDA release of the sources if only one counts.

    `torch` is the release of PyTorch for extensions, None for tables that know no release of it.
    """

    rocm: str
    origin: Origin
    cuda: str | None = None
    torch: str | None = None
    torch_origin: Origin = Origin.NEWEST
