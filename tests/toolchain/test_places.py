from __future__ import annotations

from pathlib import Path

from hipport.toolchain.places import Surroundings, natural, program_folders, programs, rocm_roots
from tests.toolchain.fakes import program


def test_numbers_sort_as_numbers() -> None:
    names = ["llvm-9", "llvm-19", "llvm-15"]
    assert sorted(names, key=lambda name: natural(Path(name))) == ["llvm-9", "llvm-15", "llvm-19"]


def test_roots_come_from_the_environment_first_then_the_newest_rocm(tmp_path: Path) -> None:
    for name in ("opt/rocm-5.7.0", "opt/rocm-6.10.0", "opt/rocm-6.2.0"):
        (tmp_path / name).mkdir(parents=True)
    where = Surroundings({"ROCM_PATH": "/r", "HIP_PATH": "/h"}, tmp_path)
    opt = tmp_path / "opt"
    assert list(rocm_roots(where)) == [
        *(Path("/h"), Path("/r"), opt / "rocm"),
        *(opt / "rocm-6.10.0", opt / "rocm-6.2.0", opt / "rocm-5.7.0"),
        tmp_path / "usr",
    ]


def test_program_folders_have_debian_llvm_newest_first_and_path_last(tmp_path: Path) -> None:
    for release in ("9", "15", "19"):
        (tmp_path / f"usr/lib/llvm-{release}/bin").mkdir(parents=True)
    folders = list(program_folders(Surroundings({"PATH": "/a:/b"}, tmp_path)))
    lib = tmp_path / "usr/lib"
    assert folders[-5:] == [*(lib / f"llvm-{n}/bin" for n in (19, 15, 9)), Path("/a"), Path("/b")]
    assert folders.index(tmp_path / "opt/rocm/llvm/bin") < folders.index(tmp_path / "usr/bin")


def test_each_program_is_found_once_however_many_links_it_has(tmp_path: Path) -> None:
    real = program(tmp_path / "llvm/clang")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/clang").symlink_to(real)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/clang").write_text("not executable")
    folders = [tmp_path / "bin", tmp_path / "llvm", tmp_path / "other", tmp_path / "missing"]
    assert list(programs(folders, ["clang"])) == [tmp_path / "bin/clang"]


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "hipcc").mkdir()
    assert list(programs([tmp_path], ["hipcc"])) == []
