"""Commands of builds for NVIDIA GPUs: nvcc compiles each unit for all targets and links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.buildfiles.arguments import nvcc_option
from hipport.builds.arguments import depfile, safe
from hipport.builds.nvidia.headers import by_hand
from hipport.builds.nvidia.targets import NvidiaTarget, code_options
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.support import include_dir

_LANGUAGES = {Language.HIP: "cu", Language.CXX: "c++", Language.C: "c"}
AS_HIP = ("--extended-lambda", "--expt-relaxed-constexpr", "-Wno-deprecated-declarations")
"""Options for features that HIP's compilers accept by default."""

_TO_HOST = ("-W", "-f", "-m")


@dataclass(frozen=True, slots=True)
class NvidiaPlanner:
    """Plans builds in the build folder `folder`; `headers` are written there, `objects` are existing link inputs."""

    nvcc: Path
    settings: CompileSettings
    targets: tuple[NvidiaTarget, ...]
    folder: str
    kind: OutputKind
    headers: Mapping[str, str]
    objects: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The folder of the headers generated from the tables."""
        return f"{self.folder}/cuda"

    def plan(self, units: Sequence[Unit]) -> BuildPlan:
        """Return the plan that builds these units."""
        files = tuple((f"{self.names}/{name}", text) for name, text in self.headers.items())
        if self.kind is OutputKind.FAT_BINARY:
            step = self._compile(units[0], "fatbin", "--fatbin")
            return BuildPlan((step,), step.output, files)
        steps = [self._compile(unit, "o", "-c") for unit in units]
        output = f"{self.folder}/product"
        objects = (*(step.output for step in steps), *self.objects)
        link = BuildStep(StepKind.LINK, "link", tuple(self._link(objects, output)), objects, output)
        return BuildPlan((*steps, link), output, files)

    def _compile(self, unit: Unit, suffix: str, mode: str) -> BuildStep:
        output = f"{self.folder}/{unit.key}/nvidia.{suffix}"
        command = (
            *(str(self.nvcc), "-x", _LANGUAGES[unit.language], *self._flags(unit)),
            *("-MD", "-MF", depfile(output), "-MT", output, mode, safe(unit.path), "-o", output),
        )
        what = ", ".join(map(str, self.targets)) or "NVIDIA GPUs"
        for_what = what if unit.language is Language.HIP else "the host"
        return BuildStep(StepKind.HOST, f"{unit.name} for {for_what}", command, (unit.path,), output, depfile(output))

    def _flags(self, unit: Unit) -> Iterator[str]:
        settings = self.settings
        if unit.language is not Language.C:
            yield f"-std={settings.std}"
        yield f"-O{settings.optimize}"
        if settings.debug:
            yield from ("-g", "-lineinfo")
        if settings.save_temps:
            yield from ("--keep", "--keep-dir", f"{self.folder}/{unit.key}")
        if self.kind in (OutputKind.SHARED, OutputKind.STATIC):
            yield from ("-Xcompiler", "-fPIC")
        if settings.rdc and unit.language is Language.HIP:
            yield "-rdc=true"
        if unit.language is Language.HIP:
            yield from (*code_options(self.targets), *AS_HIP, "-include", "hip/hip_runtime.h")
        yield "-D__HIP_PLATFORM_NVIDIA__"
        yield from self._include_dirs(unit)
        yield from settings.defines
        yield from _for_nvcc(settings.both)
        if unit.language is Language.HIP:
            yield from _for_nvcc(settings.device)
        yield from (word for flag in settings.host for word in ("-Xcompiler", flag))

    def _include_dirs(self, unit: Unit) -> Iterator[str]:
        own = str(include_dir())
        for folder in (*unit.include_dirs, *(folder for folder in self.settings.include_dirs if folder != own)):
            yield f"-I{folder}"
        for folder in (str(by_hand()), self.names, own):
            yield from ("-isystem", folder)
        for folder in unit.last_dirs:
            yield from ("-Xcompiler", "-idirafter", "-Xcompiler", folder)

    def _link(self, objects: Sequence[str], output: str) -> Iterator[str]:
        yield str(self.nvcc)
        yield from code_options(self.targets)
        if self.kind is OutputKind.SHARED:
            yield "-shared"
        yield from (*(safe(item) for item in objects), "-o", output)
        yield from _for_linker(self.settings.link)


_IMPRECISE = "hip-fp32-correctly-rounded-divide-sqrt"
_ARITHMETIC = {
    "-ffast-math": ("--use_fast_math",),
    "-fcuda-approx-transcendentals": ("--use_fast_math",),
    "-fgpu-flush-denormals-to-zero": ("--ftz=true",),
    "-fno-gpu-flush-denormals-to-zero": ("--ftz=false",),
    f"-f{_IMPRECISE}": ("--prec-div=true", "--prec-sqrt=true"),
    f"-fno-{_IMPRECISE}": ("--prec-div=false", "--prec-sqrt=false"),
    "-ffp-contract=off": ("--fmad=false", "-Xcompiler", "-ffp-contract=off"),
}
"""nvcc's options for those of Clang for the arithmetic of device code."""


def _for_nvcc(flags: Iterable[str]) -> Iterator[str]:
    """Yield compile flags, prefixing those that nvcc has to pass to the host compiler."""
    for flag in flags:
        if flag in _ARITHMETIC:
            yield from _ARITHMETIC[flag]
        elif flag.startswith(_TO_HOST):
            yield from ("-Xcompiler", flag)
        else:
            yield flag


def _for_linker(flags: Iterable[str]) -> Iterator[str]:
    for flag in flags:
        if flag.startswith("-Wl,"):
            yield from ("-Xlinker", flag[len("-Wl,") :])
        elif flag.startswith(("-L", "-l", "-X")) or nvcc_option(flag) is not None:
            yield flag
        else:
            yield from ("-Xcompiler", flag)
