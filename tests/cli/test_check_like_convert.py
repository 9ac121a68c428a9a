"""`hipport check` reports what `hipport convert -o` reports, for sources and build files, with and without options."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport.buildfiles.build_systems import kind_of
from hipport.cli.check import command as check
from hipport.cli.convert import command as convert
from hipport.errors import UsageError

FIXTURES = Path(__file__).parents[2] / "fixtures"
TREES = [
    *sorted(FIXTURES.glob("projects/*")),
    # The files of the other folders have names that say which fixture they are, not that they are build files.
    *(
        folder
        for folder in sorted(FIXTURES.glob("build_pairs/*"))
        if folder.is_dir() and any(map(kind_of, map(str, folder.iterdir())))
    ),
    FIXTURES / "programs/cli_case",
]
KERNEL = '#include "k.cuh"\n__global__ void k(int* p) { p[0] = __ballot_sync(~0u, 1); }\nvoid f() { cudaFree(0); }\n'
FILES = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x CUDA)\nadd_executable(x main.cu src/k.cu *.cu)\n"
    "find_package(CUDAToolkit)\ntarget_link_libraries(x CUDA::cublas CUDA::nvml)\n",
    "src/CMakeLists.txt": "find_package(CUDA)\ncuda_add_library(k k.cu)\nset(CMAKE_CUDA_ARCHITECTURES 70)\n",
    "cmake/flags.cmake": 'file(GLOB S "src/*.cu")\nset(CMAKE_CUDA_FLAGS "-arch=sm_70 --use_fast_math -lineinfo")\n',
    "Makefile": "NVCC = nvcc -arch=sm_70 -Xptxas -v\nx: main.cu\n\t$(NVCC) -o $@ $< src/*.cu -lcublas -lnvjpeg\n"
    "%.o: %.cu\n\t$(NVCC) -dc $<\n",
    "setup.py": "from torch.utils.cpp_extension import CUDAExtension\n"
    "setup(ext_modules=[CUDAExtension('x', ['src/k.cu', 'main.cu'], extra_compile_args={'nvcc': ['-O3']})])\n",
    "main.cu": KERNEL + 'char* kernel_file = sdkFindFilePath("src/k.cu", argv[0]);\n',
    "src/k.cu": KERNEL,
    "src/k.cuh": "#define cudaFree mine\nconstexpr int kLanes = 32;\n",
    "src/k.hip": "int taken;\n",
    "other/k.cu": "int namesake;\n",
    "binary.cu": "int x;\0",
    "build/out.hip": "int generated;\n",
    "build/out.cu": KERNEL,
    ".gitignore": "build\n*.hip\n",
}
LINKS = {"link.cu": "main.cu", "outside.cu": "../elsewhere.cu", "dangling.cu": "absent.cu", "folder": "src"}


def findings(command: click.Command, report: Path, *arguments: object) -> list[tuple[object, ...]]:
    done = CliRunner().invoke(command, [*map(str, arguments), "--rocm", "6.2", "--report", str(report), "-j", "1"])
    if isinstance(done.exception, UsageError) and "there is nothing to check" in str(done.exception):
        return []
    assert isinstance(done.exception, SystemExit | None) and done.exit_code in (0, 1), done.output
    found: list[dict[str, Any]] = json.loads(report.read_text())["diagnostics"]
    return [tuple(one[key] for key in ("path", "line", "column", "code", "severity", "message")) for one in found]


def differences(tree: Path, folder: Path, *options: str) -> set[tuple[object, ...]]:
    """Return the findings that only one of the two commands reports."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    checked = findings(check, folder / "check.json", tree, *options)
    return set(checked) ^ set(findings(convert, folder / "convert.json", tree, "-o", folder / "out", *options))


@pytest.mark.parametrize("options", [(), ("--keep-names",), ("--libs", "roc", "--wave-size", "64")], ids=" ".join)
@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
def test_fixtures(tree: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    assert differences(tree, tmp_path / "work", *options) == set()


def make_tree(folder: Path, files: set[str]) -> dict[str, str | bytes]:
    """Write some of the files and links; return the contents of the tree."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in sorted(files):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if name in LINKS:
            path.symlink_to(LINKS[name])
        else:
            path.write_text(FILES[name])
    return content(folder)


def content(folder: Path) -> dict[str, str | bytes]:
    paths = [Path(base, name) for base, folders, files in os.walk(folder) for name in (*folders, *files)]
    return {
        str(path): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in paths
        if path.is_symlink() or path.is_file()
    }


@settings(max_examples=20, deadline=None)
@given(st.sets(st.sampled_from([*FILES, *LINKS]), min_size=2), st.booleans())
@example({".gitignore", "build/out.hip"}, False)
def test_generated_trees(tmp_path_factory: pytest.TempPathFactory, files: set[str], keep_names: bool) -> None:
    place = tmp_path_factory.getbasetemp() / "check_like_convert"
    place.mkdir(exist_ok=True)
    (place / "elsewhere.cu").write_text("int x;\n")
    before = make_tree(place / "tree", files)
    assert differences(place / "tree", place / "work", *["--keep-names"] * keep_names) == set()
    assert content(place / "tree") == before


def test_nothing_is_invented_about_a_plain_cmake_tree(tmp_path: Path) -> None:
    make_tree(tmp_path / "tree", {"main.cu", "src/k.cu", "CMakeLists.txt"})
    codes = {found[3] for found in findings(check, tmp_path / "a.json", tmp_path / "tree")}
    kept = {found[3] for found in findings(check, tmp_path / "b.json", tmp_path / "tree", "--keep-names")}
    assert "HP408" not in codes and "HP508" in codes
    assert "HP408" in kept and "HP508" not in kept


def test_fixes_leave_names_and_links_as_they_are(tmp_path: Path) -> None:
    """`"src/k.cu"` stays, because the file keeps that name; only real errors in the sources are fixed."""
    tree = tmp_path / "tree"
    before = make_tree(tree, {*FILES, *LINKS})
    (tree / "absolute.cu").symlink_to(tree / "main.cu")
    before[str(tree / "absolute.cu")] = str(tree / "main.cu")
    source = "__global__ void k(int* p) {\n  unsigned odd = __ballot_sync(~0u, p[threadIdx.x % warpSize]);\n"
    source += "  p[0] = odd;\n}\n"
    (tree / "kept.cu").write_text(source)
    findings(check, tmp_path / "a.json", tree, "--fix")
    after = content(tree)
    assert after.pop(str(tree / "kept.cu")) == source.replace("unsigned odd", "unsigned long long odd").encode()
    assert after == before
