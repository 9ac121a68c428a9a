"""Fake compilers, installations and planners, for testing argument lists without tools."""

from __future__ import annotations

from pathlib import Path

from hipport.builds.amd.commands import Planner, Tools
from hipport.builds.amd.drivers import ClangDriver, Driver, HipccDriver
from hipport.builds.request import CompileSettings, Language, OutputKind, Unit
from hipport.builds.units import unit_key
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.hip import Hip
from hipport.toolchain.target_id import parse_list

ROCM = Path("/opt/rocm")
HIP = Hip(ROCM, "6.2.41133", ROCM / "include", ROCM / "lib", ROCM / "amdgcn/bitcode")
CLANG = Compiler("amdclang++", ROCM / "bin/amdclang++", "18.0.0", "18.0.0", ROCM / "llvm/bin", frozenset())
HIPCC = Compiler("hipcc", ROCM / "bin/hipcc", "6.2.41133", "18.0.0", ROCM / "llvm/bin", frozenset())


def clang_driver(settings: CompileSettings | None = None, *, pic: bool = False) -> ClangDriver:
    return ClangDriver(CLANG, settings or CompileSettings(), HIP, pic)


def hipcc_driver(settings: CompileSettings | None = None, *, pic: bool = False) -> HipccDriver:
    return HipccDriver(HIPCC, settings or CompileSettings(), parse_list(["gfx90a"])[0], pic)


def unit(name: str = "a.hip", language: Language = Language.HIP) -> Unit:
    return Unit(name, name, unit_key(name), language)


def planner(
    device_libraries: Path,
    targets: str = "gfx90a,gfx1100",
    kind: OutputKind = OutputKind.EXECUTABLE,
    driver: Driver | None = None,
) -> Planner:
    tools = Tools(driver or clang_driver(), CLANG.path, ROCM / "llvm/bin/clang-offload-bundler", device_libraries)
    return Planner(tools, "out.build", parse_list([targets]), kind)


def device_libraries(folder: Path, *processors: str) -> Path:
    """Create a folder with device libraries for these processors (`90a`)."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("ocml.bc", *(f"oclc_isa_version_{processor}.bc" for processor in processors)):
        (folder / name).write_bytes(b"BC")
    return folder
