from __future__ import annotations

import pytest

from hipport.builds.request import Language
from hipport.builds.units import language, split_inputs
from hipport.errors import UsageError


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.cu", "", Language.HIP),
        ("a.hip", "int x;", Language.HIP),
        ("a.cpp", "int main() {}", Language.CXX),
        ("a.cc", "__global__ void k();", Language.HIP),
        ("a.cpp", "void f() { k<<<1, 2>>>(3); }", Language.HIP),
        ("a.cxx", "__device__ int x;", Language.HIP),
        ("a.c", "int x;", Language.C),
        ("a.c", "__global__ void k();", Language.HIP),
        ("a.cpp", "// __global__ k<<<1, 2>>>(3)\n", Language.CXX),
        ("a.cpp", 'auto s = "k<<<1, 2>>>(3) __global__";', Language.CXX),
        ("a.cpp", "std::cout << 1 << 2; int __shared__x, my__device__;", Language.CXX),
        ("a.cpp", 'auto s = R"(__global__ void k();)";', Language.CXX),
        ("a.cpp", "#define __HOST__\nstd::vector<std::vector<std::vector<int>>> v(1 << 2);", Language.CXX),
    ],
)
def test_the_language_is_told_by_name_and_by_device_code(name: str, text: str, expected: Language) -> None:
    assert language(name, text.encode) is expected


def test_bytes_that_are_no_text_have_a_language_too() -> None:
    assert language("a.cpp", lambda: b"\xff\xfe<<__\x00") is Language.CXX


def test_objects_and_libraries_are_linked_and_doubles_dropped() -> None:
    given = ["a.cu", "./a.cu", "b.o", "libx.a", "liby.so.1", "c.cpp"]
    assert split_inputs(given) == (["a.cu", "c.cpp"], ["b.o", "libx.a", "liby.so.1"])


@pytest.mark.parametrize("name", ["a.py", "a", "a.h", "a.cuh"])
def test_other_files_are_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="unknown type of file"):
        split_inputs([name])
