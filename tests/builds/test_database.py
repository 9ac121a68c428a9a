"""Targets from a compilation database, whose commands name compilers that must not be run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hipport.builds.database import database_targets, find_database
from hipport.builds.project_file import request_for
from hipport.builds.request import BuildRequest, OutputKind
from hipport.errors import HipportError
from tests.cli.test_build import hipport

NVCC = "-DFACTOR=3 -Uold -I../p/include -isystem /cuda/include -gencode arch=compute_70,code=sm_70 -rdc=true -std=c++20"
HIPCC = ["-I../p/include", "-include", "../p/include/scale.h", "-O2", "-fplugin=evil.so", "--offload-arch=gfx90a"]
SOURCES = {
    "src/kernel.cu": '#include "scale.h"\nfloat scale(float value) { return FACTOR * value; }\n',
    "src/other.cu": "// int main() {}\nint other() { return 1; }\n",
    "src/main.cpp": '#include <cstdio>\nint main() { std::printf("%g\\n", scale(5)); }\n',
    "tool/main.cpp": "int main() { return 0; }\n",
    "include/scale.h": "float scale(float value);\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in SOURCES.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(text)
    evil = tmp_path / "nvcc"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    evil.chmod(0o755)
    (tmp_path / "b").mkdir()
    write(tmp_path, "src/kernel.cu", "src/other.cu", "src/main.cpp", "tool/main.cpp", "src/made.S")
    return tmp_path


def write(project: Path, *sources: str) -> None:
    entries = []
    for name in sources:
        entry: dict[str, object] = {"directory": str(project / "b"), "file": f"../p/{name}"}
        if name.endswith(".cu"):
            entry["command"] = f"{project}/nvcc {NVCC} -x cu -c ../p/{name} -o k.o"
        else:
            entry["arguments"] = [f"{project}/nvcc", *HIPCC, "-c", f"../p/{name}"]
        entries.append(entry)
    (project / "b/compile_commands.json").write_text(json.dumps(entries))


def test_programs_and_libraries(project: Path) -> None:
    part, program, tool = database_targets(project / "b")
    assert (part.kind, part.sources, part.std) == (OutputKind.STATIC, ("p/src/kernel.cu", "p/src/other.cu"), "c++20")
    assert (program.kind, program.sources, program.std) == (OutputKind.EXECUTABLE, ("p/src/main.cpp",), None)
    assert program.libraries == ("part1",)
    assert [program.name, tool.name] == ["main", "tool_main"]


def test_options_reach_the_build_and_others_do_not(project: Path) -> None:
    targets = database_targets(project / "b")
    base = BuildRequest(("p",), "out", ())
    settings = request_for(targets[0], targets, base, project / "out").settings
    assert settings.include_dirs == ("p/include",)
    assert settings.defines == ("-DFACTOR=3", "-Uold", "-isystem", "/cuda/include")
    assert settings.both == settings.device == settings.host == settings.link == ()
    settings = request_for(targets[1], targets, base, project / "out").settings
    assert settings.defines == ("-include", f"{project}/b/../p/include/scale.h")


def test_the_folder_of_the_toolkit_is_left_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hipport.builds.database.is_toolkit", lambda folder: folder == "/cuda/include")
    assert database_targets(project / "b")[0].options == ("-DFACTOR=3", "-Uold")


def test_where_a_database_is(project: Path) -> None:
    assert find_database(project) is None
    assert find_database(project / "b") == project / "b/compile_commands.json"
    (project / "b").rename(project / "build")
    assert find_database(project) == project / "build/compile_commands.json"


def test_mistakes(project: Path) -> None:
    write(project, "src/made.cu")
    with pytest.raises(HipportError, match=r"no such file: .*made\.cu"):
        database_targets(project / "b")
    write(project, "src/made.S")
    with pytest.raises(HipportError, match="no command compiles a source"):
        database_targets(project / "b")


@pytest.mark.slow
@pytest.mark.toolchain
def test_it_builds_for_the_cpu_and_runs_no_command(project: Path) -> None:
    done = hipport("p", "-p", "b", "--target", "cpu", cwd=project)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([project / "p/build/main"], capture_output=True, text=True, check=True)
    assert ran.stdout == "15\n"
    assert not (project / "ran").exists()
