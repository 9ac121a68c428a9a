"""Conditional branches that a build for AMD GPUs compiles."""

from __future__ import annotations

import pytest

from hipport.source import SourceFile
from hipport.translate.syntax.compiled import is_compiled, is_for_amd
from hipport.translate.syntax.unit import parse

CASES: dict[str, tuple[bool | None, bool | None]] = {
    "if CUDART_VERSION < 9000": (False, True),
    "if 9000 <= CUDA_VERSION": (True, False),
    "if CUDART_VERSION >= 13000": (False, True),
    "if !defined(CUDART_VERSION) || CUDART_VERSION < 9000": (False, True),
    "if __CUDACC_VER_MAJOR__ < 9 && USE_GPU": (False, True),
    "if __CUDACC_VER_MAJOR__ < 9 || USE_GPU": (None, None),
    "if (CUDART_VERSION / 1000) < 9": (None, None),
    "if CUDART_VERSION == 9000": (None, None),
    "if __CUDA_ARCH__ < 350": (False, True),
    "if __CUDA_ARCH__ >= 800": (None, None),
    "ifdef __CUDA_ARCH__": (None, None),
    "ifdef __CUDACC__": (True, False),
    "ifndef __CUDACC__": (False, True),
    "if !defined __NVCC__": (False, True),
    "ifdef WITH_CUDA": (None, None),
    "if 0": (False, True),
    "if 1 // always": (True, False),
    "if defined(_MSC_VER) || \\\n  defined(__INTELLISENSE__)": (False, True),
    "if defined(": (None, None),
    "if": (None, None),
    "ifdef": (None, None),
    "ifdef USE_ROCM": (True, False),
    "if defined(__HIP_PLATFORM_AMD__) && FAST": (None, None),
}


@pytest.mark.parametrize("condition", CASES)
def test_branches(condition: str) -> None:
    text = f"int before;\n#{condition}\nint first;\n#else\nint second;\n#endif\n"
    unit = parse(SourceFile.decode(text.encode(), "x.cu"))
    branches = [unit.branch_at(unit.code.index(word)) for word in ("first", "second")]
    assert tuple(is_compiled(unit, branch) for branch in branches) == CASES[condition]
    assert is_for_amd(unit, branches[0]) == ("ROCM" in condition)


def test_an_include_guard_is_no_condition_and_branches_nest() -> None:
    inner = "#ifdef _WIN32\n#ifdef FAST\nint b;\n#endif\n#elif 1\nint c;\n#endif\n"
    text = f"#ifndef X_H\n#define X_H\nint a;\n{inner}#endif\n"
    unit = parse(SourceFile.decode(text.encode(), "x.h"))
    found = {name: is_compiled(unit, unit.branch_at(unit.code.index(f"int {name}"))) for name in "abc"}
    assert found == {"a": True, "b": False, "c": True}


@pytest.mark.parametrize(
    ("name", "value", "known"), [("MINE_H", "", True), ("MINE", " 1", True), ("CUDART_X", "", None)]
)
def test_what_defines_the_macro_that_it_tests_is_a_guard(name: str, value: str, known: bool | None) -> None:
    text = f"int a;\n#if !defined({name})\n#define {name}{value}\nint b;\n#endif\nint c;\n"
    unit = parse(SourceFile.decode(text.encode(), "x.cu"))
    assert is_compiled(unit, unit.branch_at(text.index("int b"))) is known
