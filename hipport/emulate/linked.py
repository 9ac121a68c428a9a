"""The build for AMD GPUs with the emulator in the program's library path."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from hipport.builds.amd.pipeline import Build
from hipport.builds.amd.pipeline import prepare as prepare_amd
from hipport.builds.request import BuildRequest
from hipport.builds.workspace import BuildResult
from hipport.emulate.library import TARGETS, folder_for, library_folder
from hipport.errors import UsageError
from hipport.toolchain.places import Surroundings


@dataclass(frozen=True, slots=True)
class EmulatedBuild(Build):
    def finish(self) -> BuildResult:
        """Build the emulator unless it is cached, and install the product."""
        library_folder(Surroundings(), lambda line: None)
        done = Build.finish(self)
        return replace(done, targets=tuple(f"{target} (emulated)" for target in done.targets))


def prepare(request: BuildRequest, where: Surroundings) -> EmulatedBuild:
    """Find everything a build needs, and plan it without writing anything. Raises `HipportError`."""
    unknown = [target for target in request.targets if target.split(":")[0] not in TARGETS]
    if unknown:
        raise UsageError(f"{unknown[0]} cannot be emulated", hint=f"Targets: {', '.join(TARGETS)}.")
    targets = request.targets or TARGETS[:1]
    settings = replace(request.settings, link=(*request.settings.link, *_library_path(folder_for(where))))
    planned = prepare_amd(replace(request, targets=targets, settings=settings), where)
    return EmulatedBuild(**{field.name: getattr(planned, field.name) for field in fields(planned)})


def _library_path(folder: Path) -> tuple[str, ...]:
    """Return the linker's flags; the path comes before LD_LIBRARY_PATH, which may name an installed HIP."""
    return (f"-Wl,-rpath,{folder}", "-Wl,--disable-new-dtags")
