"""The host API: graphs, memory, modules, and messages for unsupported functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

ROCRAND = [Path(prefix, "include/rocrand") for prefix in ("/usr", "/opt/rocm")]


def test_graphs(built: Builder) -> None:
    done = built([PROGRAMS / "graphs.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_captured_kernels_get_other_arguments(built: Builder) -> None:
    done = built([PROGRAMS / "captured_kernels.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")


def test_objects_that_graphs_keep_and_operations_on_values(built: Builder) -> None:
    done = built([PROGRAMS / "graph_objects.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr == "hipport: hipStreamMemOpBarrier is not supported by the CPU target\n"


def test_what_captures_refuse_pointers_of_variables_and_flags_of_events(built: Builder) -> None:
    done = built([PROGRAMS / "refused_calls.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_functions_that_few_programs_call(built: Builder) -> None:
    done = built([PROGRAMS / "host_rest.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_memory(built: Builder) -> None:
    done = built([PROGRAMS / "memory.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr == "hipport: hipStreamWaitValue32 for a value to come is not supported by the CPU target\n"


def test_modules(compiler: str, built: Builder) -> None:
    module = built([PROGRAMS / "module.hip"], "--genco", "-O", "0", "--compiler", compiler)
    done = built([PROGRAMS / "modules.hip"], "-O", "0", "--compiler", compiler).run(str(module.path))
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr
    assert "the module is a bundle for AMD GPUs" in done.stderr


def test_a_module_for_other_wavefronts_is_refused(built: Builder) -> None:
    module = built([PROGRAMS / "module.hip"], "--genco", "-O", "0", "--wave-size", "32")
    done = built([PROGRAMS / "modules.hip"], "-O", "0", "--compiler", "g++").run(str(module.path))
    assert done.returncode == 2
    assert "the module is for wavefronts of another size than the program's" in done.stderr


def test_hipblas(built: Builder) -> None:
    done = built([PROGRAMS / "blas.hip"], "-O", "0", "-lhipblas").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr == "hipport: hipblasStrtri is not supported by the CPU target\n"


def test_hiprand(built: Builder, tmp_path: Path) -> None:
    """The program compares with rocRAND's own headers, in front of those that refuse it."""
    (tmp_path / "rocrand").symlink_to(next(each for each in ROCRAND if each.is_dir()))
    done = built([PROGRAMS / "rand.hip"], "-O", "0", "-lhiprand", "-I", str(tmp_path)).run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr == "hipport: hiprandCreateGenerator of this type is not supported by the CPU target\n"
