"""The command that configures a CMake project, depending on how HIP is installed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hipport.toolchain.cmake import configure_command, configure_problem, toolchain_file
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import file, program

DEBIAN = "usr/lib/x86_64-linux-gnu/cmake/hip-lang/hip-lang-config.cmake"
AMD = "opt/rocm-6.3.1/lib/cmake/hip-lang/hip-lang-config.cmake"
FILE = f"-D CMAKE_TOOLCHAIN_FILE={shlex.quote(str(toolchain_file()))}"


@pytest.mark.parametrize(
    ("files", "environ", "options"),
    [
        ([DEBIAN], {}, f" {FILE}"),
        (["usr/lib64/cmake/hip-lang/hip-lang-config.cmake"], {}, f" {FILE}"),
        ([AMD], {}, ""),
        ([AMD, DEBIAN], {}, ""),
        ([DEBIAN], {"CMAKE_TOOLCHAIN_FILE": "/mine.cmake"}, ""),
        ([], {}, ""),
    ],
)
def test_the_command(tmp_path: Path, files: list[str], environ: dict[str, str], options: str) -> None:
    for name in files:
        file(tmp_path / name)
    assert configure_command("port", Surroundings(environ, tmp_path)) == f"cmake -S port -B port/build{options}"


def test_targets_and_names_with_blanks(tmp_path: Path) -> None:
    said = configure_command("my port", Surroundings({}, tmp_path), ("gfx90a", "gfx1100"))
    assert shlex.split(said) == [
        *("cmake", "-S", "my port", "-B", "my port/build"),
        *("-D", "CMAKE_HIP_ARCHITECTURES=gfx90a;gfx1100"),
    ]


def test_where_nvcc_is_the_platform_is_named(tmp_path: Path) -> None:
    program(tmp_path / "bin/nvcc", "#!/bin/sh\n")
    environ = {"PATH": f"{tmp_path}/bin"}
    assert configure_command("p", Surroundings(environ, tmp_path)).startswith("HIP_PLATFORM=amd cmake ")
    chosen = {**environ, "HIP_PLATFORM": "amd"}
    assert configure_command("p", Surroundings(chosen, tmp_path)).startswith("cmake ")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "CMake Error at a:4 (project):\n  No\n\n  HIP here.\n\nCall Stack (most recent call first):\n",
            "No HIP here.",
        ),
        ("CMake Error at a:4:\n  Broken\n  x.c: error: no header\n\n", "x.c: error: no header"),
        ("killed\n", "killed"),
    ],
)
def test_why_a_project_does_not_configure(tmp_path: Path, said: str, reason: str) -> None:
    cmake = program(tmp_path / "cmake", f"#!/bin/sh\ncat >&2 <<'END'\n{said}END\nexit 1\n")
    found = configure_problem(tmp_path / "cmake", Surroundings({"PATH": "/usr/bin:/bin"}, tmp_path), "gfx90a")
    assert found == reason, cmake


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_toolchain_file_configures_on_this_machine() -> None:
    import shutil

    where = Surroundings()
    plain = {name: value for name, value in where.environ.items() if name != "CMAKE_TOOLCHAIN_FILE"}
    chosen = Surroundings({**plain, "HIP_PLATFORM": "amd"}, where.root)
    cmake = shutil.which("cmake")
    assert cmake is not None
    if any(Path("/usr/lib").glob("*/cmake/hip-lang")):
        assert configure_problem(Path(cmake), chosen, "gfx90a", toolchain_file()) is None
