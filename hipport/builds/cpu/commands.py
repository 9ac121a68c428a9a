"""The commands of a build for the CPU: one compile per unit, one link."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hipport.builds.arguments import dependency_arguments, depfile, safe
from hipport.builds.cpu.cached_parts import AS_HEADER, CODE_OF_CHECKS, OUTLINED, CachedParts
from hipport.builds.cpu.code_flags import CHECKS_FOLDER, CodeFlags
from hipport.builds.cpu.compiler import CxxCompiler
from hipport.builds.cpu.options import CpuOptions
from hipport.builds.cpu.precompiled import RUNTIME, CachedFile
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.support import include_dir

# Libraries whose functions the CPU headers implement or reject: there is nothing to link.
_IN_HEADERS = frozenset(
    f"-l{name}"
    for name in (
        "amdhip64",
        "hiprtc",
        "hipblas",
        "hiprand",
        "rocrand",
        "hipfft",
        "hipsolver",
        "hipsparse",
        "rccl",
        "MIOpen",
    )
)
_SHARED_FROM = 3
"""The minimum number of HIP units for a precompiled header without a cache: it takes longer than compiling one unit."""
_BOOST_SWITCH = "HIPPORT_BOOST_SWITCH"
_COME_FIRST = ("-include", "-imacros", "--include", "--imacros")
_REDIRECTED = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "free"))
# Kernels are written for compilers that do not warn about these.
_QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-unused-variable", "-Wno-unused-local-typedefs")
_CLANG_QUIET = ("-Wno-pass-failed",)  # loops over threads that are not vectorized


@dataclass(frozen=True, slots=True)
class CpuPlanner:
    """Plans builds in the build folder `folder`; `objects` are existing link inputs.

    With `precompile`, units may share a precompiled runtime header, which launchers do not know about; `cached` is that
    of the user's cache, which also has the objects `linked`. The include folders in `later` come after the target's
    headers. `machine` is the processor of this machine, for which the program is built unless the compiler has another
    host.
    """

    compiler: CxxCompiler
    settings: CompileSettings
    options: CpuOptions
    folder: str
    kind: OutputKind
    objects: tuple[str, ...] = ()
    precompile: bool = False
    later: tuple[str, ...] = ()
    cached: CachedFile | None = None
    linked: tuple[CachedFile, ...] = ()
    machine: str = platform.machine()

    def plan(self, units: Sequence[Unit]) -> BuildPlan:
        """Return the plan that builds these units."""
        headers = self._headers() if self._makes_headers(units) else None
        compiled = headers.output if headers else str(self.cached.output) if self.cached else None
        steps = [self._compile(unit, compiled) for unit in units]
        output = f"{self.folder}/product"
        if self._code.links_checks and not self.linked:
            steps.append(self._runtime_of_checks())
        objects = (*(step.output for step in steps), *self.objects, *(str(each.output) for each in self.linked))
        link = BuildStep(StepKind.LINK, "link", tuple(self._link(objects, output)), objects, output)
        if headers is None:
            return BuildPlan((*steps, link), output)
        return BuildPlan(
            (headers, *steps, link), output, files=((headers.inputs[0], "#include <hip/hip_runtime.h>\n"),)
        )

    @property
    def _code(self) -> CodeFlags:
        return CodeFlags(self.compiler, self.settings, self.options, self.kind)

    def _makes_headers(self, units: Sequence[Unit]) -> bool:
        """Return whether the build precompiles the headers itself: where the user's cache has none for it."""
        hip = sum(unit.language is Language.HIP for unit in units)
        return self.cached is None and self._may_precompile() and hip >= _SHARED_FROM

    def _may_precompile(self) -> bool:
        """Return whether to precompile headers: those of g++ take 130 MB for each combination of options."""
        return self.compiler.kind == "clang++" and self._comes_first()

    def _comes_first(self) -> bool:
        """Return whether the headers are read before all else: `-include` or `-imacros` of the user come first."""
        first = any(flag.startswith(_COME_FIRST) for flag in (*self.settings.both, *self.settings.host))
        return self.precompile and not first

    def with_cache(self) -> CpuPlanner:
        """Return the planner with what the user's cache holds: the compiled headers, and the runtime's objects."""
        if not self._comes_first():
            return self
        parts = CachedParts.of(self._code)
        headers = parts.headers() if self._may_precompile() else None
        return replace(self, cached=headers, linked=parts.objects())

    def _headers(self) -> BuildStep:
        """Precompile the runtime's headers for all units.

        The result has no timestamps, since staleness is decided by content: see `freshness`.
        """
        source, output = f"{self.folder}/headers.h", f"{self.folder}/headers.pch"
        unit = Unit(source, source, "headers", Language.CXX)
        command = (
            *(*self.compiler.command, *AS_HEADER, *self._flags(unit)),
            *(*dependency_arguments(output), "-c", safe(source), "-o", output),
        )
        return BuildStep(
            StepKind.HOST, "the runtime's headers for the CPU", command, (source,), output, depfile(output)
        )

    def _compile(self, unit: Unit, headers: str | None) -> BuildStep:
        output = f"{self.folder}/{unit.key}/cpu.o"
        command = [*self.compiler.command, "-x", "c" if unit.language is Language.C else "c++"]
        inputs = [unit.path]
        if unit.language is Language.HIP:
            command += ["-include-pch", headers] if headers else ["-include", "hip/hip_runtime.h"]
            command += _QUIET if self.compiler.kind == "g++" else (*_QUIET, *_CLANG_QUIET)
            inputs += [headers] if headers else []
        command += [*self._flags(unit), *dependency_arguments(output), "-c", safe(unit.path), "-o", output]
        title = f"{unit.name} for the CPU"
        return BuildStep(StepKind.HOST, title, tuple(command), tuple(inputs), output, depfile(output))

    def _flags(self, unit: Unit) -> Iterator[str]:
        settings = self.settings
        if unit.language is not Language.C:
            yield f"-std={settings.std}"
        yield from self._code.of_objects()
        if any(each.kind is RUNTIME for each in self.linked):
            yield OUTLINED
        for folder in (*unit.include_dirs, *settings.include_dirs):
            yield f"-I{folder}"
        for folder in (str(include_dir() / "cpu"), *self.later):
            yield from ("-isystem", folder)
        for folder in unit.last_dirs:
            yield from ("-idirafter", folder)

    def _runtime_of_checks(self) -> BuildStep:
        source, output = str(include_dir() / CHECKS_FOLDER / "runtime.cpp"), f"{self.folder}/checks.o"
        command = (
            *(*self.compiler.command, "-std=c++17", *CODE_OF_CHECKS),
            *(*dependency_arguments(output), "-c", safe(source), "-o", output),
        )
        return BuildStep(StepKind.HOST, "the checks of --sanitize", command, (source,), output, depfile(output))

    def _link(self, objects: Sequence[str], output: str) -> Iterator[str]:
        yield from self.compiler.command
        if self.options.sanitizers and not self.options.checks:
            yield self._code.sanitizers()
        if self._code.links_checks:
            yield from ("-rdynamic", *_REDIRECTED)
        if self.kind is not OutputKind.EXECUTABLE:
            yield "-shared"
        if self.kind is OutputKind.FAT_BINARY:
            yield "-Wl,-Bsymbolic"
        yield from (*(safe(item) for item in objects), "-o", output)
        yield from (flag for flag in self.settings.link if flag not in _IN_HEADERS)
        if self._switches_by_boost():
            yield "-lboost_context"
        yield from ("-pthread", "-ldl")

    def _switches_by_boost(self) -> bool:
        """Return whether Boost.Context switches stacks; the headers have their own switch for most hosts."""
        machine = self.compiler.host.machine if self.compiler.host else self.machine
        flags = (*self.settings.defines, *self.settings.both, *self.settings.host)
        chosen = any(flag == "-m32" or flag.startswith(f"-D{_BOOST_SWITCH}") for flag in flags)
        return chosen or not (include_dir() / f"cpu/hipport_cpu/switch/{machine}.h").is_file()
