"""List the ROCm installations on a machine, without duplicates by links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.doctor.machine import major_minor, text_of
from hipport.toolchain.hip import header_version
from hipport.toolchain.places import Surroundings, rocm_roots

_RELEASE = re.compile(r"\d+\.\d+[\d.]*")


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation prefix and its ROCm release, as precise as known: 6.3.1, or 5.2.21153 from HIP's header."""

    root: Path
    version: str

    @property
    def release(self) -> str:
        """Major and minor: patch releases are compatible."""
        return major_minor(self.version)

    def __str__(self) -> str:
        return f"{self.version or 'unknown release'} ({self.root})"


def installations(where: Surroundings) -> tuple[Installation, ...]:
    """Return all installations in search order."""
    found: dict[Path, Installation] = {}
    for each in _all(where):
        found.setdefault(each.root.resolve(), each)
    return tuple(found.values())


def _all(where: Surroundings) -> Iterator[Installation]:
    for root in rocm_roots(where):
        for include in (root / "include", root / "hip/include"):
            if (include / "hip/hip_runtime.h").is_file():
                said = _RELEASE.match(text_of(root / ".info/version"))
                yield Installation(root, said[0] if said else header_version(include))
                break
