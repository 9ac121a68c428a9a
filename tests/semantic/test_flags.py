"""Compiler arguments that are passed to libclang."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.semantic.flags import Flags, read_flags

KEPT = ("-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include")


def others(*arguments: str, source: str = "a.cu", folder: str = "/b") -> tuple[str, ...]:
    return read_flags(arguments, source, folder).others


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-Iinc", "-I", "/abs", "-I=x"], ("-I", "/b/inc", "-I", "/abs", "-I", "/b/x")),
        (["-DA", "-D", "B=1", "-UC", "-DE=-DF"], ("-DA", "-DB=1", "-UC", "-DE=-DF")),
        (["-isystem", "s", "-isystem=t", "-iquoteq"], ("-isystem", "/b/s", "-isystem", "/b/t", "-iquote", "/b/q")),
        (["-include", "../pre.h", "-idirafter", "z"], ("-include", "/b/../pre.h", "-idirafter", "/b/z")),
        (["--include-path", "inc", "--define-macro=N=2"], ("-I", "/b/inc", "-DN=2")),
        (["--system-include=s", "--pre-include", "p.h"], ("-isystem", "/b/s", "-include", "/b/p.h")),
        (["-Xcompiler", "-DX,-fPIC,-Iy", "-Xcompiler=-DZ"], ("-DX", "-I", "/b/y", "-DZ")),
        (["--compiler-options", "-DQ"], ("-DQ",)),
    ],
)
def test_kept(arguments: list[str], expected: tuple[str, ...]) -> None:
    assert others(*arguments) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        ["-fplugin=evil.so"],
        ["-Xclang", "-load", "-Xclang", "evil.so"],
        ["-fpass-plugin=evil.so"],
        ["-B/evil", "-ccbin", "/evil/g++", "--sysroot=/evil", "-resource-dir", "/evil"],
        ["-o", "a.o", "-c", "-MD", "-MF", "a.d", "-save-temps", "-ftime-trace=x", "--serialize-diagnostics", "d"],
        ["-gencode", "arch=compute_80,code=sm_80", "-rdc=true", "-O3", "-g", "-Wall"],
        ["-I", "", "-D", "", "-I", "a\0b"],
        ["-I"],
        ["-std=evil option", "-std", "--std"],
    ],
)
def test_left_out(arguments: list[str]) -> None:
    assert others(*arguments) == ()


@pytest.mark.parametrize(
    ("source", "arguments", "language", "standard"),
    [
        ("a.cu", [], "cuda", ""),
        ("a.cpp", ["-std=gnu++20"], "c++", "gnu++20"),
        ("a.cpp", ["-x", "cu"], "cuda", ""),
        ("a.cc", ["--x=cu", "--std", "c++14"], "cuda", "c++14"),
        ("a.c", ["-std=c11"], "c", "c11"),
        ("a.c", ["-std=c++17"], "c", ""),
        ("a.cu", ["-std=c11"], "cuda", ""),
        ("a.cu", ["-x", "ada", "-std=c++17", "-std=c++20"], "cuda", "c++20"),
    ],
)
def test_language_and_standard(source: str, arguments: list[str], language: str, standard: str) -> None:
    assert read_flags(arguments, source, "/") == Flags(language, standard, ())


def test_response_files(tmp_path: Path) -> None:
    (tmp_path / "a.rsp").write_text('-DA -I "with blank" --options-file b.rsp -fplugin=evil.so')
    (tmp_path / "b.rsp").write_text("-DB\n@a.rsp\n")
    found = others("@a.rsp", folder=str(tmp_path))
    assert found[:4] == ("-DA", "-I", str(tmp_path / "with blank"), "-DB")
    assert found == found[:4] * 2  # the chain that bites its tail ends


def test_response_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "quote").write_text("-DA 'open")
    (tmp_path / "huge").write_bytes(b"-DA " * (1 << 19))
    assert others("@pipe", "@quote", "@huge", "@absent", "@", "-DB", folder=str(tmp_path)) == ("-DB",)


@given(
    st.lists(st.text(max_size=12) | st.sampled_from([*KEPT, "@", "-Xcompiler", "-std", "-x", "--x=", ",", "=", "a,-I"]))
)
def test_only_known_options_ever(arguments: list[str]) -> None:
    flags = read_flags(arguments, "a.cu", "/b")
    waiting = iter(flags.others)
    for option in waiting:
        if option in KEPT[3:] or option == "-I":
            assert next(waiting).startswith("/")
        else:
            assert option[:2] in ("-D", "-U")
    assert flags.language in ("cuda", "c", "c++")
