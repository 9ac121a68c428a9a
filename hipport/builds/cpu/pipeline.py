"""The CPU build from start to finish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.builds.adjust import adjusted
from hipport.builds.cpu.commands import CpuPlanner
from hipport.builds.cpu.compiler import CxxCompiler, find_compiler, find_cross_compiler
from hipport.builds.cpu.model import CpuOptions
from hipport.builds.flags import translated_for_cpu, uses_openmp, with_openmp
from hipport.builds.gather import gather, inputs, tables_converter
from hipport.builds.ingest import Converter
from hipport.builds.model import OutputKind, Request
from hipport.builds.prepare import install
from hipport.builds.workspace import Result, Workspace
from hipport.source import SourceFile
from hipport.toolchain.hosts import HOSTS
from hipport.toolchain.places import Surroundings
from hipport.translate.conversion import Conversion
from hipport.translate.for_cpu.standard_cxx import standard_cxx
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.unit import parse

_HIP_RELEASE = ""
"""The CPU target's headers follow the newest HIP release in the tables."""


@dataclass(frozen=True, slots=True)
class CpuBuild(Workspace):
    compiler: CxxCompiler
    options: CpuOptions

    def tools_used(self) -> Iterator[str]:
        """Yield the path of the compiler."""
        yield f"compiler: {self.compiler.path}"

    def finish(self) -> Result:
        """Install the product."""
        output = Path(self.request.output)
        fresh = install(Path(self.plan.product), output)
        host = f"{self.compiler.host.machine} " if self.compiler.host else ""
        what = f"{host}CPU with {self.options.wave_size} lanes per wavefront"
        return Result(output, output.stat().st_size, (what,), fresh)


def prepare(request: Request, options: CpuOptions, where: Surroundings, convert: Converter | None = None) -> CpuBuild:
    """Find everything a build needs, and plan it without writing anything. Raises `HipportError`."""
    flags = translated_for_cpu(request.settings)
    request = replace(request, settings=flags.settings)
    named = inputs(request)
    compiler = _compiler(request, options, where)
    if compiler.kind == "clang++" and compiler.host is None:
        request = replace(request, settings=with_openmp(request.settings, compiler.path, where))
    converter = _converter(request, named.sources, convert or tables_converter(_HIP_RELEASE, request.names))
    found = gather(request, named, converter, hip=True)
    planner = CpuPlanner(
        compiler, found.settings, options, request.folder, request.kind, named.objects, request.launcher is None
    )
    plan = adjusted(planner.plan(found.units), request, compiler.ar)
    return CpuBuild(request, plan, found.ingested, found.dropped, flags.notes, compiler, options)


def _compiler(request: Request, options: CpuOptions, where: Surroundings) -> CxxCompiler:
    if request.settings.host_target:
        return find_cross_compiler(HOSTS[request.settings.host_target], where, request.compiler)
    prefer_gcc = bool(options.sanitizers) or uses_openmp(request.settings)
    return find_compiler(where, request.compiler, prefer_gcc=prefer_gcc)


def _converter(request: Request, sources: tuple[str, ...], from_cuda: Converter) -> Converter:
    """Return a converter from HIP to standard C++, and from CUDA via HIP; the second step keeps line numbers.

    A project with .hip sources and no .cu ones is already HIP, including its headers.
    """
    all_hip = any(name.endswith(".hip") for name in sources) and not any(name.endswith(".cu") for name in sources)

    module = request.kind is OutputKind.FAT_BINARY

    def to_cpu(data: bytes, name: str, foreign: frozenset[str]) -> Conversion:
        hip = _as_it_is(data, name) if all_hip or name.endswith(".hip") else from_cuda(data, name, foreign)
        return replace(hip, data=standard_cxx(hip.data, name, module=module))

    return to_cpu


def _as_it_is(data: bytes, name: str) -> Conversion:
    unit = parse(SourceFile.decode(data, name))
    return Conversion(data, includes=tuple(include.operand for include in includes(unit)))
