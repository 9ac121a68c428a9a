"""The CPU build from start to finish."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from hipport.builds.adjust import adjusted
from hipport.builds.cpu.commands import CpuPlanner
from hipport.builds.cpu.compiler import CxxCompiler, find_compiler, find_cross_compiler
from hipport.builds.cpu.header_folders import later_folders, required, without_rocm
from hipport.builds.cpu.options import CpuOptions, cpu_options
from hipport.builds.cpu.precompiled import CachedFile
from hipport.builds.flags import translated_for_cpu, uses_openmp, with_openmp
from hipport.builds.gather import cache_folder, gather, inputs, translator
from hipport.builds.ingest import Ingested
from hipport.builds.ported import with_switches
from hipport.builds.ported_units import ported_units
from hipport.builds.prepare import install
from hipport.builds.request import BuildRequest, Language, OutputKind
from hipport.builds.workspace import BuildResult, Workspace
from hipport.errors import HipportError, UsageError
from hipport.project.translate import Converter
from hipport.source import SourceFile
from hipport.toolchain.hosts import HOSTS
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse_list
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.for_cpu.convert import standard_cxx
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.unit import parse

_WITHOUT_VECTORS = ("0", "1", "g")
"""Optimization levels at which compilers do not vectorize."""
_HIP_RELEASE = ""
"""The CPU target's headers follow the newest HIP release in the tables."""
_OR_EMULATE = "; or build for an AMD GPU and use hipport run --emulate TARGET, which runs wavefronts in step"
_NEEDS_CLANG = "Debian and Ubuntu: apt-get install clang. With --compiler, name a clang++."


@dataclass(frozen=True, slots=True)
class CpuBuild(Workspace):
    compiler: CxxCompiler
    options: CpuOptions
    cached: tuple[CachedFile, ...] = ()

    def write(self) -> None:
        """Write the build folder, and what the build needs of the user's cache into that."""
        Workspace.write(self)
        with ThreadPoolExecutor() as pool:
            list(pool.map(CachedFile.provide, self.cached))

    def tools_used(self) -> Iterator[str]:
        """Yield the path of the compiler."""
        yield f"compiler: {self.compiler.path}"

    def finish(self) -> BuildResult:
        """Install the product."""
        output = Path(self.request.output)
        fresh = install(Path(self.plan.product), output)
        host = f"{self.compiler.host.machine} " if self.compiler.host else ""
        what = f"{host}CPU with {self.options.wave_size} lanes per wavefront"
        return BuildResult(output, output.stat().st_size, (what,), fresh)


def prepare(request: BuildRequest, where: Surroundings, convert: Converter = convert_source) -> CpuBuild:
    """Find everything a build needs, and plan it without writing anything. Raises `HipportError`."""
    targets = parse_list(request.targets) if request.targets else ()
    options = cpu_options(request.wave_size, targets, request.sanitizers, request.lockstep)
    flags = translated_for_cpu(request.settings)
    request, rocm = without_rocm(replace(request, settings=flags.settings))
    named = inputs(request)
    hip, module = _is_hip(named.sources), request.kind is OutputKind.FAT_BINARY
    together = _runs_together(request, options)
    to_cpu = functools.partial(_to_cpu, convert, all_hip=hip, module=module, together=together)
    cache, purpose = cache_folder(request), f"cpu {hip} {module} {together}"
    translating = translator(request.names, _HIP_RELEASE, cache, convert=to_cpu, purpose=purpose, jobs=request.jobs)
    tables = translating.context.tables
    ported = ported_units(named.sources, request.settings, tables)
    if ported.alone:
        translating = translating.with_convert(functools.partial(to_cpu, ported=ported.alone), sorted(ported.alone))
    found = with_switches(gather(request, named, translating, hip=True), tables)
    libraries = required(found)
    compiler = _compiler(request, options, where, libraries)
    settings = found.settings
    if compiler.kind == "clang++" and compiler.host is None:
        settings = with_openmp(settings, compiler.path, where)
    later, precompile = later_folders(libraries, rocm, where), request.launcher is None
    planner = CpuPlanner(compiler, settings, options, request.folder, request.kind, named.objects, precompile, later)
    if any(unit.language is Language.HIP for unit in found.units):
        planner = planner.with_cache()
    plan = adjusted(planner.plan(found.units), request, compiler.ar)
    said = (*flags.notes, *ported.notes(), *found.notes)
    used = (*((planner.cached,) if planner.cached else ()), *planner.linked)
    return CpuBuild(request, plan, _without_amd(found.ingested), found.dropped, said, compiler, options, used)


_OF_AMD = frozenset({"HP245"})
"""Diagnostics of what compilers for AMD GPUs refuse and those for the CPU take."""


def _without_amd(ingested: Ingested) -> Ingested:
    found = (each for each in ingested.diagnostics if each.code not in _OF_AMD)
    return replace(ingested, diagnostics=tuple(found))


def _compiler(
    request: BuildRequest, options: CpuOptions, where: Surroundings, libraries: tuple[str, ...]
) -> CxxCompiler:
    if request.settings.host_target and options.checks:
        raise UsageError(
            "--sanitize and --lockstep are for programs of this machine only",
            hint=f"Leave out --host-target{_OR_EMULATE if options.lockstep else ''}.",
        )
    if request.settings.host_target:
        return find_cross_compiler(HOSTS[request.settings.host_target], where, request.compiler)
    prefer_gcc = not libraries and not options.checks and (bool(options.sanitizers) or uses_openmp(request.settings))
    compiler = find_compiler(where, request.compiler, prefer_gcc=prefer_gcc)
    if libraries and compiler.kind == "g++":
        raise HipportError("g++ cannot compile rocPRIM, hipCUB and rocThrust", hint=_NEEDS_CLANG)
    if options.checks and compiler.kind != "clang++":
        install = "Debian and Ubuntu: apt-get install clang"
        raise HipportError(
            "--sanitize and --lockstep need clang++", hint=f"{install}{_OR_EMULATE if options.lockstep else ''}."
        )
    return compiler


def _is_hip(sources: tuple[str, ...]) -> bool:
    """Return whether a project with .hip sources and no .cu ones is already HIP, including its headers."""
    return any(name.endswith(".hip") for name in sources) and not any(name.endswith(".cu") for name in sources)


def _runs_together(request: BuildRequest, options: CpuOptions) -> bool:
    """Return whether threads may run side by side: not where each is to be seen by itself, as in a debugger."""
    seen = options.checks or options.sanitizers or request.settings.debug
    return not seen and request.settings.optimize not in _WITHOUT_VECTORS


def _to_cpu(
    from_cuda: Converter,
    data: bytes,
    name: str,
    context: Context,
    *,
    all_hip: bool,
    module: bool,
    together: bool,
    ported: Collection[str] = (),
) -> Conversion:
    """Translate HIP to standard C++, or CUDA via HIP; the second step keeps line numbers."""
    is_hip = all_hip or name.endswith(".hip") or name in ported
    hip = _as_it_is(data, name) if is_hip else from_cuda(data, name, context)
    return structs.replace(hip, data=standard_cxx(hip.data, name, module=module, together=together))


def _as_it_is(data: bytes, name: str) -> Conversion:
    unit = parse(SourceFile.decode(data, name))
    return Conversion(data, includes=tuple(include.operand for include in includes(unit)))
