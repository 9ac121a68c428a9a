"""Turn units and targets into build steps for AMD GPUs, without running or writing anything.

There is one compile per unit and target, one bundle and host compile per unit, and one link.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.builds.amd.device_libraries import Constant, missing
from hipport.builds.amd.drivers import Driver
from hipport.builds.arguments import depfile
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import Language, OutputKind, Unit
from hipport.toolchain.target_id import TargetID

_LONG_LINK = 60_000
"""Total length of object names above which they are passed in a file: a shell command is limited to 128 KiB."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs and paths that a plan refers to."""

    driver: Driver
    clang: Path
    bundler: Path
    device_libraries: Path


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans builds in `folder`; `objects` are existing link inputs, `machine` is the host's processor."""

    tools: Tools
    folder: str
    targets: tuple[TargetID, ...]
    kind: OutputKind
    objects: tuple[str, ...] = ()
    rdc: bool = False
    machine: str = "x86_64"

    def plan(self, units: Sequence[Unit]) -> BuildPlan:
        """Return the plan that builds these units."""
        constants = self._constants()
        new = tuple(dict.fromkeys(c for of_target in constants.values() for c in of_target))
        if not any(unit.language is Language.HIP for unit in units):
            new = ()
        steps = [self._assemble(constant) for constant in new]
        objects: list[str] = []
        for unit in units:
            of_unit = list(self._unit(unit, constants))
            steps += of_unit
            objects.append(of_unit[-1].output)
        files = [(self._overlay(f"{c.file}.ll"), c.text) for c in new]
        product = objects[0]
        if self.kind is not OutputKind.FAT_BINARY:
            link, listing = self._link([*objects, *self.objects], self._libraries(new))
            steps.append(link)
            files += listing
            product = link.output
        return BuildPlan(tuple(steps), product, tuple(files), tuple(self._overlay_links(new)) if new else ())

    def _constants(self) -> dict[TargetID, tuple[Constant, ...]]:
        """Return what the libraries lack for each target. An edited library is linked by all that use the overlay."""
        lacking = {target: missing(target, self.tools.device_libraries) for target in self.targets}
        edited = [c for of_target in lacking.values() for c in of_target if c.base is not None]
        return {target: tuple(dict.fromkeys((*own, *edited))) if own else () for target, own in lacking.items()}

    def _overlay(self, name: str) -> str:
        return f"{self.folder}/device-libs/{name}"

    def _overlay_links(self, new: tuple[Constant, ...]) -> Iterator[tuple[str, str]]:
        made = {f"{constant.file}.bc" for constant in new}
        for path in sorted(self.tools.device_libraries.glob("*.bc")):
            if path.name not in made:
                yield self._overlay(path.name), str(path)

    def _assemble(self, constant: Constant) -> BuildStep:
        source, output = self._overlay(f"{constant.file}.ll"), self._overlay(f"{constant.file}.bc")
        read = (str(self.tools.clang), "--target=amdgcn-amd-amdhsa", "-nogpulib", "-x", "ir", "-emit-llvm")
        write = (*read, "-c", source, "-o", output)
        if constant.base is None:
            return BuildStep(StepKind.ASSEMBLE, constant.file, write, (source,), output)
        plain = (*read, "-Xclang", "-disable-llvm-passes", "-Wno-override-module")
        shown = shlex.join((*plain, "-S", str(constant.base), "-o", "-"))
        edited = shlex.join(("sed", *(word for edit in constant.edits for word in ("-e", edit))))
        whole = shlex.join((*plain, "-c", "-", "-o", output))
        # The output may be a link to the installed library, of an earlier build.
        script = f"rm -f {shlex.quote(output)}; {{ {shown} | {edited}; cat {shlex.quote(source)}; }} | {whole}"
        return BuildStep(StepKind.ASSEMBLE, constant.file, ("sh", "-c", script), (source, str(constant.base)), output)

    def _unit(self, unit: Unit, constants: dict[TargetID, tuple[Constant, ...]]) -> Iterator[BuildStep]:
        """Yield the steps of one unit; the last makes the object to link, or the fat binary if that is the product."""
        fat_binary = None
        if unit.language is Language.HIP and self.rdc:
            yield self._relocatable(unit, constants)
            return
        if unit.language is Language.HIP:
            code = [self._device(unit, target, constants[target]) for target in self.targets]
            bundle = self._bundle(unit, [step.output for step in code])
            yield from (*code, bundle)
            fat_binary = bundle.output
        if self.kind is OutputKind.FAT_BINARY:
            return
        output = f"{self.folder}/{unit.key}/host.o"
        command = tuple(self.tools.driver.host_object(unit, output, fat_binary))
        inputs = (unit.path, fat_binary) if fat_binary else (unit.path,)
        yield BuildStep(StepKind.HOST, f"{unit.name} for the host", command, inputs, output, depfile(output))

    def _libraries(self, constants: Iterable[Constant]) -> str:
        """Return the folder of device libraries, or of the overlay if any constants had to be added."""
        return f"{self.folder}/device-libs" if constants else str(self.tools.device_libraries)

    def _relocatable(self, unit: Unit, constants: dict[TargetID, tuple[Constant, ...]]) -> BuildStep:
        """Compile for the host and all targets into one object, whose device code is linked with that of all units."""
        output = f"{self.folder}/{unit.key}/rdc.o"
        made = tuple(constant for of_target in constants.values() for constant in of_target)
        command = tuple(self.tools.driver.rdc_object(unit, self.targets, output, self._libraries(made)))
        inputs = (unit.path, *(self._overlay(f"{c.file}.bc") for c in dict.fromkeys(made)))
        what = ", ".join(map(str, self.targets))
        return BuildStep(StepKind.HOST, f"{unit.name} for the host, {what}", command, inputs, output, depfile(output))

    def _device(self, unit: Unit, target: TargetID, constants: tuple[Constant, ...]) -> BuildStep:
        output = f"{self.folder}/{unit.key}/{str(target).replace(':', '_')}.co"
        libraries = self._libraries(constants)
        command = tuple(self.tools.driver.device_object(unit, target, output, libraries))
        inputs = (unit.path, *(self._overlay(f"{c.file}.bc") for c in constants))
        return BuildStep(StepKind.DEVICE, f"{unit.name} for {target}", command, inputs, output, depfile(output))

    def _bundle(self, unit: Unit, code: list[str]) -> BuildStep:
        output = f"{self.folder}/{unit.key}/{unit.key}.hipfb"
        # With the environment (gnu): LLVM 21 rejects a triple of three parts, 15 to 20 accept both.
        entries = [f"host-{self.machine}-unknown-linux-gnu"]
        entries += [f"hipv4-amdgcn-amd-amdhsa--{target}" for target in self.targets]
        inputs = ("/dev/null", *code)
        command = (
            str(self.tools.bundler),
            "-type=o",
            "-bundle-align=4096",
            f"-targets={','.join(entries)}",
            *(f"-input={path}" for path in inputs),
            f"-output={output}",
        )
        return BuildStep(StepKind.BUNDLE, f"{unit.name}: bundle", command, tuple(code), output)

    def _link(self, objects: list[str], libraries: str) -> tuple[BuildStep, list[tuple[str, str]]]:
        """Return the link step, and the file listing the objects if they are too many for a command line."""
        shared = self.kind is OutputKind.SHARED
        output = f"{self.folder}/product"
        operands, listing = objects, []
        if sum(len(path) + 3 for path in objects) > _LONG_LINK:
            listing = [(f"{self.folder}/objects.txt", "".join(f"{path}\n" for path in objects))]
            operands = [f"@{self.folder}/objects.txt"]
        rdc = (self.targets, libraries) if self.rdc else None
        command = tuple(self.tools.driver.link(operands, output, shared=shared, rdc=rdc))
        inputs = (*objects, *(path for path, _ in listing))
        return BuildStep(StepKind.LINK, "link", command, inputs, output), listing
