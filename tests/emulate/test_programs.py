"""`hipport run --emulate`: executables for AMD GPUs run on this processor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection
from elftools.elf.sections import SymbolTableSection

from tests.cli.test_build import built
from tests.emulate.conftest import FIXTURES, RUNS, TARGETS, emulated
from tests.shared import made_once

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


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_fixture_programs_pass_as_machine_code(
    executable: Callable[[str], Path], cache: Path, name: str, target: str
) -> None:
    program = FIXTURES[name]
    done = emulated("--emulate", target, str(executable(name)), *program.args, cwd=program.folder, cache=cache)
    assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("vectors", ["avx512", "avx2", "none"])
@pytest.mark.parametrize("name", ["reduction", "stencil2d"])
def test_programs_pass_with_fewer_vector_instructions(
    executable: Callable[[str], Path], cache: Path, name: str, vectors: str
) -> None:
    program = FIXTURES[name]
    path = executable(name)
    for target in (target for each, target in RUNS if each == name):
        arguments = ("--emulate", target, str(path), *program.args)
        done = emulated(*arguments, cwd=program.folder, cache=cache, HIPPORT_VECTORS=vectors)
        assert re.search(program.expect, done.stdout, re.MULTILINE), done.stdout + done.stderr
        assert (done.returncode, done.stderr) == (0, "")


def test_vector_instructions_that_are_not_known_stop_the_program(
    executable: Callable[[str], Path], cache: Path
) -> None:
    path = executable("reduction")
    done = emulated("--emulate", str(path), cwd=path.parent, cache=cache, HIPPORT_VECTORS="avx3")
    assert done.returncode != 0
    assert "HIPPORT_VECTORS is avx3, which is none of avx512, avx2 and none" in done.stderr


def test_each_target_runs_several_programs() -> None:
    assert min(Counter(target for _, target in RUNS).values()) > 1
    assert {target for _, target in RUNS} == set(TARGETS)


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        (folder / "late.hip").write_text(LATE)
        built("--offload-arch", "gfx90a,gfx1030", "-o", "late", "late.hip", cwd=folder)

    return made_once(tmp_path_factory, "emulated-late", make) / "late"


@pytest.mark.parametrize(("target", "lanes"), [("gfx90a", 64), ("gfx1030", 32)])
def test_work_groups_of_a_cooperative_launch_wait_for_each_other(
    late: Path, cache: Path, target: str, lanes: int
) -> None:
    done = emulated("--emulate", target, "./late", cwd=late.parent, cache=cache)
    assert (done.returncode, done.stdout) == (0, f"36 seen on {target}, {lanes} lanes\n"), done.stderr


@pytest.mark.parametrize(
    ("target", "seen"),
    [((), "gfx90a, 64"), (("gfx90a:xnack+",), "gfx90a, 64"), (("any", "--libraries", "installed"), "gfx90a, 64")],
    ids=["none", "feature", "any"],
)
def test_the_target_may_be_left_out_or_name_features(
    late: Path, cache: Path, target: tuple[str, ...], seen: str
) -> None:
    done = emulated("--emulate", *target, "./late", cwd=late.parent, cache=cache)
    assert (done.returncode, done.stdout) == (0, f"36 seen on {seen} lanes\n"), done.stderr


def test_code_for_other_gpus_only_is_one_error(late: Path, cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    ids = late.read_bytes().replace(b"--gfx90a", b"--gfx906").replace(b"--gfx1030", b"--gfx1031")
    other.write_bytes(ids)
    other.chmod(0o755)
    done = emulated("--emulate", "./other", "fail", cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert done.stderr.endswith("there is no code for a GPU that is emulated, only for gfx906, gfx1031\n")


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
        (("--emulate", "gfx1030:xnack+", "program"), "target gfx1030 has no feature 'xnack'"),
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


def _versions(library: Path) -> set[str]:
    with library.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".gnu.version_d")
        assert isinstance(section, GNUVerDefSection)
        return {next(names).name for _, names in section.iter_versions()}


_VERSIONS = (
    "4.2",
    "4.3",
    "4.4",
    "4.5",
    "5.0",
    "5.1",
    "5.2",
    "5.3",
    "5.5",
    "5.6",
    "6.0",
    "6.1",
    "6.2",
    "6.4",
    "6.5",
    "7.1",
    "7.2",
)
"""The versions of functions in the libraries of ROCm up to 7.2."""


def test_the_versions_of_amds_library_are_there(cache: Path) -> None:
    """A program that asks for a function of another version would not be loaded."""
    ours = _versions(next((cache / "hipport" / "emulator").glob("*/libamdhip64.so")))
    assert {f"hip_{version}" for version in _VERSIONS} <= ours


def test_the_functions_of_amds_library_are_there(cache: Path) -> None:
    """A program that calls one that is not would not even be loaded."""
    found = [path for folder in ("/usr/lib", "/opt/rocm/lib") for path in Path(folder).rglob("libamdhip64.so")]
    assert found, "libamdhip64-dev is not installed"
    # What AMD's debugger reads has no place here.
    wanted = {name for name in _functions(found[0]) if not name.startswith("amd_dbgapi_")}
    ours = _functions(next((cache / "hipport" / "emulator").glob("*/libamdhip64.so")))
    assert sorted(wanted - ours) == []
