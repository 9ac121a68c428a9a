"""Building for another host: the cross compiler's libraries, its `ar`, and the runtime to link with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.builds.amd.runtime_stub import exports, find_runtime, with_stub
from hipport.builds.gather import with_rdc
from hipport.builds.plan import BuildPlan
from hipport.builds.request import BuildRequest, OutputKind
from hipport.errors import HipportError
from hipport.toolchain.hip import LIBRARY, Hip
from hipport.toolchain.hosts import HOSTS, CrossTools, cross_tools
from hipport.toolchain.places import Surroundings


@dataclass(frozen=True, slots=True)
class OtherHost:
    """The tools for a host; `library` is the folder of its HIP runtime, or of the `stub` that replaces it."""

    tools: CrossTools
    library: Path
    stub: bool

    def prepared(self, plan: BuildPlan, hip: Hip, clang: Path) -> BuildPlan:
        """Return the plan with the stub runtime added if the link needs it."""
        if not self.stub:
            return plan
        return with_stub(plan, exports(hip.library / LIBRARY), clang, self.tools.host, str(self.library))

    def notes(self) -> Iterator[str]:
        """Yield notes on decisions made for the user."""
        if self.stub:
            yield f"no {LIBRARY} for {self.tools.host.triple} installed: linking with a stub of it"


def other_host(request: BuildRequest, where: Surroundings) -> OtherHost | None:
    """Return the tools for a build's host, or None if that is this machine.

    Raises `HipportError` if a tool is missing.
    """
    if not request.settings.host_target:
        return None
    _refuse_rdc(request)
    tools = cross_tools(HOSTS[request.settings.host_target], where)
    folders = tuple(flag[2:] for flag in request.settings.link if flag.startswith("-L"))
    library = find_runtime(tools.host, folders, where)
    stub = library is None and request.kind in (OutputKind.EXECUTABLE, OutputKind.SHARED)
    return OtherHost(tools, library or Path(request.folder) / "runtime", stub)


def _refuse_rdc(request: BuildRequest) -> None:
    """Reject -fgpu-rdc for RISC-V.

    clang embeds linked device code with an assembler that is not told the calling convention of a RISC-V host.
    """
    if request.settings.host_target.startswith("riscv") and with_rdc(request.settings).rdc:
        raise HipportError(
            f"-fgpu-rdc is not supported for {request.settings.host_target}",
            hint="Define device functions in the unit that calls them, for example in a header.",
        )
