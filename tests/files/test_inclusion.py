"""Facts about the way files are included."""

from __future__ import annotations

from hipport.files.includes import Seen, edges_by_name, foreign_names
from hipport.files.inclusion import IN_CODE, OF_C, WITHOUT_CUDA


def told(files: dict[str, tuple[str, str, str]]) -> dict[str, frozenset[str]]:
    """Return the foreign names of files, given what each defines (facts separated by `;`), uses and includes."""
    seen = {
        f"/p/{name}": Seen(
            frozenset(filter(None, defines.split(";"))), frozenset(uses.split()), tuple(includes.split())
        )
        for name, (defines, uses, includes) in files.items()
    }
    return {path.removeprefix("/p/"): facts for path, facts in foreign_names(seen, edges_by_name).items()}


def test_a_part_gets_no_include_and_its_includers_do() -> None:
    found = told(
        {
            "a.cu": ("#in-code sub/part.inc;#needs hip/hip_runtime.h", "", "sub/part.inc other.h"),
            "b.cu": ("", "", "outer.h"),
            "outer.h": ("", "", "part.inc"),
            "sub/part.inc": ("#needs lanes.h", "", "deep"),
            "deep": ("#needs simd.h", "", ""),
            "other.h": ("#needs other.h", "", ""),
        }
    )
    needs = frozenset({"#needs lanes.h", "#needs simd.h"})
    parts = {"sub/part.inc": frozenset({IN_CODE}), "deep": frozenset({IN_CODE})}
    assert found == {"a.cu": needs, "outer.h": needs, **parts}


def test_a_guarded_file_is_a_part_only_where_it_is_in_braces_itself() -> None:
    files = {
        "a.cc": ("#expands guarded.h;#expands list.def;#in-code part.inc", "", "guarded.h list.def part.inc"),
        "guarded.h": ("#once;#needs hip.h", "", ""),
        "list.def": ("#needs list.h", "", "guarded.h"),
        "part.inc": ("", "", "guarded.h"),
    }
    parts = {name: frozenset({IN_CODE}) for name in ("list.def", "part.inc")}
    assert told(files) == {"a.cc": frozenset({"#needs list.h"}), **parts}
    files["a.cc"] = ("#in-code guarded.h", "", "guarded.h")
    assert told(files)["guarded.h"] == frozenset({IN_CODE})


def test_a_header_included_only_without_cuda_hides_nothing_and_is_told() -> None:
    files = {
        "api.h": ("#without-cuda ./stub.h", "cudaFree", "stub.h"),
        "stub.h": ("cudaFree", "cudaFree", "inner.h"),
        "inner.h": ("cudaMalloc", "", ""),
        "main.cu": ("", "cudaFree", "api.h"),
    }
    assert told(files) == {name: frozenset({WITHOUT_CUDA}) for name in ("stub.h", "inner.h")}
    files["test.cu"] = ("", "cudaFree", "stub.h")
    assert told(files) == {"test.cu": frozenset({"cudaFree"})}


def test_names_of_namespaces_reach_files_that_use_them() -> None:
    files = {"own.h": ("cudaFree@lib;cudaFree@=api;cudaMalloc@lib", "", ""), "a.cu": ("", "cudaFree", "own.h")}
    assert told(files) == {"a.cu": frozenset({"cudaFree@lib", "cudaFree@=api"})}


def test_a_quoted_name_of_cuda_finds_the_projects_own_header() -> None:
    files = {
        "src/a.c": ("#asks cuda.h", "", "cuda.h"),
        "src/cuda.h": ("", "", ""),
        "apps/b.c": ("#asks cuda.h;#asks cublas.h", "", "cuda.h cublas.h"),
        "apps/c.c": ("", "", "cuda.h"),
    }
    assert told(files) == {name: frozenset({"#own cuda.h"}) for name in ("src/a.c", "apps/b.c")}
    files["src/cuda.h"] = ("#copy", "", "")
    assert told(files) == {}
    files["src/cuda.h"] = ("", "", "")
    files["src/a.c"] = ("", "", "")
    assert told(files) == {}  # nothing beside it includes it: a stand-in


def test_what_c_sources_include_is_told_if_it_has_something_for_cxx() -> None:
    files = {
        "a.c": ("#of-c", "", "outer.h"),
        "outer.h": ("", "", "inner.h plain.h"),
        "inner.h": ("#for-cxx", "", ""),
        "plain.h": ("", "", ""),
        "b.cc": ("", "", "cxx.h"),
        "cxx.h": ("#for-cxx", "", ""),
    }
    assert told(files) == {"inner.h": frozenset({OF_C})}
