"""Builds for other hosts: their tools, and the stub of HIP's runtime library."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.amd.other_host import other_host
from hipport.builds.amd.runtime_stub import Exports, exports, with_stub
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.errors import HipportError
from hipport.toolchain.hip import LIBRARY, find_hip
from hipport.toolchain.hosts import HOSTS
from hipport.toolchain.places import Surroundings
from tests import served
from tests.builds.fakes import clang_driver, device_libraries, planner, unit
from tests.small_hip import SMALL_HIP
from tests.toolchain.fakes import file, program

TRIPLE = "riscv64-linux-gnu"
SOURCE = """\
#include <hip/hip_runtime.h>
__global__ void fill(float* x, long double y) { x[threadIdx.x] = y; }
int main() {
  float* x = nullptr;
  if (hipMalloc((void**)&x, 256) != hipSuccess) return 1;
  fill<<<1, 64>>>(x, 2);
  return hipDeviceSynchronize();
}
"""


def request(**settings: object) -> BuildRequest:
    chosen = replace(CompileSettings(host_target=TRIPLE), **settings)  # type: ignore[arg-type]
    return BuildRequest(("a.hip",), "out", ("gfx90a",), settings=chosen)


@pytest.fixture
def where(tmp_path: Path) -> Surroundings:
    for name in ("g++", "ar"):
        program(tmp_path / f"usr/bin/{TRIPLE}-{name}")
    return Surroundings({"PATH": ""}, tmp_path)


def test_this_machine_needs_nothing() -> None:
    assert other_host(replace(request(), settings=CompileSettings()), Surroundings({}, Path("/nowhere"))) is None


def test_a_stub_is_linked_where_there_is_no_runtime(where: Surroundings) -> None:
    found = other_host(request(), where)
    assert found is not None
    assert (found.library, found.stub) == (Path("out.build/runtime"), True)
    assert "stub" in "".join(found.notes())


@pytest.mark.parametrize("folder", [f"usr/lib/{TRIPLE}", f"usr/{TRIPLE}/lib", "own"])
def test_the_host_s_own_runtime_goes_before(where: Surroundings, folder: str) -> None:
    file(where.root / folder / LIBRARY)
    found = other_host(request(link=(f"-L{where.root}/own",)), where)
    assert found is not None
    assert (found.library, found.stub, list(found.notes())) == (where.root / folder, False, [])


@pytest.mark.parametrize("kind", [OutputKind.STATIC, OutputKind.FAT_BINARY])
def test_what_is_not_linked_needs_no_runtime(where: Surroundings, kind: OutputKind) -> None:
    found = other_host(replace(request(), kind=kind), where)
    assert found is not None and not found.stub


@pytest.mark.parametrize("settings", [{"rdc": True}, {"both": ("-fgpu-rdc",)}])
def test_linking_device_code_is_refused_for_riscv(where: Surroundings, settings: dict[str, object]) -> None:
    with pytest.raises(HipportError, match=f"-fgpu-rdc is not supported for {TRIPLE}"):
        other_host(request(**settings), where)


def test_the_stub_is_made_before_the_link_that_waits_for_it(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a"), "gfx90a", driver=clang_driver()).plan([unit()])
    stubbed = with_stub(plan, Exports("libamdhip64.so.6", ("hipFree",)), Path("/bin/clang++"), HOSTS[TRIPLE], "b/r")
    *_, stub, link = stubbed.steps
    assert stub.output == "b/r/libamdhip64.so" and stub.output in link.inputs
    assert {f"--target={TRIPLE}", "-Wl,-soname,libamdhip64.so.6"} <= set(stub.command)
    assert stubbed.files[-1] == ("b/r/stub.s", ".text\n.globl hipFree\n.type hipFree, %function\nhipFree:\n")


def hipport(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return served.hipport(*arguments, cwd=folder, env={**os.environ, **SMALL_HIP})


@pytest.mark.toolchain
def test_the_names_are_those_of_the_runtime_here() -> None:
    found = exports(find_hip(Surroundings()).library / LIBRARY)
    assert found.soname.startswith("libamdhip64.so.")
    assert {"hipMalloc", "__hipRegisterFatBinary"} <= set(found.names)
    assert "malloc" not in found.names


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(("triple", "compiler"), [(TRIPLE, "hipcc"), ("aarch64-linux-gnu", "clang++")])
def test_a_program_for_another_host_holds_the_fat_binary(tmp_path: Path, triple: str, compiler: str) -> None:
    (tmp_path / "a.hip").write_text(SOURCE)
    options = ("--offload-arch", "gfx90a,gfx1030", "--host-target", triple, "--compiler", compiler)
    done = hipport("build", "a.hip", "-o", "a", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    machine = triple.split("-", maxsplit=1)[0]
    header = subprocess.run(["readelf", "-hd", "a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert {"riscv64": "RISC-V", "aarch64": "AArch64"}[machine] in header
    assert "libamdhip64.so." in header
    (binary,) = json.loads(hipport("inspect", "--json", "a", folder=tmp_path).stdout)["files"]
    host, *code = binary["bundles"][0]["entries"]
    assert host["triple"] == f"{machine}-unknown-linux-gnu"
    assert [entry["target_id"] for entry in code] == ["gfx90a", "gfx1030"]
    assert [kernel["name"] for kernel in code[0]["kernels"]] == ["_Z4fillPfe"]
    assert run_there(tmp_path / "a", triple) == ["48495046 1 __CLANG_OFFLOAD_BUNDLE__", "_Z4fillPfe", "end"]


def run_there(program: Path, triple: str) -> list[str]:
    """Run a program in qemu with a fake HIP runtime, and return the calls that the runtime printed."""
    soname = exports(find_hip(Surroundings()).library / LIBRARY).soname
    library = program.parent / soname
    source = Path(__file__).parent / "programs" / "runtime.c"
    make = [f"{triple}-gcc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{soname}", str(source), "-o", str(library)]
    subprocess.run(make, check=True)
    machine = triple.split("-", maxsplit=1)[0]
    command = [f"qemu-{machine}", "-L", f"/usr/{triple}", "-E", f"LD_LIBRARY_PATH={program.parent}", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, "hipMalloc has no memory: " + done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.toolchain
def test_names_that_hip_does_not_have_are_still_missed(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text('extern "C" int hipNoSuch();\nint main() { return hipNoSuch(); }\n')
    done = hipport("build", "a.cpp", "-o", "a", "--offload-arch", "gfx90a", "--host-target", TRIPLE, folder=tmp_path)
    assert done.returncode == 1
    assert "undefined reference to `hipNoSuch'" in done.stderr


def test_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(SOURCE)
    unknown = hipport("build", "a.hip", "-o", "a", "--target", "cpu", "--host-target", "vax", folder=tmp_path)
    assert (unknown.returncode, "unknown host 'vax'" in unknown.stderr) == (2, True)
    nvidia = hipport("build", "a.hip", "-o", "a", "--target", "nvidia", "--host-target", TRIPLE, folder=tmp_path)
    assert (nvidia.returncode, "--host-target needs --target amd or cpu" in nvidia.stderr) == (2, True)
