"""Compare the header reader with a compiler: it finds every declaration that clang finds in real headers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hipport.audit.headers import read_folder

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

KINDS = {
    "FunctionDecl": "function",
    "RecordDecl": "type",
    "TypedefDecl": "type",
    "EnumDecl": "type",
    "VarDecl": "variable",
    "EnumConstantDecl": "enumerator",
}
CUDA = ("cuda.h", "cuda_runtime_api.h", "cudaProfiler.h", "cuComplex.h", "cupti.h")
HIP = ("hip/hip_runtime_api.h", "hip/hiprtc.h")
MADE_UP_BY_MACROS = {"CUdevResource", "CUdevResource_v1"}


def clang() -> str:
    places = [shutil.which("clang"), *sorted(Path("/usr/lib").glob("llvm-*/bin/clang"))]
    found = next((str(place) for place in places if place), None)
    if found is None:
        pytest.fail("no clang") if os.environ.get("CI") else pytest.skip("no clang")
    return found


def compiled(folder: Path, headers: tuple[str, ...], *flags: str) -> dict[str, tuple[str, int | None]]:
    """Return name, kind and number of parameters of every declaration in a folder of headers, as clang reads them."""
    source = "".join(f"#include <{header}>\n" for header in headers)
    command = [clang(), "-x", "c", "-I", str(folder), *flags, "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(declared(json.loads(done.stdout), str(folder), [""]))


def declared(node: Any, folder: str, file: list[str]) -> Iterator[tuple[str, tuple[str, int | None]]]:
    for child in node.get("inner", ()):
        place = child.get("loc", {})
        file[0] = place.get("expansionLoc", place).get("file", file[0])
        if child["kind"] in ("EnumDecl", "EnumConstantDecl") or not node.get("name"):
            yield from declared(child, folder, file) if child["kind"] == "EnumDecl" else ()
        kind = KINDS.get(child["kind"])
        if kind and child.get("name") and file[0].startswith(folder):
            count = (
                sum(part["kind"] == "ParmVarDecl" for part in child.get("inner", ())) if kind == "function" else None
            )
            yield child["name"], (kind, None if child.get("variadic") else count)


def compare(folder: Path, expected: dict[str, tuple[str, int | None]], *only: str) -> None:
    found = read_folder(folder, only).names
    assert set(expected) - set(found) - MADE_UP_BY_MACROS == set()
    other = {name for name, (kind, _) in expected.items() if name in found and found[name].kind.value != kind}
    assert other == set()
    for name, (_, count) in expected.items():
        if name in found and found[name].parameters is not None:
            assert found[name].parameters == count, name


def test_headers_of_hip() -> None:
    folder = Path("/usr/include")
    if not (folder / "hip/hip_version.h").is_file():
        pytest.fail("no HIP headers") if os.environ.get("CI") else pytest.skip("no HIP headers")
    expected = compiled(folder, HIP, "-D__HIP_PLATFORM_AMD__")
    ours = {name: what for name, what in expected.items() if name.startswith(("hip", "HIP"))}
    assert len(ours) > 1000
    compare(folder, ours, "hip")


def test_headers_of_cuda() -> None:
    places = (Path("/usr/local/cuda/include"), Path(sysconfig.get_path("purelib")) / "nvidia/cu13/include")
    folder = next((place for place in places if (place / "cuda.h").is_file()), None)
    assert folder is not None, "pip install nvidia-cuda-runtime (the dev extra has it)"
    headers = tuple(header for header in CUDA if (folder / header).is_file())
    expected = compiled(folder.resolve(), headers)
    ours = {name: what for name, what in expected.items() if name.startswith(("cu", "CU"))}
    assert len(ours) > 2900
    compare(folder, ours)
