"""rocPRIM, hipCUB and rocThrust on the CPU target: installed, unpacked by scripts/install_tools.sh, or in the folder
HIPPORT_TEST_HIP_LIBRARIES.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from hipport.builds.cpu.device_libraries import has_libraries, library_folder, needed
from hipport.errors import HipportError
from hipport.mappings.loader import load
from hipport.toolchain.places import Surroundings
from scripts.learn_namespace import Release, Scope, members, read_code
from tests.cpu.conftest import PROGRAMS, Builder, build
from tests.shared import EVERYTHING

LIBRARIES = Path(__file__).parents[2] / "fixtures/libraries"
UNPACKED = Path(__file__).parents[2] / "build/hip-libraries/usr/include"
MARKS = ("thrust/system/hip/config.h", "hipcub/backend/rocprim/hipcub.hpp", "rocprim/rocprim_version.hpp")


def installed() -> str:
    """Return the include folder with all three libraries; empty if there is none."""
    named = os.environ.get("HIPPORT_TEST_HIP_LIBRARIES", "")
    folders = (named, "/usr/include", "/opt/rocm/include", str(UNPACKED))
    return next((f for f in folders if f and all((Path(f) / mark).is_file() for mark in MARKS)), "")


FOLDER = installed()
with_libraries = pytest.mark.skipif(not FOLDER, reason="rocPRIM, hipCUB and rocThrust are not installed")


@pytest.mark.slow
@pytest.mark.toolchain
@with_libraries
@pytest.mark.parametrize(
    ("name", "wave"),
    [("device_libraries", 64)] if not EVERYTHING else itertools.product(["cub", "thrust"], [32, 64]),
)
def test_algorithms_give_what_the_standard_library_gives(name: str, wave: int, built: Builder) -> None:
    program = built([PROGRAMS / f"{name}.hip"], "--wave-size", str(wave), "-O", "0", "-I", FOLDER)
    done = program.run()
    assert (done.stdout, done.returncode) == ("PASS\n", 0), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.toolchain
@with_libraries
@pytest.mark.parametrize("name", ["cub_device", "cub_scans", "thrust_scan"])
def test_algorithms_that_hipcub_and_rocthrust_lack(name: str, built: Builder) -> None:
    done = built([LIBRARIES / f"{name}.cu"], "--rocm", "5.7", "-O", "0", "-I", FOLDER).run()
    assert done.stdout.startswith(f"PASS: {name}: "), done


@with_libraries
def test_the_table_has_all_members_of_hipcubs_structs() -> None:
    """The algorithms for a whole device are members; a struct with one in the table has no others for translations."""
    version = Release("0", frozenset(), read_code(Path(FOLDER) / "hipcub"), {})
    found = {name for name, _ in members(Scope("cub", "hipcub"), [version])}
    assert len(found) > 60
    assert found <= load().names.keys()


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("wave", [32, 64])
def test_builtins_follow_the_instructions(wave: int, built: Builder) -> None:
    done = built([PROGRAMS / "amdgcn.hip"], "--wave-size", str(wave)).run()
    assert (done.stdout, done.returncode) == (f"wavefronts of {wave} lanes: 0 wrong\n", 0), done.stdout + done.stderr


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A folder with headers that stand for all libraries."""
    for mark in MARKS:
        path = tmp_path / "include" / mark
        path.parent.mkdir(parents=True)
        path.write_text("#pragma once\n")
    return tmp_path / "include"


def nowhere(tmp_path: Path) -> Surroundings:
    return Surroundings({}, tmp_path / "empty")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (b"#include <thrust/sort.h>\n", ("thrust", "rocprim")),
        (b'int x;\n  #  include "hipcub/hipcub.hpp"\n', ("hipcub", "rocprim")),
        (b"#include <rocprim/rocprim.hpp>\n#include <thrust/sort.h>\n", ("rocprim", "thrust")),
        (b"// #include <thrust/sort.h>\n#include <thrusting/sort.h>\n", ()),
    ],
)
def test_the_sources_say_which_libraries_they_need(text: bytes, names: tuple[str, ...]) -> None:
    assert needed([text]) == names


@pytest.mark.parametrize(
    ("name", "title", "package"),
    [
        ("thrust", "rocThrust", "rocthrust-dev"),
        ("hipcub", "hipCUB", "hipcub-dev"),
        ("rocprim", "rocPRIM", "rocprim-dev"),
    ],
)
def test_a_missing_library_names_its_package(name: str, title: str, package: str, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=f"the headers of {title} not found") as raised:
        library_folder([name], [str(tmp_path)], nowhere(tmp_path))
    assert raised.value.hint and package in raised.value.hint and f"lib{title.lower()}-dev" in raised.value.hint


def test_cuda_s_thrust_is_not_taken_for_rocthrust(tmp_path: Path) -> None:
    (tmp_path / "thrust").mkdir()
    (tmp_path / "thrust/version.h").write_text("#define THRUST_VERSION 200500\n")
    assert not has_libraries(str(tmp_path))


def test_headers_are_translated_once(installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    header = installation / "thrust/system/hip/config.h"
    header.write_text("#ifdef __HIP_DEVICE_COMPILE__\n#endif\n__global__ void k() { __shared__ int x[2]; }\n")

    def folder() -> Path:
        return library_folder(["thrust", "rocprim"], [str(installation)], nowhere(tmp_path))

    first = folder()
    text = (first / "thrust/system/hip/config.h").read_text()
    assert "__HIP_DEVICE_COMPILE__" not in text and "hipport::cpu::shared" in text
    assert folder() == first
    header.write_text("// another release\n")
    assert folder() != first
    assert len(list((tmp_path / "cache/hipport/cpu-libraries").iterdir())) == 2


def test_an_unwritable_cache_is_one_error(installation: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HipportError, match="cannot write"):
        library_folder(["rocprim"], [str(installation)], nowhere(tmp_path))


@pytest.mark.toolchain
def test_gcc_is_refused_with_one_line(installation: Path, tmp_path: Path) -> None:
    source = tmp_path / "x.hip"
    source.write_text("#include <thrust/sort.h>\nint main() {}\n")
    done = build(tmp_path, [source], "-I", str(installation), "--compiler", "g++")
    assert done.returncode != 0
    assert "g++ cannot compile rocPRIM" in done.stderr and "Traceback" not in done.stderr
