"""The build for NVIDIA GPUs from start to finish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.builds.adjust import adjusted
from hipport.builds.flags import for_nvidia, names_architectures
from hipport.builds.gather import cache_folder, gather, inputs, translator
from hipport.builds.nvidia.commands import NvidiaPlanner
from hipport.builds.nvidia.explain import explain
from hipport.builds.nvidia.fatbin import architectures
from hipport.builds.nvidia.headers import header_files
from hipport.builds.nvidia.targets import NvidiaTarget, chosen_targets
from hipport.builds.prepare import install
from hipport.builds.request import BuildRequest
from hipport.builds.workspace import BuildResult, Workspace
from hipport.errors import HipportError
from hipport.mappings.loader import load_libraries
from hipport.project.translate import Converter
from hipport.toolchain.cuda import Cuda, find_cuda
from hipport.toolchain.places import Surroundings
from hipport.translate.convert import convert_source

_NEWEST = ""
"""Sources are translated for the newest HIP release in the tables: CUDA has everything that release has."""


@dataclass(frozen=True, slots=True)
class NvidiaBuild(Workspace):
    cuda: Cuda
    targets: tuple[NvidiaTarget, ...]

    def tools_used(self) -> Iterator[str]:
        """Yield the compiler."""
        yield f"compiler: {self.cuda}"

    def explain(self, text: str) -> Iterator[str]:
        """Explain names that nvcc does not know, using the tables."""
        return explain(text, self.cuda.release)

    def finish(self) -> BuildResult:
        """Install the product and read its architectures back. Raises `HipportError` if a target is missing."""
        output = Path(self.request.output)
        fresh = install(Path(self.plan.product), output)
        found = architectures(output)
        # The suffix of a variant (sm_90a) is not stored in the entry of a fat binary.
        wanted = {f"{'compute' if target.ptx else 'sm'}_{target.number}": str(target) for target in self.targets}
        if lacking := [target for name, target in wanted.items() if found and name not in found]:
            raise HipportError(f"{output} lacks code for {', '.join(lacking)}")
        return BuildResult(output, output.stat().st_size, tuple(found), fresh)


def prepare(request: BuildRequest, where: Surroundings, convert: Converter = convert_source) -> NvidiaBuild:
    """Find everything a build needs, and plan it without writing anything. Raises `HipportError`.

    Without targets it is built for this machine's GPUs, unless the flags name others.
    """
    by_flags = not request.targets and names_architectures(request.settings)
    targets = () if by_flags else chosen_targets(request.targets, where)
    flags = for_nvidia(request.settings, named=bool(targets))
    request = replace(request, settings=flags.settings)
    named = inputs(request)
    cuda = find_cuda(where, request.compiler)
    cache = cache_folder(request)
    translating = translator(request.names, _NEWEST, cache, convert=convert, lane_masks=True, jobs=request.jobs)
    found = gather(request, named, translating)
    headers = header_files(load_libraries())
    planner = NvidiaPlanner(cuda.nvcc, found.settings, targets, request.folder, request.kind, headers, named.objects)
    plan = adjusted(planner.plan(found.units), request)
    return NvidiaBuild(request, plan, found.ingested, found.dropped, flags.notes, cuda, targets)
