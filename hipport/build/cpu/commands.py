"""The commands of a build for the CPU: one compile per unit, one link."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hipport.build.arguments import dependency_arguments, depfile, safe
from hipport.build.cpu.compiler import CxxCompiler
from hipport.build.cpu.model import CpuOptions
from hipport.build.model import Language, OutputKind, Settings, Unit
from hipport.build.plan import Plan, Step, StepKind
from hipport.support import include_dir

# What the headers have, or refuse: there is nothing to link.
_IN_HEADERS = frozenset(
    f"-l{name}" for name in ("amdhip64", "hiprtc", "hipblas", "hiprand", "rocrand", "hipfft", "hipsolver", "hipsparse")
)
# Kernels are written for compilers that take these in silence.
_QUIET = ("-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-unused-variable", "-Wno-unused-local-typedefs")


@dataclass(frozen=True, slots=True)
class CpuPlanner:
    """Makes plans: `folder` is the build folder, `objects` are ready-made link inputs."""

    compiler: CxxCompiler
    settings: Settings
    options: CpuOptions
    folder: str
    kind: OutputKind
    objects: tuple[str, ...] = ()

    def plan(self, units: Sequence[Unit]) -> Plan:
        """The steps that build these units."""
        steps = [self._compile(unit) for unit in units]
        output = f"{self.folder}/product"
        objects = (*(step.output for step in steps), *self.objects)
        link = Step(StepKind.LINK, "link", tuple(self._link(objects, output)), objects, output)
        return Plan((*steps, link), output)

    def _compile(self, unit: Unit) -> Step:
        output = f"{self.folder}/{unit.key}/cpu.o"
        command = (
            *(*self.compiler.command, "-x", "c" if unit.language is Language.C else "c++"),
            *self._flags(unit),
            *(*dependency_arguments(output), "-c", safe(unit.path), "-o", output),
        )
        return Step(StepKind.HOST, f"{unit.name} for the CPU", command, (unit.path,), output, depfile(output))

    def _flags(self, unit: Unit) -> Iterator[str]:
        settings = self.settings
        if unit.language is not Language.C:
            yield f"-std={settings.std}"
        yield f"-O{settings.optimize}"
        # A GPU rounds every product unless told otherwise; errno and traps are unknown to it.
        yield from ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
        if settings.debug or self.options.sanitizers:
            yield from ("-g", "-fno-omit-frame-pointer")
        if self.kind is not OutputKind.EXECUTABLE:
            yield "-fPIC"
        yield from self._module()
        yield from self._sanitize()
        if unit.language is Language.HIP:
            yield from ("-include", "hip/hip_runtime.h", *_QUIET)
        yield from ("-D__HIP_PLATFORM_AMD__", "-DHIPPORT_MARKED_RETURNS")
        yield from (f"-DHIPPORT_WAVE_SIZE={self.options.wave_size}", f'-DHIPPORT_ARCH="{self.options.arch}"')
        if self.options.arch.startswith("gfx94"):
            yield "-DHIPPORT_FNUZ=1"
        # What hipRTC compiles with when the program runs.
        yield from (f'-DHIPPORT_PYTHON="{sys.executable}"', f'-DHIPPORT_COMPILER="{self.compiler.path}"')
        for folder in (*unit.include_dirs, *settings.include_dirs):
            yield f"-I{folder}"
        yield from ("-isystem", str(include_dir() / "cpu"))
        for folder in unit.last_dirs:
            yield from ("-idirafter", folder)
        yield from (*settings.defines, *settings.both, *settings.host)

    def _module(self) -> Iterator[str]:
        """A module has a runtime of its own, which must not mix with that of the program or of other modules."""
        if self.kind is OutputKind.FAT_BINARY:
            yield "-DHIPPORT_MODULE"
            if self.compiler.kind == "g++":
                yield "-fno-gnu-unique"

    def _sanitize(self) -> Iterator[str]:
        if self.options.sanitizers:
            yield f"-fsanitize={','.join(self.options.sanitizers)}"

    def _link(self, objects: Sequence[str], output: str) -> Iterator[str]:
        yield from self.compiler.command
        yield from self._sanitize()
        if self.kind is not OutputKind.EXECUTABLE:
            yield "-shared"
        if self.kind is OutputKind.FAT_BINARY:
            yield "-Wl,-Bsymbolic"
        yield from (*(safe(item) for item in objects), "-o", output)
        yield from (flag for flag in self.settings.link if flag not in _IN_HEADERS)
        if self.compiler.host is None:  # those that can be built for from elsewhere switch stacks by themselves
            yield "-lboost_context"
        yield from ("-pthread", "-ldl")
