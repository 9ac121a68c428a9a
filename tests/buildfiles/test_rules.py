"""Properties of all build file rules, and cases that the golden files do not cover."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hipport.buildfiles.build_systems import BuildSystem, kind_of
from hipport.buildfiles.convert import convert_build_file
from hipport.buildfiles.overlaps import without_overlaps
from hipport.mappings.choice import Origin, Releases
from hipport.source import Replace, apply
from tests.buildfiles.test_pairs import CASES, NAMES, context

WORDS = sorted(
    {word for case in CASES for word in case.read_text().replace("(", " ( ").split(" ")} | {"\n", "\\\n", '"'}
)
KINDS = st.sampled_from(["CMakeLists.txt", "Makefile", "setup.py"])


@given(KINDS, st.binary(max_size=200))
def test_any_bytes_come_out_as_bytes(name: str, data: bytes) -> None:
    assert isinstance(convert_build_file(b"cuda " + data, name, context()).data, bytes)


@settings(deadline=None)
@given(KINDS, st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))
def test_any_words_come_out_as_bytes(name: str, text: str) -> None:
    assert isinstance(convert_build_file(text.encode() + b" nvcc", name, context()).data, bytes)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_any_beginning_of_a_file_comes_out(case: Path) -> None:
    data = case.read_bytes()
    for end in range(0, len(data), 37):
        assert isinstance(convert_build_file(data[:end], NAMES[case.suffix], context()).data, bytes)


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_marks_stay(ending: bytes, mark: bytes) -> None:
    lines = [b"NVCC = nvcc", b"# \xff\xfe nvcc", b"FLAGS = -O2 \\", b"  -Xptxas -v \\", b"  -arch=sm_70", b""]
    found = convert_build_file(mark + ending.join(lines), "Makefile", context()).data
    lines[0] = b"NVCC = hipcc"
    lines[3] = b"  -Rpass-analysis=kernel-resource-usage \\"
    lines[4] = b"  --offload-arch=gfx90a --offload-arch=gfx1030"
    assert found == mark + ending.join(lines)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", b"if(CUDA)\n" * 10_000),
        ("CMakeLists.txt", b"set(CMAKE_CUDA_FLAGS " + b"$<" * 10_000 + b")"),
        ("Makefile", b"A = nvcc " + b"$(call f,nvcc " * 3_000),
        ("Makefile", b"nvcc " + b"a/" * 30_000),
        ("Makefile", b"nvcc " + b"x.cu" * 30_000),
        ("setup.py", b"x = " + b"[" * 10_000 + b"'nvcc'"),
    ],
    ids=["if", "expressions", "functions", "path", "name", "lists"],
)
def test_deep_and_long_files_end(name: str, text: bytes) -> None:
    assert len(convert_build_file(text, name, context()).data) > 1000


def test_a_file_without_cuda_is_not_looked_at() -> None:
    conversion = convert_build_file(b"all:\n\tcc -arch main.c\n", "Makefile", context())
    assert conversion.diagnostics == () and conversion.data == b"all:\n\tcc -arch main.c\n"


def test_names_stay_with_sources_that_keep_theirs() -> None:
    kept = replace(context(), renamed={}, kept=frozenset({"main.cu"}))
    conversion = convert_build_file(b"add_executable(app main.cu)\n", "CMakeLists.txt", kept)
    assert conversion.data == b"add_executable(app main.cu)\n"
    assert [found.code for found in conversion.diagnostics] == ["HP408"]


def test_a_pattern_that_misses_a_kept_file_is_reported() -> None:
    kept = replace(context(), kept=frozenset({"old.cu"}))
    conversion = convert_build_file(b"S = $(wildcard *.cu)\n", "Makefile", kept)
    assert conversion.data == b"S = $(wildcard *.hip)\n"
    assert [(found.code, found.column) for found in conversion.diagnostics] == [("HP408", 17)]


def test_own_headers_are_found() -> None:
    below = replace(context(), support="../..")
    assert convert_build_file(b"CC = nvcc\nW = $(shell which nvcc)\n", "Makefile", below).data == (
        b"CC = hipcc -I../..\nW = $(shell which hipcc)\n"
    )
    host = b"CPPFLAGS = -I$(CUDA_PATH)/include -g\n"
    converted = convert_build_file(host, "Makefile", below).data
    assert converted == b"CPPFLAGS = -I$(CUDA_PATH)/include -D__HIP_PLATFORM_AMD__ -I../.. -g\n"
    assert convert_build_file(converted, "Makefile", below).data == converted
    assert b"\ninclude_directories(${CMAKE_CURRENT_SOURCE_DIR}/../..)\n" in (
        convert_build_file(b"project(x CUDA)\n", "CMakeLists.txt", below).data
    )


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("$(CC) -O2 main.hip", "hipcc -std=c++14"),
        ("$(CC) -std=c++17 main.hip", "hipcc"),
        ("$(CC) --std=c++11 main.hip", "hipcc"),
        ("$(CC) -O2 main.hip help.c", "hipcc"),
    ],
)
def test_hipcc_of_rocm_5_is_told_the_standard_that_nvcc_takes(rest: str, expected: str) -> None:
    text = f"CC = nvcc\nall:\n\t{rest}\n"
    old = convert_build_file(text.encode(), "Makefile", replace(context(), old_default=True)).data.decode()
    assert old == text.replace("nvcc", expected)
    assert convert_build_file(text.encode(), "Makefile", context()).data.decode() == text.replace("nvcc", "hipcc")


@pytest.mark.parametrize(
    ("rocm", "options"),
    [
        ("5.2", ""),
        ("5.3", "-Xclang -no-enable-noundef-analysis -fno-strict-return"),
        ("6.4", "-Xclang -no-enable-noundef-analysis -fno-strict-return -mllvm -amdgpu-sdwa-peephole=0"),
        ("7.0", "-Xclang -no-enable-noundef-analysis -fno-strict-return"),
    ],
)
def test_makefiles_export_the_options_that_the_release_knows(rocm: str, options: str) -> None:
    of_release = replace(context(), releases=Releases(rocm, Origin.ASKED))
    line = f"export HIPCC_COMPILE_FLAGS_APPEND ?= {options}\n" if options else ""
    assert convert_build_file(b"CC = nvcc\n", "Makefile", of_release).data.decode() == f"{line}CC = hipcc\n"
    assert b"export" not in convert_build_file(b"CC = nvcc\n", "Makefile.am", of_release).data
    assert b"export" not in convert_build_file(b"CC = gcc # nvcc\n", "Makefile", of_release).data


def test_roc_libraries() -> None:
    roc = replace(context(), flavour="roc", libraries=("cublas",))
    text = b"find_package(CUDAToolkit)\ntarget_link_libraries(a CUDA::cublas)\n"
    assert convert_build_file(text, "x.cmake", roc).data == (
        b"find_package(hip)\nfind_package(rocblas)\ntarget_link_libraries(a roc::rocblas)\n"
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a/CMakeLists.txt", BuildSystem.CMAKE),
        ("cmake/FindX.cmake", BuildSystem.CMAKE),
        ("Makefile", BuildSystem.MAKE),
        ("GNUmakefile", BuildSystem.MAKE),
        ("makefile.nvidia", BuildSystem.MAKE),
        ("common/make.config", BuildSystem.MAKE),
        ("make.inc", BuildSystem.MAKE),
        ("rules.mk", BuildSystem.MAKE),
        ("python/setup.py", BuildSystem.SETUP_PY),
        ("Makefile.am", BuildSystem.MAKE),
        ("src/Makefile.in", BuildSystem.MAKE),
        ("configure.ac", BuildSystem.AUTOCONF),
        ("m4/ax_cuda.m4", BuildSystem.AUTOCONF),
        ("m4/libtool.m4", None),
        ("m4/lt~obsolete.m4", None),
        ("aclocal.m4", None),
        ("configure", None),
        ("Makefile.bak", None),
        ("makefile.py", None),
        ("CMakeLists.txt.in", None),
        ("config.hpp.cmake", None),
        ("setup_py.py", None),
        ("remake", None),
        ("make.c", None),
    ],
)
def test_kinds_are_told_by_name(name: str, kind: BuildSystem | None) -> None:
    assert kind_of(name) is kind


RANGES = st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda pair: Replace(pair[0], pair[0] + pair[1], "x"))


@given(st.lists(RANGES, max_size=12))
def test_settled_edits_never_cross(edits: list[Replace]) -> None:
    kept = without_overlaps(edits)
    assert not edits or kept[0] == edits[0]
    apply(b"." * 40, kept)  # raises for edits that cross


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add_executable(t tests/a.cc)", "add_executable(t tests/a.cc.hip)"),
        ("add_library(t STATIC main b.cpp)", "add_library(t STATIC main.hip b.cpp)"),
        ("add_executable(main main)", "add_executable(main main.hip)"),
        ("add_dependencies(t main)", "add_dependencies(t main)"),
    ],
)
def test_a_source_without_its_suffix_gets_the_new_one(text: str, expected: str) -> None:
    """CMake found `a.cc.cu` for `a.cc` until policy CMP0115, which the new minimum sets."""
    names = replace(context(), renamed={"a.cc.cu": "a.cc.hip", "main.cu": "main.hip"})
    start = "enable_language(HIP)\n# CUDA\n"
    assert convert_build_file((start + text).encode(), "CMakeLists.txt", names).data.decode() == start + expected


@pytest.mark.parametrize("words", ["", " REQUIRED"])
def test_findcuda_makes_the_headers_known_like_the_language_does(words: str) -> None:
    text = f"find_package(CUDA 8.0{words})\n".encode()
    below = convert_build_file(text, "CMakeLists.txt", replace(context(), support="..")).data.decode()
    assert below.index("enable_language(HIP)") < below.index("include_directories(${CMAKE_CURRENT_LIST_DIR}/..)")
    assert "include_directories" not in convert_build_file(text, "CMakeLists.txt", context()).data.decode()


def test_extensions_that_hipcc_compiles_find_hipports_headers() -> None:
    extension = b"Extension('a', ['a.cu'], include_dirs=['b'])\n"
    text = b"import os\nbuilder.set_executable('linker_so', 'nvcc --shared')\n" + extension
    done = convert_build_file(text, "setup.py", replace(context(), support=".")).data.decode()
    assert "'hipcc --shared'" in done and "include_dirs=[os.path.abspath(\".\"), 'b']" in done
    without = convert_build_file(text, "setup.py", context()).data.decode()
    assert "abspath" not in without
