"""The macros that build files define for CUDA sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.buildfiles.build_systems import BuildSystem
from scripts.build_definitions import defined_for_cuda, definitions


def of_cmake(text: str) -> list[tuple[str, str]]:
    return list(definitions(text, BuildSystem.CMAKE))


@pytest.mark.parametrize(
    "command",
    [
        "target_compile_definitions(app PRIVATE A=2)",
        "target_compile_definitions(app PRIVATE -DA=2)",
        "target_compile_definitions(app PUBLIC $<$<COMPILE_LANGUAGE:CUDA>:A=2>)",
        "add_compile_definitions(A=2)",
        "add_definitions(-DA=2)",
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O3 -DA=2")',
        "list(APPEND CUDA_NVCC_FLAGS -DA=2)",
        "function(f target)\n  target_compile_definitions(${target} PRIVATE A=2)\nendfunction()",
    ],
)
def test_commands_that_define(command: str) -> None:
    assert of_cmake(command) == [("A", "2")]


@pytest.mark.parametrize(
    "command",
    [
        "# add_definitions(-DA)",
        'message("-DA")',
        "execute_process(COMMAND cmake -DA=2)",
        "add_definitions(-DA=${COMPUTED})",
        "target_compile_definitions(app PRIVATE A=${COMPUTED} $<$<CONFIG:Debug>:A>)",
    ],
)
def test_commands_that_define_nothing_known(command: str) -> None:
    assert of_cmake(command) == []


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("USE_CUDA", True),
        ("NOT USE_CUDA", False),
        ("NO_CUDA", False),
        ("NOT NO_CUDA", True),
        ("USE_CUDA AND WITH", True),
        ("USE_CUDA AND WITHOUT", False),
        ("WITHOUT OR USE_GPU", True),
        ("MSVC", False),
        ("NOT MSVC", True),
        ("X STREQUAL y", False),
        ("NOT X STREQUAL y", False),
        ("(USE_CUDA)", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    options = "option(WITH a ON)\noption(WITHOUT b OFF)\n"
    assert of_cmake(f"{options}if({condition})\nadd_definitions(-DA)\nendif()") == ([("A", "1")] if holds else [])


def test_other_branches() -> None:
    text = "if({})\nelseif(USE_CUDA)\nadd_definitions(-DA)\nelse()\nadd_definitions(-DB)\nendif()"
    assert of_cmake(text.format("MSVC")) == [("A", "1")]
    assert of_cmake(text.format("USE_GPU")) == []
    assert of_cmake(text.format("X STREQUAL y")) == []


def test_makefiles_and_setup_py() -> None:
    text = "FLAGS += -DA -D B=1.5\nifeq ($(X),1)\nFLAGS += -DC\nendif\nall:\n\tnvcc -DD=$(V) -DE a.cu # -DF\n"
    assert list(definitions(text, BuildSystem.MAKE)) == [("A", "1"), ("B", "1.5"), ("E", "1")]
    assert list(definitions("args = ['-O3', '-DA=3']", BuildSystem.SETUP_PY)) == [("A", "3")]


def test_only_switches_that_sources_test_and_do_not_define(tmp_path: Path) -> None:
    names = ("USE_CUDA", "USEGPU", "OWN_CUDA", "UNUSED_CUDA", "NO_CUDA", "HIP_GPU", "MYGPU_FAST", "FAST")
    (tmp_path / "CMakeLists.txt").write_text(f"add_definitions({' '.join('-D' + name for name in names)})")
    tested = "".join(f"#ifdef {name}\n#endif\n" for name in names if name != "UNUSED_CUDA")
    (tmp_path / "a.cu").write_text(tested + "#define OWN_CUDA\n")
    assert defined_for_cuda(tmp_path) == ["-DUSEGPU=1", "-DUSE_CUDA=1"]
