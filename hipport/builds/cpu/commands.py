"""The commands of a build for the CPU: one compile per unit, one link."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hipport.builds.arguments import dependency_arguments, depfile, safe
from hipport.builds.cpu.compiler import CxxCompiler
from hipport.builds.cpu.options import CHECKS, CpuOptions
from hipport.builds.cpu.precompiled import CachedHeaders, cached_headers
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.support import include_dir

# Libraries whose functions the CPU headers implement or reject: there is nothing to link.
_IN_HEADERS = frozenset(
    f"-l{name}"
    for name in ("amdhip64", "hiprtc", "hipblas", "hiprand", "rocrand", "hipfft", "hipsolver", "hipsparse", "MIOpen")
)
_SHARED_FROM = 3
"""The minimum number of HIP units for a precompiled header without a cache: it takes longer than compiling one unit."""
_BOOST_SWITCH = "HIPPORT_BOOST_SWITCH"
_AS_HEADER = ("-x", "c++-header", "-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp")
_COME_FIRST = ("-include", "-imacros", "--include", "--imacros")
# Values that only one lane sets may be passed to functions that broadcast them, as nvcc's device code may: see
# hipport/compat/maybe_undef.h, whose attribute clang has from 16 on, and which the program's own functions lack.
_UNDEFINED_LANES = ("-Xclang", "-no-enable-noundef-analysis")
# Kernels are written for compilers that do not warn about these.
_CHECKS = "cpu/hipport_cpu/checks"
# Every access calls a function of checks/runtime.cpp, which is linked in place of ThreadSanitizer's runtime.
_CHECKED = (
    *("-fsanitize=thread,alignment", "-DHIPPORT_CHECKS=1", "-fno-vectorize", "-fno-slp-vectorize"),
    *("-mllvm", "-tsan-distinguish-volatile", "-mllvm", "-tsan-instrument-func-entry-exit=0"),
)
_REDIRECTED = tuple(f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "free"))
_QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-unused-variable", "-Wno-unused-local-typedefs")
_CLANG_QUIET = ("-Wno-pass-failed",)  # loops over threads that are not vectorized


@dataclass(frozen=True, slots=True)
class CpuPlanner:
    """Plans builds in the build folder `folder`; `objects` are existing link inputs.

    With `precompile`, units may share a precompiled runtime header, which launchers do not know about; `cached` is that
    of the user's cache. The include folders in `later` come after the target's headers. `machine` is the processor of
    this machine, for which the program is built unless the compiler has another host.
    """

    compiler: CxxCompiler
    settings: CompileSettings
    options: CpuOptions
    folder: str
    kind: OutputKind
    objects: tuple[str, ...] = ()
    precompile: bool = False
    later: tuple[str, ...] = ()
    cached: CachedHeaders | None = None
    machine: str = platform.machine()

    def plan(self, units: Sequence[Unit]) -> BuildPlan:
        """Return the plan that builds these units."""
        headers = self._headers() if self._makes_headers(units) else None
        compiled = headers.output if headers else str(self.cached.output) if self.cached else None
        steps = [self._compile(unit, compiled) for unit in units]
        output = f"{self.folder}/product"
        if self._links_checks():
            steps.append(self._runtime_of_checks())
        objects = (*(step.output for step in steps), *self.objects)
        link = BuildStep(StepKind.LINK, "link", tuple(self._link(objects, output)), objects, output)
        if headers is None:
            return BuildPlan((*steps, link), output)
        return BuildPlan(
            (headers, *steps, link), output, files=((headers.inputs[0], "#include <hip/hip_runtime.h>\n"),)
        )

    def _makes_headers(self, units: Sequence[Unit]) -> bool:
        """Return whether the build precompiles the headers itself: where the user's cache has none for it."""
        hip = sum(unit.language is Language.HIP for unit in units)
        return self.cached is None and self._may_precompile() and hip >= _SHARED_FROM

    def _may_precompile(self) -> bool:
        """Return whether a precompiled header is safe.

        g++ looks for precompiled headers elsewhere, and `-include` or `-imacros` of the user must still come first.
        """
        first = any(flag.startswith(_COME_FIRST) for flag in (*self.settings.both, *self.settings.host))
        return self.precompile and self.compiler.kind == "clang++" and not first

    def with_cached_headers(self) -> CpuPlanner:
        """Return the planner with the compiled headers of the user's cache, if possible.

        They are the same for all projects, so that the projects' include folders are left out.
        """
        if not self._may_precompile():
            return self
        folders = ("-isystem", str(include_dir() / "cpu"), "-I", str(include_dir()))
        command = (*self.compiler.command, *_AS_HEADER, f"-std={self.settings.std}", *self._code_flags(), *folders)
        return replace(self, cached=cached_headers(command, self.compiler.path))

    def _headers(self) -> BuildStep:
        """Precompile the runtime's headers for all units.

        The result has no timestamps, since staleness is decided by content: see `freshness`.
        """
        source, output = f"{self.folder}/headers.h", f"{self.folder}/headers.pch"
        unit = Unit(source, source, "headers", Language.CXX)
        command = (
            *(*self.compiler.command, *_AS_HEADER, *self._flags(unit)),
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
        yield from self._code_flags()
        for folder in (*unit.include_dirs, *settings.include_dirs):
            yield f"-I{folder}"
        for folder in (str(include_dir() / "cpu"), *self.later):
            yield from ("-isystem", folder)
        for folder in unit.last_dirs:
            yield from ("-idirafter", folder)

    def _code_flags(self) -> Iterator[str]:
        """Yield the flags that are the same for all units, but for the standard and the include folders."""
        settings = self.settings
        yield f"-O{1 if self.options.checks else settings.optimize}"
        # GPUs do not fuse products unless told to, and have neither errno nor traps.
        yield from ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
        if self.compiler.kind == "clang++":
            yield from _UNDEFINED_LANES
        if settings.debug or self.options.sanitizers or self.options.checks:
            yield from ("-g1" if self.options.checks and not settings.debug else "-g", "-fno-omit-frame-pointer")
        if self.kind is not OutputKind.EXECUTABLE:
            yield "-fPIC"
        yield from self._module()
        yield from self._sanitize()
        yield from ("-D__HIP_PLATFORM_AMD__", "-DHIPPORT_MARKED_RETURNS")
        yield from (f"-DHIPPORT_WAVE_SIZE={self.options.wave_size}", f'-DHIPPORT_ARCH="{self.options.arch}"')
        # As clang names the processor to device code: rocPRIM chooses its kernels' parameters by it.
        yield f'-D__amdgcn_processor__="{self.options.arch.partition(":")[0]}"'
        if self.options.arch.startswith("gfx94"):
            yield "-DHIPPORT_FNUZ=1"
        # The Python and the compiler that hipRTC uses when the program runs.
        yield from (f'-DHIPPORT_PYTHON="{sys.executable}"', f'-DHIPPORT_COMPILER="{self.compiler.path}"')
        yield from (*settings.defines, *settings.both, *settings.host)

    def _module(self) -> Iterator[str]:
        """Give a module a runtime of its own, separate from that of the program and of other modules."""
        if self.kind is OutputKind.FAT_BINARY:
            yield "-DHIPPORT_MODULE"
            if self.compiler.kind == "g++":
                yield "-fno-gnu-unique"

    def _sanitize(self) -> Iterator[str]:
        if self.options.checks:
            yield from self._modes()
            yield from (*_CHECKED, f"-fsanitize-ignorelist={include_dir() / _CHECKS / 'ignored.txt'}")
        elif self.options.sanitizers:
            yield self._sanitizers()

    def _modes(self) -> Iterator[str]:
        if self.options.lockstep:
            yield "-DHIPPORT_LOCKSTEP=1"
        if CHECKS not in self.options.sanitizers:
            yield "-DHIPPORT_QUIET=1"

    def _sanitizers(self) -> str:
        return f"-fsanitize={','.join(self.options.sanitizers)}"

    def _links_checks(self) -> bool:
        """Return whether the product gets the runtime of the checks: a module uses that of the program."""
        return self.options.checks and self.kind in (OutputKind.EXECUTABLE, OutputKind.SHARED)

    def _runtime_of_checks(self) -> BuildStep:
        source, output = str(include_dir() / _CHECKS / "runtime.cpp"), f"{self.folder}/checks.o"
        command = (
            *(*self.compiler.command, "-std=c++17", "-O2", "-fPIC", "-fno-omit-frame-pointer"),
            *(*dependency_arguments(output), "-c", safe(source), "-o", output),
        )
        return BuildStep(StepKind.HOST, "the checks of --sanitize", command, (source,), output, depfile(output))

    def _link(self, objects: Sequence[str], output: str) -> Iterator[str]:
        yield from self.compiler.command
        if self.options.sanitizers and not self.options.checks:
            yield self._sanitizers()
        if self._links_checks():
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
