"""`hipport run --emulate`: executables for AMD GPUs run on this processor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.cli.test_build import built
from tests.emulate.conftest import TARGETS, emulated, fixture_programs
from tests.fixtures.programs import Program

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

LATE = """\
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void wait_for_all(int *arrived, int blocks, int *seen) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < blocks) __builtin_amdgcn_s_sleep(1);
    atomicAdd(seen, *arrived);
  }
}
__global__ void fails(int *p) { if (*p == 0) __builtin_trap(); }
int main(int argc, char **) {
  int *p = nullptr, blocks = 6, found = 0;
  hipMalloc(reinterpret_cast<void **>(&p), 8);
  hipMemset(p, 0, 8);
  if (argc > 1) {
    std::printf("before\\n");
    fails<<<1, 64>>>(p);
    std::printf("after\\n");
    return 0;
  }
  int *seen = p + 1;
  void *arguments[] = {&p, &blocks, &seen};
  const void *kernel = reinterpret_cast<const void *>(wait_for_all);
  hipLaunchCooperativeKernel(kernel, dim3(blocks), dim3(64), arguments, 0, nullptr);
  hipMemcpy(&found, seen, 4, hipMemcpyDeviceToHost);
  hipDeviceProp_t device;
  hipGetDeviceProperties(&device, 0);
  std::printf("%d seen on %s, %d lanes\\n", found, device.gcnArchName, device.warpSize);
}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("program", fixture_programs(), ids=lambda program: program.name)
def test_fixture_programs_pass_as_machine_code(executables: Path, cache: Path, program: Program, target: str) -> None:
    done = emulated("--emulate", target, str(executables / program.name), cwd=program.folder, cache=cache)
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("late")
    (folder / "late.hip").write_text(LATE)
    built("--offload-arch", "gfx90a,gfx1030", "-o", "late", "late.hip", cwd=folder)
    return folder / "late"


@pytest.mark.parametrize(("target", "lanes"), [("gfx90a", 64), ("gfx1030", 32)])
def test_work_groups_of_a_cooperative_launch_wait_for_each_other(
    late: Path, cache: Path, target: str, lanes: int
) -> None:
    done = emulated("--emulate", target, "./late", cwd=late.parent, cache=cache)
    assert (done.returncode, done.stdout) == (0, f"36 seen on {target}, {lanes} lanes\n"), done.stderr


def test_a_trap_names_the_kernel_and_keeps_the_output(late: Path, cache: Path) -> None:
    done = emulated("--emulate", "any", "./late", "fail", cwd=late.parent, cache=cache)
    assert (done.returncode, done.stdout) == (1, "before\n")
    assert done.stderr.startswith("hipport: fails(int*): a trap instruction was executed")


def test_missing_code_names_what_there_is(late: Path, cache: Path, tmp_path: Path) -> None:
    done = emulated("--emulate", "gfx1100", str(late), cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert "there is no code for gfx1100, only for gfx" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--emulate", "gfx9", "program"), "gfx9 cannot be emulated"),
        (("--emulate", "gfx90a", "./nothing"), "./nothing: no such program"),
    ],
)
def test_wrong_usage_is_one_error(tmp_path: Path, cache: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    done = emulated(*arguments, cwd=tmp_path, cache=cache)
    assert done.returncode == 2
    assert message in done.stderr


def _functions(library: Path) -> set[str]:
    with library.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".dynsym")
        assert isinstance(section, SymbolTableSection)
        symbols = section.iter_symbols()
        return {one.name for one in symbols if one["st_shndx"] != "SHN_UNDEF" and one["st_info"]["type"] == "STT_FUNC"}


def test_the_functions_of_amds_library_are_there(cache: Path) -> None:
    """A program that calls one that is not would not even be loaded."""
    found = [path for folder in ("/usr/lib", "/opt/rocm/lib") for path in Path(folder).rglob("libamdhip64.so")]
    assert found, "libamdhip64-dev is not installed"
    wanted = {name for name in _functions(found[0]) if re.match("hip(rtc)?[A-Z]", name)}
    # What tracers call.
    tracing = {name for name in wanted if re.search("Callback|hipApiName|hipGetCmdName|hipKernelNameRefByPtr", name)}
    ours = _functions(next((cache / "hipport" / "emulator").glob("*/libamdhip64.so")))
    assert sorted(wanted - tracing - ours) == []
