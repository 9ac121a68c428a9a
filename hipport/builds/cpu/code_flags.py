"""The flags of a build for the CPU that are the same for all units."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.buildfiles.undefined_values import DEFINED_ARGUMENTS
from hipport.builds.cpu.compiler import CxxCompiler
from hipport.builds.cpu.options import CHECKS, CpuOptions
from hipport.builds.request import CompileSettings, OutputKind
from hipport.support import include_dir

# Values that only one lane sets may be passed to functions that broadcast them, as nvcc's device code may: see
# hipport/compat/maybe_undef.h, whose attribute clang has from 16 on, and which the program's own functions lack.
# As on GPUs, an integer that a value is too large for becomes the nearest one, and NaN becomes 0.
_OF_CLANG = (*DEFINED_ARGUMENTS, "-fno-strict-float-cast-overflow")
CHECKS_FOLDER = "cpu/hipport_cpu/checks"
# Every access calls a function of checks/runtime.cpp, which is linked in place of ThreadSanitizer's runtime.
_CHECKED = (
    *("-fsanitize=thread,alignment", "-DHIPPORT_CHECKS=1", "-fno-vectorize", "-fno-slp-vectorize"),
    *("-mllvm", "-tsan-distinguish-volatile", "-mllvm", "-tsan-instrument-func-entry-exit=0"),
)


@dataclass(frozen=True, slots=True)
class CodeFlags:
    """The flags with which a compiler makes code for a kind of output."""

    compiler: CxxCompiler
    settings: CompileSettings
    options: CpuOptions
    kind: OutputKind

    def of_objects(self) -> Iterator[str]:
        """Yield all flags but for the standard and the include folders."""
        checks, debug = self.options.checks, self.settings.debug
        yield f"-O{self.level}"
        if debug or self.options.sanitizers or checks:
            yield from ("-g1" if checks and not debug else "-g", "-fno-omit-frame-pointer")
        else:
            yield "-g1"  # lines for reports of faults in kernels
        yield from self.meaning()

    @property
    def level(self) -> str:
        return "1" if self.options.checks else self.settings.optimize

    @property
    def links_checks(self) -> bool:
        """Return whether the product gets the runtime of the checks: a module uses that of the program."""
        return self.options.checks and self.kind in (OutputKind.EXECUTABLE, OutputKind.SHARED)

    def sanitizers(self) -> str:
        return f"-fsanitize={','.join(self.options.sanitizers)}"

    def meaning(self) -> Iterator[str]:
        """Yield the flags that decide what code means, in whatever form."""
        settings = self.settings
        # GPUs do not fuse products unless told to, and have neither errno nor traps.
        yield from ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
        if self.compiler.kind == "clang++":
            yield from _OF_CLANG
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
            yield from (*_CHECKED, f"-fsanitize-ignorelist={include_dir() / CHECKS_FOLDER / 'ignored.txt'}")
        elif self.options.sanitizers:
            yield self.sanitizers()

    def _modes(self) -> Iterator[str]:
        if self.options.lockstep:
            yield "-DHIPPORT_LOCKSTEP=1"
        if CHECKS not in self.options.sanitizers:
            yield "-DHIPPORT_QUIET=1"
