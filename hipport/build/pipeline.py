"""A build from end to end: find the tools, translate what is CUDA, plan, write, run ninja, put the product in place."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.build.drivers import ClangDriver, Driver, HipccDriver
from hipport.build.ingest import Converter, Ingested, ingest, is_toolkit
from hipport.build.model import Language, OutputKind, Request, Unit
from hipport.build.ninja_file import ninja_text
from hipport.build.plan import Plan, Planner, StepKind, Tools
from hipport.build.prepare import install, make_link, remove_others, write_if_changed
from hipport.build.runner import Done, run_ninja
from hipport.build.units import language, split_inputs, unit_key
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

_TRANSLATED = "translated"


@dataclass(frozen=True, slots=True)
class Result:
    """What a build has made: `targets` as the file itself says; `fresh` if it was not there before."""

    output: Path
    size: int
    targets: tuple[str, ...]
    fresh: bool


@dataclass(frozen=True, slots=True)
class Build:
    """A build that is ready to be written and run."""

    request: Request
    choice: Choice
    hip: Hip
    tools: Tools
    plan: Plan
    ingested: Ingested
    dropped: tuple[str, ...]

    @property
    def build_file(self) -> str:
        """The path of the ninja file."""
        return f"{self.request.folder}/build.ninja"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other builds out of the build folder. Raises `HipportError` if one is in it."""
        Path(self.request.folder).mkdir(parents=True, exist_ok=True)
        with (Path(self.request.folder) / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise HipportError(
                    f"another hipport build uses {self.request.folder}", hint="Wait for it, or name a --build-dir."
                ) from None
            yield

    def write(self) -> None:
        """Write the build folder; a file that is right already is not touched."""
        folder = Path(self.request.folder)
        translated = {Path(path): data for path, data in self.ingested.files}
        for path, data in translated.items():
            write_if_changed(path, data)
        remove_others(folder / _TRANSLATED, translated)
        for name, text in self.plan.files:
            write_if_changed(Path(name), text.encode(errors="surrogateescape"))
        for name, target in self.plan.links:
            make_link(Path(name), target)
        write_if_changed(folder / ".gitignore", b"*\n")
        text = ninja_text(self.plan, self.request.folder)
        write_if_changed(Path(self.build_file), text.encode(errors="surrogateescape"))

    def run(self) -> Iterator[Done]:
        """Run the steps that are out of date."""
        return run_ninja(self.build_file, self.request.jobs)

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
    _check(request, sources, objects)
    choice = choose(request.targets, where, request.compiler)
    hip = find_hip(where)
    dropped = tuple(folder for folder in request.settings.include_dirs if is_toolkit(folder))
    kept = tuple(folder for folder in request.settings.include_dirs if folder not in dropped)
    settings = replace(request.settings, include_dirs=(*kept, str(include_dir())))
    ingested = ingest(
        sources, kept, f"{request.folder}/{_TRANSLATED}", convert or _tables_converter(hip, request.names)
    )
    units = [_unit(source, ingested) for source in sources]
    _check_units(request, units)
    tools = _tools(choice.compiler, hip, replace(request, settings=settings), where)
    plan = Planner(tools, request.folder, request.targets, request.kind, tuple(objects)).plan(units)
    return Build(request, choice, hip, tools, plan, ingested, dropped)


def _tools(compiler: Compiler, hip: Hip, request: Request, where: Surroundings) -> Tools:
    pic = request.kind is OutputKind.SHARED
    bundler = find_tool("clang-offload-bundler", where, compiler)
    driver: Driver
    if compiler.kind == "hipcc":
        driver = HipccDriver(compiler, request.settings, request.targets[0], pic)
        return Tools(driver, find_tool("clang++", where, compiler), bundler, hip.device_libraries)
    driver = ClangDriver(compiler, request.settings, hip, pic)
    return Tools(driver, compiler.path, bundler, hip.device_libraries)


def _unit(source: str, ingested: Ingested) -> Unit:
    path = ingested.units.get(source, source)
    kind = language(source, Path(source).read_bytes)
    if path == source:
        return Unit(source, path, unit_key(source), kind)
    # What only a macro names (#include CONFIG) was not seen, and lies where the source lay. Last, since a header must
    # not be found both there and among the translations.
    return Unit(source, path, unit_key(source), kind, ingested.include_dirs, (str(Path(source).parent),))


def _check(request: Request, sources: list[str], objects: list[str]) -> None:
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


def _tables_converter(hip: Hip, names: NameChoice) -> Converter:
    """The translator that `hipport convert` uses, for the HIP release that was found unless another was asked for."""
    from hipport.convert import Context, Conversion, convert_source
    from hipport.mappings.loader import load_choice

    tables = load_choice(replace(names, installed=hip.version or None))

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
