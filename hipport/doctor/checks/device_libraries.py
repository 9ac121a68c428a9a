"""Check that the compiler can read the device libraries' bitcode, and that they support each processor."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.builds.amd.device_libraries import missing
from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine
from hipport.toolchain.bitcode import llvm_release
from hipport.toolchain.hip import Hip

TITLE = "device libraries"
AREA = Area.COMPILERS
_VARIABLES = ("HIP_DEVICE_LIB_PATH", "DEVICE_LIB_PATH")


def run(machine: Machine) -> Iterator[Finding]:
    """Check the libraries that a build would use."""
    yield from _variables(machine)
    if machine.hip is not None:
        found = [*_too_new(machine, machine.hip), *_missing(machine, machine.hip)]
        yield from found or [ok(f"{machine.hip.device_libraries}, for all targets")]


def _variables(machine: Machine) -> Iterator[Finding]:
    for name in _VARIABLES:
        value = machine.variable(name)
        if value and not (machine.where.root / value / "ocml.bc").is_file():
            fix = SetVariable(name, None)
            yield error(f"{name} is {value}, which has no device libraries", f"{fix}", fix)


def _too_new(machine: Machine, hip: Hip) -> Iterator[Finding]:
    """Report bitcode that is newer than the compiler: only the LLVM that wrote it, and later ones, can read it."""
    wrote = llvm_release(hip.device_libraries / "ocml.bc")
    for compiler in machine.compilers[:1] if wrote else ():
        if wrote is not None and int(compiler.clang.split(".")[0]) < wrote:
            yield error(
                f"the device libraries are bitcode of LLVM {wrote}, which {compiler} cannot read",
                f"Use the clang++ of LLVM {wrote}, or the device libraries of {compiler.kind}'s own release: "
                f"they are in {hip.device_libraries}",
            )


def _missing(machine: Machine, hip: Hip) -> Iterator[Finding]:
    lacking = [target.processor for target in machine.targets if missing(target, hip.device_libraries)]
    chosen = next((name for name in _VARIABLES if machine.variable(name) == str(hip.device_libraries)), None)
    if lacking and chosen:
        fix = SetVariable(chosen, None)
        yield error(
            f"{chosen} is {hip.device_libraries}, which has no device libraries for {', '.join(lacking)}", f"{fix}", fix
        )
    elif lacking:
        yield warning(
            f"{hip.device_libraries} has no device libraries for {', '.join(dict.fromkeys(lacking))}; hipcc needs them",
            "Build with `hipport build`, which creates the missing file, or install a ROCm release that has them",
        )
