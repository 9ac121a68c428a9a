"""The CPU: g++ or clang++ compile HIP as standard C++, against headers that run kernels on threads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import Workspace
    from hipport.toolchain.places import Surroundings


class CpuBackend:
    """Implements `hipport.builds.backends.Backend`; its targets are gfx targets whose wavefronts are imitated."""

    device = "CPU"
    options = frozenset({"--host-target", "--wave-size", "--sanitize", "--lockstep"})

    def native(self, where: Surroundings) -> tuple[str, ...] | None:
        return ()

    def targets(self, names: Sequence[str], where: Surroundings) -> tuple[str, ...]:
        from hipport.builds.amd.backend import BACKEND as AMD

        return AMD.targets(names, where)

    def compiler(self, targets: Sequence[str], where: Surroundings, wanted: str | None) -> Path:
        from hipport.builds.cpu.compiler import find_compiler

        return find_compiler(where, wanted).path

    def prepare(self, request: BuildRequest, where: Surroundings) -> Workspace:
        from hipport.builds.cpu.pipeline import prepare

        return prepare(request, where)


BACKEND = CpuBackend()
