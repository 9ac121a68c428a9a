"""Drivers that call clang through hipcc or as clang++. They only build argument lists; nothing is run here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hipport.builds.arguments import (
    dependency_arguments,
    device_arguments,
    device_dependency_arguments,
    device_link_arguments,
    host_arguments,
    host_target_arguments,
    rdc_arguments,
    safe,
    safe_code_arguments,
    undefined_value_arguments,
)
from hipport.builds.request import CompileSettings, Unit
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.hip import Hip
from hipport.toolchain.target_id import TargetID

_SYSTEM_FOLDERS = ("/usr/lib", "/lib")


DeviceLink = tuple[Sequence[TargetID], str]
"""What a link of device code needs: the targets and the folder of the device libraries."""


class Driver(Protocol):
    """Builds the commands of a build."""

    def device_object(self, unit: Unit, target: TargetID, output: str, device_libraries: str) -> Iterator[str]:
        """Compile a unit for one target to a bare code object."""

    def host_object(self, unit: Unit, output: str, fat_binary: str | None) -> Iterator[str]:
        """Compile a unit for the host; `fat_binary` is embedded, and None for a unit without device code."""

    def rdc_object(self, unit: Unit, targets: Sequence[TargetID], output: str, device_libraries: str) -> Iterator[str]:
        """Compile a unit for the host and all targets to an object whose device code is linked later."""

    def link(
        self, objects: Sequence[str], output: str, *, shared: bool, rdc: DeviceLink | None = None
    ) -> Iterator[str]:
        """Link objects with the HIP runtime; an object `@FILE` stands for the list in that file.

        With `rdc`, device code is linked too.
        """


@dataclass(frozen=True, slots=True)
class HipccDriver:
    """hipcc, which finds headers and libraries itself.

    It builds a shell command and quotes every argument except one that follows `-o`, so `-o` is joined to its path.
    Without a target it would query the machine's GPUs, so it is always given one.
    """

    compiler: Compiler
    settings: CompileSettings
    target: TargetID
    pic: bool = False

    def device_object(self, unit: Unit, target: TargetID, output: str, device_libraries: str) -> Iterator[str]:
        arguments = device_arguments(unit, target, self.settings, device_libraries)
        dependencies = device_dependency_arguments(output, self.compiler.clang)
        yield from self._compile(unit, output, [*safe_code_arguments(self.compiler.clang), *arguments], dependencies)

    def host_object(self, unit: Unit, output: str, fat_binary: str | None) -> Iterator[str]:
        arguments = host_arguments(unit, self.settings, fat_binary=fat_binary, pic=self.pic)
        told = [f"--offload-arch={self.target}"]
        yield from self._compile(unit, output, [*told, *arguments])

    def _compile(
        self, unit: Unit, output: str, arguments: Iterable[str], dependencies: Iterable[str] = ()
    ) -> Iterator[str]:
        undefined = undefined_value_arguments(unit, self.compiler.clang)
        yield from (str(self.compiler.path), "-x", unit.language.value, *undefined, *arguments)
        yield from (*(dependencies or dependency_arguments(output)), "-c", safe(unit.path), f"-o{output}")

    def rdc_object(self, unit: Unit, targets: Sequence[TargetID], output: str, device_libraries: str) -> Iterator[str]:
        yield from self._compile(unit, output, rdc_arguments(unit, targets, self.settings, device_libraries, self.pic))

    def link(
        self, objects: Sequence[str], output: str, *, shared: bool, rdc: DeviceLink | None = None
    ) -> Iterator[str]:
        """Link objects; hipcc adds the runtime."""
        yield str(self.compiler.path)
        yield from device_link_arguments(*rdc, self.compiler.clang) if rdc else (f"--offload-arch={self.target}",)
        if shared:
            yield "-shared"
        yield from (*(safe(item) for item in objects), f"-o{output}", *self.settings.link)


@dataclass(frozen=True, slots=True)
class ClangDriver:
    """clang++ or amdclang++, which must be told where HIP is."""

    compiler: Compiler
    settings: CompileSettings
    hip: Hip
    pic: bool = False

    def device_object(self, unit: Unit, target: TargetID, output: str, device_libraries: str) -> Iterator[str]:
        arguments = device_arguments(unit, target, self.settings, device_libraries)
        dependencies = device_dependency_arguments(output, self.compiler.clang)
        safe_code = safe_code_arguments(self.compiler.clang)
        yield from self._compile(unit, output, [*self._place(), *safe_code, *arguments], dependencies)

    def host_object(self, unit: Unit, output: str, fat_binary: str | None) -> Iterator[str]:
        arguments = host_arguments(unit, self.settings, fat_binary=fat_binary, pic=self.pic)
        place = self._place() if fat_binary is not None else self._headers()
        yield from self._compile(unit, output, [*place, *arguments])

    def _compile(
        self, unit: Unit, output: str, arguments: Iterable[str], dependencies: Iterable[str] = ()
    ) -> Iterator[str]:
        undefined = undefined_value_arguments(unit, self.compiler.clang)
        yield from (str(self.compiler.path), "-x", unit.language.value, *undefined, *arguments)
        yield from (*(dependencies or dependency_arguments(output)), "-c", safe(unit.path), "-o", output)

    def _place(self) -> Iterator[str]:
        yield f"--rocm-path={self.hip.root}"
        # Debian has no .hipVersion file; without a version clang 15 leaves its HIP wrapper headers out.
        if self.hip.version:
            yield f"--hip-version={self.hip.version}"

    def _headers(self) -> Iterator[str]:
        """Add HIP's headers to a non-HIP unit; the compiler's own include folder must not be named again."""
        if self.hip.include != Path("/usr/include"):
            yield from ("-isystem", str(self.hip.include))

    def rdc_object(self, unit: Unit, targets: Sequence[TargetID], output: str, device_libraries: str) -> Iterator[str]:
        arguments = rdc_arguments(unit, targets, self.settings, device_libraries, self.pic)
        yield from self._compile(unit, output, [*self._place(), *arguments])

    def link(
        self, objects: Sequence[str], output: str, *, shared: bool, rdc: DeviceLink | None = None
    ) -> Iterator[str]:
        """Link objects with the HIP runtime, with an rpath to its current folder."""
        yield from (str(self.compiler.path), *host_target_arguments(self.settings))
        if rdc:
            yield from (*self._place(), *device_link_arguments(*rdc, self.compiler.clang))
        if shared:
            yield "-shared"
        yield from (*(safe(item) for item in objects), "-o", output, *self.settings.link)
        yield f"-L{self.hip.library}"
        if not self.settings.host_target and not str(self.hip.library).startswith(_SYSTEM_FOLDERS):
            yield f"-Wl,-rpath,{self.hip.library}"
        yield "-lamdhip64"
