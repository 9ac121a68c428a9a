"""The emulator: what the build for AMD GPUs makes, with the emulator as its HIP library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hipport.builds.amd.backend import AmdBackend

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import Workspace
    from hipport.toolchain.places import Surroundings


class EmulatedBackend(AmdBackend):
    """Implements `hipport.builds.backends.Backend`; its targets are the gfx targets that can be emulated."""

    device = "emulated AMD GPU"
    options = frozenset({"--compress"})

    def native(self, where: Surroundings) -> tuple[str, ...] | None:
        return None

    def prepare(self, request: BuildRequest, where: Surroundings) -> Workspace:
        from hipport.emulate.linked import prepare

        return prepare(request, where)


BACKEND = EmulatedBackend()
