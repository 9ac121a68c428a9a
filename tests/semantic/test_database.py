"""Compilation databases, well-formed and hostile."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hipport.errors import HipportError
from hipport.semantic.database import read_database


def write(folder: Path, entries: Any) -> str:
    (folder / "compile_commands.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return str(folder)


def test_commands_and_arguments(tmp_path: Path) -> None:
    entries = [
        {"directory": str(tmp_path), "file": "a.cu", "command": "nvcc -DA='x y' -c a.cu"},
        {"directory": str(tmp_path / "sub"), "file": "../b.cpp", "arguments": ["g++", "-Ih", "-c", "../b.cpp"]},
    ]
    first, second = read_database(write(tmp_path, entries))
    assert (first.source, first.flags.others) == (os.path.realpath(tmp_path / "a.cu"), ("-DA=x y",))
    assert (second.source, second.flags.others) == (os.path.realpath(tmp_path / "b.cpp"), ("-I", f"{tmp_path}/sub/h"))


def test_the_file_itself_and_relative_directories(tmp_path: Path) -> None:
    write(tmp_path, [{"directory": "sub", "file": "a.cu", "command": "nvcc -Ih a.cu"}])
    (command,) = read_database(str(tmp_path / "compile_commands.json"))
    assert command.source == os.path.realpath(tmp_path / "sub/a.cu")
    assert command.flags.others == ("-I", f"{tmp_path}/sub/h")


def test_several_compiles_of_one_file_and_repeated_ones(tmp_path: Path) -> None:
    commands = ["nvcc -DA a.cu", "nvcc -DA -O2 a.cu", "nvcc -DB a.cu"]
    entries = [{"directory": "/", "file": "a.cu", "command": command} for command in commands]
    assert [command.flags.others for command in read_database(write(tmp_path, entries))] == [("-DA",), ("-DB",)]


def test_nothing_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    command = f"{trap} -DA $(touch {tmp_path}/sprung) `touch {tmp_path}/sprung` a.cu; touch {tmp_path}/sprung"
    (found,) = read_database(write(tmp_path, [{"directory": str(tmp_path), "file": "a.cu", "command": command}]))
    assert found.flags.others == ("-DA",)
    assert not (tmp_path / "sprung").exists()


DAMAGED: list[Any] = [
    {"file": "a.cu", "command": "nvcc"},
    {"directory": "/", "command": "nvcc"},
    {"directory": "/", "file": "a.cu"},
    {"directory": 1, "file": "a.cu", "command": "nvcc"},
    {"directory": "/", "file": "a\0.cu", "command": "nvcc"},
    {"directory": "/", "file": "a.cu", "arguments": ["nvcc", 1]},
    {"directory": "/", "file": "a.cu", "command": "nvcc 'open"},
    [],
    None,
]


def test_damaged_entries_are_left_out(tmp_path: Path) -> None:
    good = {"directory": "/", "file": "good.cu", "command": "nvcc"}
    assert [command.source for command in read_database(write(tmp_path, [*DAMAGED, good]))] == ["/good.cu"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested more than 100 levels deep"),
        ("{}", "expected a list of commands"),
        (json.dumps(DAMAGED), "no entry with a directory, a file and a command"),
    ],
)
def test_not_understood(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=message):
        read_database(write(tmp_path, content))


def test_none_there_a_pipe_and_too_large(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="cannot read the compilation database: no such file") as error:
        read_database(str(tmp_path))
    assert "CMAKE_EXPORT_COMPILE_COMMANDS" in str(error.value.hint)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HipportError, match="cannot read"):
        read_database(str(tmp_path / "pipe"))
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(HipportError, match="MiB"):
        read_database(str(tmp_path / "huge"))


def test_an_empty_one_has_no_units(tmp_path: Path) -> None:
    assert read_database(write(tmp_path, [])) == ()


def test_a_large_one(tmp_path: Path) -> None:
    entries = [{"directory": "/", "file": f"{i}.cu", "command": f"nvcc -DN={i} -I{i} {i}.cu"} for i in range(2_000)]
    assert len(read_database(write(tmp_path, entries))) == 2_000
