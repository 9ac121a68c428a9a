"""What a user asks of the mapping tables."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal

Flavour = Literal["hip", "roc"]


@dataclass(frozen=True, slots=True)
class NameChoice:
    """One choice of names.

    `rocm` is the release to translate for; without it the one `installed` on the machine, else the newest that the
    tables know. With `cuda`, only what that CUDA release has is taken for CUDA. `flavour` says whether hip libraries
    (hipBLAS) or roc libraries (rocBLAS) are written. `overlays` are YAML files with names of a project's own.
    """

    rocm: str | None = None
    cuda: str | None = None
    flavour: Flavour = "hip"
    overlays: tuple[str, ...] = ()
    installed: str | None = None


ANY = NameChoice()
"""Nothing asked for: hip libraries, for the newest release."""


class Origin(str, enum.Enum):
    """How the ROCm release of a run came about."""

    ASKED = "asked for"
    INSTALLED = "installed"
    NEWEST = "newest known"


@dataclass(frozen=True, slots=True)
class Releases:
    """The ROCm release that tables were resolved for, and the CUDA release of the sources if only one counts."""

    rocm: str
    origin: Origin
    cuda: str | None = None
