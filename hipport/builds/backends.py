"""The backends: what `hipport build` can build for. Each is a package with a module `backend`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, get_args

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import Workspace
    from hipport.toolchain.places import Surroundings

BackendName = Literal["amd", "nvidia", "cpu"]
"""In the order in which a machine is asked for a device to run on."""
NAMES: tuple[BackendName, ...] = get_args(BackendName)
BuildName = Literal["amd", "nvidia", "cpu", "emulated"]
"""With the build for AMD GPUs whose programs run emulated, which no machine has as a device."""
BUILD_NAMES: tuple[BuildName, ...] = get_args(BuildName)


class Backend(Protocol):
    """Builds programs for one kind of device."""

    device: str
    """The kind of device in messages: "AMD GPU"."""
    options: frozenset[str]
    """The command-line options that this backend takes and others do not."""

    def native(self, where: Surroundings) -> tuple[str, ...] | None:
        """Return the architectures of this machine's devices; None if it has no such device."""

    def targets(self, names: Sequence[str], where: Surroundings) -> tuple[str, ...]:
        """Return the architectures named by `--offload-arch`, by their canonical names and with `native` resolved.

        Raises `UsageError` for an unknown one, `HipportError` if `native` names none.
        """

    def compiler(self, targets: Sequence[str], where: Surroundings, wanted: str | None) -> Path:
        """Return the compiler that a build would use, by which builds are told apart. Raises `HipportError`."""

    def prepare(self, request: BuildRequest, where: Surroundings) -> Workspace:
        """Find the tools, translate, and plan; nothing is written. The result runs and finishes the build.

        Raises `HipportError`.
        """


def backend(name: BuildName) -> Backend:
    """Return a backend by its name."""
    package = "hipport.emulate" if name == "emulated" else f"hipport.builds.{name}"
    found: Backend = importlib.import_module(f"{package}.backend").BACKEND
    return found


def taking(option: str) -> tuple[BackendName, ...]:
    """Return the backends that take an option."""
    return tuple(name for name in NAMES if option in backend(name).options)
