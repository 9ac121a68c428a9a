"""The build for AMD GPUs: find tools, translate CUDA, plan, write, run ninja, install the product."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from hipport.builds.adjust import adjusted
from hipport.builds.amd.commands import Planner, Tools
from hipport.builds.amd.compression import compressed, compressing_bundler
from hipport.builds.amd.drivers import ClangDriver, Driver, HipccDriver
from hipport.builds.amd.kernels import check_kernels
from hipport.builds.amd.missing_libraries import explain_link
from hipport.builds.amd.other_host import OtherHost, other_host
from hipport.builds.flags import translated, with_openmp
from hipport.builds.gather import cache_folder, gather, inputs, translator
from hipport.builds.plan import StepKind
from hipport.builds.ported import with_switches
from hipport.builds.ported_units import ported_units
from hipport.builds.prepare import install, is_installed
from hipport.builds.request import BuildRequest, OutputKind
from hipport.builds.workspace import BuildResult, Workspace
from hipport.errors import HipportError
from hipport.project.translate import Converter
from hipport.toolchain.choice import Choice, choose
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.hip import Hip, find_hip
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import TargetID, parse_list
from hipport.toolchain.tools import find_tool
from hipport.translate.convert import convert_source

if TYPE_CHECKING:
    from hipport.codeobject import BundleEntry


@dataclass(frozen=True, slots=True)
class Build(Workspace):
    choice: Choice
    hip: Hip
    tools: Tools
    targets: tuple[TargetID, ...]
    other: OtherHost | None = None

    def environment(self) -> Mapping[str, str]:
        """Return the variable without which hipcc may choose the NVIDIA platform."""
        return {"HIP_PLATFORM": "amd"}

    def notes(self) -> Iterator[str]:
        """Yield notes on decisions made for the user."""
        if self.choice.reason:
            yield f"using {self.choice.compiler}: {self.choice.reason}"
        if self.other is not None:
            yield from self.other.notes()
        yield from Workspace.notes(self)

    def tools_used(self) -> Iterator[str]:
        """Yield the version and path of every tool the build uses."""
        yield f"compiler: {self.choice.compiler}"
        yield f"HIP: {self.hip.version} ({self.hip.include}, {self.hip.library})"
        yield f"device libraries: {self.hip.device_libraries}"
        yield f"bundler: {self.tools.bundler}"

    def explain(self, text: str) -> Iterator[str]:
        """Name the packages that provide libraries missing from the link."""
        return explain_link(text)

    def finish(self) -> BuildResult:
        """Install the product and read its targets back.

        Raises `HipportError` if code for a target or a kernel that the host registers is missing.
        """
        product, output = Path(self.plan.product), Path(self.request.output)
        warnings = () if is_installed(product, output) else check_kernels(self.plan)
        fresh = install(product, output)
        found = target_ids(output)
        # clang embeds nothing in a unit that has neither kernels nor device variables.
        wanted = [str(target) for target in self.targets] if found or self._has_kernels() else []
        if lacking := [target for target in wanted if target not in found]:
            raise HipportError(f"{output} lacks code for {', '.join(lacking)}")
        targets = (*wanted, *sorted(found.difference(wanted)))
        return BuildResult(output, output.stat().st_size, targets, fresh, warnings)

    def _has_kernels(self) -> bool:
        """Return whether a host object holds a kernel.

        clang embeds only fat binaries of which the host registers something.
        """
        objects = (Path(step.output) for step in self.plan.steps if step.kind is StepKind.HOST)
        return any(entry.kernels for path in objects for entry in _entries_if_readable(path))


def prepare(request: BuildRequest, where: Surroundings, convert: Converter = convert_source) -> Build:
    """Find everything a build needs, and plan it without writing anything. Raises `HipportError`.

    `convert` translates CUDA, with the tables of the HIP release that was found.
    """
    targets = parse_list(request.targets)
    flags = translated(request.settings, request.names.flavour)
    request = replace(request, settings=flags.settings)
    named = inputs(request)
    choice = choose(targets, where, request.compiler)
    hip = find_hip(where, choice.compiler.clang)
    if not request.settings.host_target:
        request = replace(request, settings=with_openmp(request.settings, _clang(choice.compiler, where), where))
    other = other_host(request, where)
    cache = cache_folder(request)
    translating = translator(request.names, hip.version, cache, convert=convert, jobs=request.jobs)
    tables = translating.context.tables
    ported = ported_units(named.sources, request.settings, tables)
    found = with_switches(gather(request, named, translating, ported=ported), tables)
    linked = hip if other is None else structs.replace(hip, library=other.library)
    tools = _tools(choice.compiler, linked, replace(request, settings=found.settings), targets, where)
    machine = platform.machine() if other is None else other.tools.host.machine
    planner = Planner(tools, request.folder, targets, request.kind, named.objects, found.settings.rdc, machine)
    plan = planner.plan(found.units)
    if request.compress:
        plan = compressed(plan, choice.compiler, rdc=found.settings.rdc)
    if other is not None:
        plan = other.prepared(plan, hip, tools.clang)
    plan = adjusted(plan, request, "ar" if other is None else str(other.tools.ar))
    return Build(
        request, plan, found.ingested, found.dropped, (*flags.notes, *found.notes), choice, hip, tools, targets, other
    )


def _tools(
    compiler: Compiler, hip: Hip, request: BuildRequest, targets: tuple[TargetID, ...], where: Surroundings
) -> Tools:
    pic = request.kind in (OutputKind.SHARED, OutputKind.STATIC)
    find_bundler = compressing_bundler if request.compress else partial(find_tool, "clang-offload-bundler")
    bundler = find_bundler(where, compiler)
    clang = _clang(compiler, where)
    driver: Driver
    if compiler.kind == "hipcc" and not request.settings.host_target:
        driver = HipccDriver(compiler, request.settings, targets[0], pic)
    else:  # hipcc links with this machine's runtime
        driver = ClangDriver(structs.replace(compiler, path=clang), request.settings, hip, pic)
    return Tools(driver, clang, bundler, hip.device_libraries)


def _clang(compiler: Compiler, where: Surroundings) -> Path:
    """Return the clang++ that hipcc calls, or the compiler itself."""
    return find_tool("clang++", where, compiler) if compiler.kind == "hipcc" else compiler.path


def target_ids(path: Path) -> set[str]:
    """Return the targets for which a binary holds code."""
    return {entry.target_id for entry in _entries(path) if entry.target_id}


def _entries_if_readable(path: Path) -> Iterator[BundleEntry]:
    """Yield the entries of an object; none if it is bitcode (-flto)."""
    with contextlib.suppress(HipportError):
        yield from _entries(path)


def _entries(path: Path) -> Iterator[BundleEntry]:
    from hipport import codeobject

    for bundle in codeobject.read(path).bundles:
        yield from bundle.entries
