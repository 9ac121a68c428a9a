"""Choosing the sources and the programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import HipportError, UsageError
from hipport.toolchain.places import Surroundings
from hipport.verify.model import Platform, Program
from hipport.verify.programs import check_device, executable, expand, identity


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("src/a.cu", "src/a.hip", "src/deep/b.cpp", "src/h.cuh", "only/c.cpp", "none/readme.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_a_folder_with_both(tree: Path) -> None:
    assert expand(["src"], cuda=True) == ("src/a.cu", "src/deep/b.cpp")
    assert expand(["src"], cuda=False) == ("src/a.hip", "src/deep/b.cpp")


def test_a_folder_with_one(tree: Path) -> None:
    (tree / "src" / "a.hip").unlink()
    assert expand(["src", "only"], cuda=False) == ("src/a.cu", "src/deep/b.cpp", "only/c.cpp")


@pytest.mark.parametrize("path", ["none", "missing", "missing.cu"])
def test_nothing_to_build(path: str, tree: Path) -> None:
    with pytest.raises(UsageError, match=path):
        expand([path], cuda=True)


def test_files_are_taken_as_named(tree: Path) -> None:
    assert expand(["src/a.hip"], cuda=True) == ("src/a.hip",)


def test_the_same_program_is_known_by_how_it_is_built() -> None:
    original = Program("original", Platform.CPU, ("a.cu",), wave_size=32)
    assert identity(original) == identity(Program("port", Platform.CPU, ("a.cu",), wave_size=32))
    assert identity(original) != identity(Program("port", Platform.CPU, ("a.cu",), wave_size=64))
    nvcc, hipport = (Program(label, Platform.NVIDIA, ("a.cu",)) for label in ("original", "port"))
    assert identity(nvcc) != identity(hipport)


def test_an_executable_is_taken_as_it_is(tree: Path) -> None:
    program = tree / "program"
    program.touch(mode=0o755)
    assert executable(Program("port", Platform.CPU, executable="program"), tree / "unused", ()) == program
    with pytest.raises(UsageError, match="not an executable program"):
        executable(Program("port", Platform.CPU, executable="src"), tree / "unused", ())


@pytest.mark.parametrize("platform", [Platform.AMD, Platform.NVIDIA])
def test_a_machine_without_gpus(platform: Platform, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="in this machine"):
        check_device(platform, Surroundings({"PATH": ""}, tmp_path))


def test_every_machine_has_a_cpu(tmp_path: Path) -> None:
    check_device(Platform.CPU, Surroundings({"PATH": ""}, tmp_path))
