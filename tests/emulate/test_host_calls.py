"""Functions of the host as programs of this machine's HIP release call them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.emulate.library import NATIVE
from hipport.mappings.life import release
from hipport.toolchain.hip import installed_version
from hipport.toolchain.places import Surroundings
from scripts.emulated.programs import CPU
from tests.cli.test_build import built
from tests.emulate.conftest import emulated

_C_NAME = re.compile(r"\b(?:C_NAME|OWN)\(((?:hip|_Z)\w+)")


@pytest.mark.toolchain
@pytest.mark.slow
def test_memory_types_copy_directions_and_arrays_of_one_slice(cache: Path, tmp_path: Path) -> None:
    source = str(Path(__file__).parent / "host_calls.hip")
    built("--offload-arch", "gfx90a", "-DIMAGES", "-o", "host_calls", source, cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./host_calls", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


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
    source = str(Path(__file__).parent / "per_thread.hip")
    options = ("--", "-fgpu-default-stream=per-thread")
    built("--offload-arch", "gfx1030", "-o", "per_thread", source, *options, cwd=tmp_path)
    assert b"hipLaunchKernel_spt" in (tmp_path / "per_thread").read_bytes()
    done = emulated("--emulate", "gfx1030", "./per_thread", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


@pytest.mark.toolchain
@pytest.mark.slow
def test_objects_that_graphs_keep_and_operations_on_values(cache: Path, tmp_path: Path) -> None:
    if release(".".join((installed_version(Surroundings()) or "0").split(".")[:2])) < (6, 4):
        pytest.skip("HIP's headers have hipStreamBatchMemOp from 6.4 on")
    built("--offload-arch", "gfx90a", "-o", "graph_objects", str(CPU / "graph_objects.hip"), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./graph_objects", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
