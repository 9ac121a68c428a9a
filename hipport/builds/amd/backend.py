"""AMD GPUs: hipcc or clang++ compile, clang-offload-bundler makes fat binaries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.errors import HipportError

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import Workspace
    from hipport.toolchain.places import Surroundings


class AmdBackend:
    """Implements `hipport.builds.backends.Backend`."""

    device = "AMD GPU"
    options = frozenset({"--compress", "--host-target"})

    def native(self, where: Surroundings) -> tuple[str, ...] | None:
        from hipport.toolchain.native import native_targets

        try:
            return tuple(native_targets(where))
        except HipportError:
            return None

    def targets(self, names: Sequence[str], where: Surroundings) -> tuple[str, ...]:
        from hipport.toolchain.native import resolve_native
        from hipport.toolchain.target_id import parse_list

        return tuple(map(str, parse_list(resolve_native(names, where)))) if names else ()

    def compiler(self, targets: Sequence[str], where: Surroundings, wanted: str | None) -> Path:
        from hipport.toolchain.choice import choose
        from hipport.toolchain.target_id import parse_list

        return choose(parse_list(targets), where, wanted).compiler.path

    def prepare(self, request: BuildRequest, where: Surroundings) -> Workspace:
        from hipport.builds.amd.pipeline import prepare

        return prepare(request, where)


BACKEND = AmdBackend()
