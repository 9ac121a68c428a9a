"""A build from end to end: find the tools, translate what is CUDA, plan, write, run ninja, put the product in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.build.drivers import ClangDriver, Driver, HipccDriver
from hipport.build.ingest import Converter, Ingested, ingest, is_toolkit
from hipport.build.model import Language, OutputKind, Request, Unit
from hipport.build.plan import Planner, StepKind, Tools
from hipport.build.prepare import install
from hipport.build.units import language, split_inputs, unit_key
from hipport.build.workspace import TRANSLATED, Result, Workspace
from hipport.errors import HipportError, UsageError
from hipport.mappings.choice import NameChoice
from hipport.support import include_dir
from hipport.toolchain.choice import Choice, choose
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.hip import Hip, find_hip
from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tool

if TYPE_CHECKING:
    from hipport.codeobject import Entry


@dataclass(frozen=True, slots=True)
class Build(Workspace):
    """A build for AMD GPUs."""

    choice: Choice
    hip: Hip
    tools: Tools

    def notes(self) -> Iterator[str]:
        """What was decided for the user."""
        if self.choice.reason:
            yield f"using {self.choice.compiler}: {self.choice.reason}"
        yield from Workspace.notes(self)

    def tools_used(self) -> Iterator[str]:
        """Version and place of everything that the build uses."""
        yield f"compiler: {self.choice.compiler}"
        yield f"HIP: {self.hip.version} ({self.hip.include}, {self.hip.library})"
        yield f"device libraries: {self.hip.device_libraries}"
        yield f"bundler: {self.tools.bundler}"

    def finish(self) -> Result:
        """Put the product at its place and read back what is in it. Raises `HipportError` if a target lacks."""
        output = Path(self.request.output)
        fresh = install(Path(self.plan.product), output)
        found = target_ids(output)
        # clang embeds nothing in a unit that has neither kernels nor device variables.
        wanted = [str(target) for target in self.request.targets] if found or self._has_kernels() else []
        if lacking := [target for target in wanted if target not in found]:
            raise HipportError(f"{output} lacks code for {', '.join(lacking)}")
        return Result(output, output.stat().st_size, (*wanted, *sorted(found.difference(wanted))), fresh)

    def _has_kernels(self) -> bool:
        """Whether a fat binary that was built holds a kernel."""
        bundles = (Path(step.output) for step in self.plan.steps if step.kind is StepKind.BUNDLE)
        return any(entry.kernels for path in bundles for entry in _entries(path))


def prepare(request: Request, where: Surroundings, convert: Converter | None = None) -> Build:
    """Look for everything that a build needs, and plan it. Nothing is written. Raises `HipportError`.

    `convert` translates CUDA; by default with the tables of the HIP release that was found.
    """
    sources, objects = split_inputs(request.sources)
    check_inputs(request, sources, objects)
    choice = choose(request.targets, where, request.compiler)
    hip = find_hip(where)
    dropped = tuple(folder for folder in request.settings.include_dirs if is_toolkit(folder))
    kept = tuple(folder for folder in request.settings.include_dirs if folder not in dropped)
    settings = replace(request.settings, include_dirs=(*kept, str(include_dir())))
    ingested = ingest(
        sources, kept, f"{request.folder}/{TRANSLATED}", convert or tables_converter(hip.version, request.names)
    )
    units = [make_unit(source, ingested) for source in sources]
    _check_units(request, units)
    tools = _tools(choice.compiler, hip, replace(request, settings=settings), where)
    plan = Planner(tools, request.folder, request.targets, request.kind, tuple(objects)).plan(units)
    return Build(request, plan, ingested, dropped, choice, hip, tools)


def _tools(compiler: Compiler, hip: Hip, request: Request, where: Surroundings) -> Tools:
    pic = request.kind is OutputKind.SHARED
    bundler = find_tool("clang-offload-bundler", where, compiler)
    driver: Driver
    if compiler.kind == "hipcc":
        driver = HipccDriver(compiler, request.settings, request.targets[0], pic)
        return Tools(driver, find_tool("clang++", where, compiler), bundler, hip.device_libraries)
    driver = ClangDriver(compiler, request.settings, hip, pic)
    return Tools(driver, compiler.path, bundler, hip.device_libraries)


def make_unit(source: str, ingested: Ingested) -> Unit:
    """The translation unit of a source, or of its translation."""
    path = ingested.units.get(source, source)
    kind = language(source, Path(source).read_bytes)
    if path == source:
        return Unit(source, path, unit_key(source), kind)
    # What only a macro names (#include CONFIG) was not seen, and lies where the source lay. Last, since a header must
    # not be found both there and among the translations.
    return Unit(source, path, unit_key(source), kind, ingested.include_dirs, (str(Path(source).parent),))


def check_inputs(request: Request, sources: list[str], objects: list[str]) -> None:
    """Refuse what cannot be built before any work is done."""
    if not sources:
        raise UsageError("no source to build", hint="Name at least one .cu, .hip or .cpp file.")
    for path in (*sources, *objects):
        if not Path(path).is_file():
            raise UsageError(f"no such file: {path}")
    if any(Path(request.output).resolve() == Path(path).resolve() for path in (*sources, *objects)):
        raise UsageError(f"the output {request.output} is one of the sources")
    if {"-fgpu-rdc", "-dc", "-rdc=true"} & {*request.settings.both, *request.settings.device}:
        raise HipportError(
            "relocatable device code (-fgpu-rdc) is not supported",
            hint="Device functions have to be defined in the unit that calls them, in a header for example.",
        )


def _check_units(request: Request, units: list[Unit]) -> None:
    if request.kind is not OutputKind.FAT_BINARY:
        return
    if len(units) != 1 or units[0].language is not Language.HIP:
        raise UsageError(
            "--genco makes the fat binary of one unit with kernels",
            hint=f"{len(units)} sources were named; run hipport build --genco once for each .hip or .cu file.",
        )


def tables_converter(installed: str, names: NameChoice) -> Converter:
    """The translator that `hipport convert` uses, for the HIP release that is there unless another was asked for."""
    from hipport.convert import Context, Conversion, convert_source
    from hipport.mappings.loader import load_choice

    tables = load_choice(replace(names, installed=installed or None))

    def convert(data: bytes, name: str, foreign: frozenset[str]) -> Conversion:
        return convert_source(data, name, Context(tables, foreign=foreign))

    return convert


def target_ids(path: Path) -> set[str]:
    """The targets for which a binary holds code."""
    return {entry.target_id for entry in _entries(path) if entry.target_id}


def _entries(path: Path) -> Iterator[Entry]:
    from hipport import codeobject

    for bundle in codeobject.read(path).bundles:
        yield from bundle.entries
