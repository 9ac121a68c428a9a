"""Functions of the host as programs of this machine's HIP release call them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from hipport.audit.evidence import shipped
from hipport.emulate.library import NATIVE
from hipport.mappings.entry import Kind
from scripts.emulated.programs import CPU
from tests.cli.test_build import built
from tests.emulate.conftest import emulated

FOLDER = Path(__file__).parent
_C_NAME = re.compile(r"\b(?:C_NAME|OWN)\(((?:hip|_Z)\w+)")
_DEFINED = re.compile(
    r'\b(?:C_NAME|OWN)\((hip\w+)|asm\("(hip\w+)"\)|^EXPORT\([^,]*, (\w+)|^REFUSE\([^,]*, [^,]*, (\w+)', re.M
)
_PER_THREAD = re.compile(r"DEFINE\((hip\w+)")


@pytest.mark.toolchain
@pytest.mark.slow
def test_memory_types_copy_directions_and_arrays_of_one_slice(cache: Path, tmp_path: Path) -> None:
    source = str(FOLDER / "host_calls.hip")
    built("--offload-arch", "gfx90a", "-DIMAGES", "-o", "host_calls", source, cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./host_calls", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


@pytest.mark.toolchain
@pytest.mark.slow
def test_settings_of_kernels_are_checked_as_the_release_of_the_program_does(cache: Path, tmp_path: Path) -> None:
    """The name of the library that a program was linked with says which release that is."""
    built("--offload-arch", "gfx90a", "-o", "settings", str(FOLDER / "settings.hip"), cwd=tmp_path)
    program = (tmp_path / "settings").read_bytes()
    for release, arguments in ((b"5", ["old"]), (b"6", []), (b"7", [])):
        other = tmp_path / "other"
        other.write_bytes(re.sub(rb"(?<=libamdhip64\.so\.)[5-7]", release, program))
        other.chmod(0o755)
        done = emulated("--emulate", "gfx90a", "./other", *arguments, cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", ""), release


@pytest.mark.toolchain
@pytest.mark.slow
def test_launches_of_wrong_sizes_give_the_errors_of_the_release(cache: Path, tmp_path: Path) -> None:
    source = str(FOLDER / "launch_sizes.hip")
    built("--offload-arch", "gfx90a", "-o", "sizes", source, "--", "-DMODULE", cwd=tmp_path)
    built("--offload-arch", "gfx90a", "--genco", "-o", "sizes.co", source, cwd=tmp_path)
    program = (tmp_path / "sizes").read_bytes()
    for release, error in ((b"5", 1), (b"6", 1), (b"7", 9)):
        other = tmp_path / "other"
        other.write_bytes(re.sub(rb"(?<=libamdhip64\.so\.)[5-7]", release, program))
        other.chmod(0o755)
        done = emulated("--emulate", "gfx90a", "./other", str(error), "sizes.co", cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", ""), release


@pytest.mark.toolchain
@pytest.mark.slow
def test_wrong_calls_give_the_statuses_of_the_release(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx90a", "-o", "calls", str(FOLDER / "wrong_calls.hip"), cwd=tmp_path)
    program = (tmp_path / "calls").read_bytes()
    for release in (5, 6, 7):
        other = tmp_path / "other"
        other.write_bytes(re.sub(rb"(?<=libamdhip64\.so\.)[5-7]", str(release).encode(), program))
        other.chmod(0o755)
        done = emulated("--emulate", "gfx90a", "./other", str(release), cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", ""), release


@pytest.mark.toolchain
@pytest.mark.slow
def test_grids_that_gpus_cannot_number_are_not_run(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx1100,gfx1201", "-o", "grids", str(FOLDER / "large_grids.hip"), cwd=tmp_path)
    done = emulated("--emulate", "gfx1100", "./grids", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "9 blocks 65536, blocks 70000\n", "")
    done = emulated("--emulate", "gfx1201", "./grids", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (1, "9 blocks 65536, ")
    assert "more than 65536 work-groups in y or z" in done.stderr


@pytest.mark.slow
def test_all_functions_of_the_emulator_are_exported(cache: Path) -> None:
    """A function that has a type of a namespace without a name is not: nothing else says so."""
    named = {name for path in NATIVE.glob("api*.cpp") for name in _C_NAME.findall(path.read_text())}
    library = next((cache / "hipport" / "emulator").glob("*/libamdhip64.so"))
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    assert len(named) > 60
    assert named - exported == set()


@pytest.mark.toolchain
@pytest.mark.slow
def test_default_streams_of_threads_and_functions_by_their_names(cache: Path, tmp_path: Path) -> None:
    source = str(FOLDER / "per_thread.hip")
    options = ("--", "-fgpu-default-stream=per-thread")
    built("--offload-arch", "gfx1030", "-o", "per_thread", source, *options, cwd=tmp_path)
    assert b"hipLaunchKernel_spt" in (tmp_path / "per_thread").read_bytes()
    done = emulated("--emulate", "gfx1030", "./per_thread", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


@pytest.mark.toolchain
@pytest.mark.slow
def test_captured_kernels_get_other_arguments(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx90a", "-o", "captured_kernels", str(CPU / "captured_kernels.hip"), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./captured_kernels", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")


@pytest.mark.toolchain
@pytest.mark.slow
def test_objects_that_graphs_keep_and_operations_on_values(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx90a", "-o", "graph_objects", str(CPU / "graph_objects.hip"), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./graph_objects", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")


@pytest.mark.toolchain
@pytest.mark.slow
def test_functions_that_few_programs_call(cache: Path, tmp_path: Path) -> None:
    built("--offload-arch", "gfx90a", "-O", "0", "-o", "host_rest", str(CPU / "host_rest.hip"), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./host_rest", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


_PART = """#include <hip/hip_runtime.h>
__device__ int part(int x) { return x * 7 + 2; }
"""


@pytest.mark.toolchain
@pytest.mark.slow
def test_links_at_run_time(cache: Path, tmp_path: Path) -> None:
    """hipRTC compiles two sources to bitcode; a third one comes in a bundle, and in an archive of bundles."""
    built("--offload-arch", "gfx90a", "-O", "0", "-o", "links", str(FOLDER / "links.hip"), cwd=tmp_path)
    (tmp_path / "part.hip").write_text(_PART, encoding="utf-8")
    options = ("-fgpu-rdc", "--cuda-device-only", "--gpu-bundle-output", "-emit-llvm", "--offload-arch=gfx90a", "-c")
    variables = {**os.environ, "HIP_PLATFORM": "amd"}
    for command in (
        ["hipcc", "-x", "hip", *options, "part.hip", "-o", "bundle.bc"],
        ["ar", "rc", "bundle.a", "bundle.bc"],
    ):
        subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, check=True)
    done = emulated("--emulate", "gfx90a", "./links", "bundle.bc", "bundle.a", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    assert "undefined hidden symbol: part(int)" in done.stderr


def test_every_function_of_hip_is_there_or_refused() -> None:
    """The newest known release counts. Refused functions are in the list that a script writes."""
    names = shipped("rocm")[-1].folder.names
    hip = {name for name, one in names.items() if one.kind is Kind.FUNCTION and one.header.startswith("hip/hip")}
    functions = {name for name in hip if re.match(r"hip(rtc)?[A-Z]", name)}
    texts = [path.read_text() for path in NATIVE.glob("api*.cpp")]
    there = {name for text in texts for found in _DEFINED.findall(text) for name in found}
    there |= {f"{name}_spt" for text in texts for name in _PER_THREAD.findall(text)}
    there |= set(re.findall(r"^(?:EXPORT|SAME_AS)\([^,]*, (\w+)", (NATIVE / "exports.inc").read_text(), re.M))
    assert len(functions) > 450
    assert functions - there == set()
