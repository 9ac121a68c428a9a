"""NVIDIA GPUs: nvcc compiles HIP through headers that map its names to CUDA's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import Workspace
    from hipport.toolchain.places import Surroundings


class NvidiaBackend:
    """Implements `hipport.builds.backends.Backend`."""

    device = "NVIDIA GPU"
    options = frozenset[str]()

    def native(self, where: Surroundings) -> tuple[str, ...] | None:
        from hipport.builds.nvidia.targets import native_targets

        return tuple(map(str, native_targets(where))) or None

    def targets(self, names: Sequence[str], where: Surroundings) -> tuple[str, ...]:
        from hipport.builds.nvidia.targets import chosen_targets

        return tuple(map(str, chosen_targets(names, where))) if names else ()

    def compiler(self, targets: Sequence[str], where: Surroundings, wanted: str | None) -> Path:
        from hipport.toolchain.cuda import find_cuda

        return find_cuda(where, wanted).nvcc

    def prepare(self, request: BuildRequest, where: Surroundings) -> Workspace:
        from hipport.builds.nvidia.pipeline import prepare

        return prepare(request, where)


BACKEND = NvidiaBackend()
