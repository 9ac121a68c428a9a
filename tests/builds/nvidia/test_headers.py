"""The headers generated from the mapping tables."""

from __future__ import annotations

import re

import pytest

from hipport.builds.nvidia.headers import FOLDER, by_hand, header_files
from hipport.mappings.loader import load_libraries
from hipport.mappings.schema import parse_library

_DEFINE = re.compile(r"^#define (\w+) ", re.MULTILINE)

TABLE = """\
library: runtime
functions:
  cudaFoo: {cuda: 12.0, hip: hipFoo 5.0.0}
  cudaOldFoo: hipFoo 5.0.0
  cudaBar: [hipBar 6.0.0, hipOldBar removed 6.0.0]
  cudaSame: cudaSame
  __trap: __builtin_trap
  cudaNothing: {reason: none, alternative: none}
headers:
  foo.h: hipfoo/hipfoo.h
"""
DRIVER = """\
library: driver
functions:
  cuFoo: hipDrvFoo 5.0.0
types:
  CUfoo: hipFoo_t
"""


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return header_files(load_libraries())


def test_small_tables() -> None:
    files = header_files([parse_library(TABLE, "runtime.yaml"), parse_library(DRIVER, "driver.yaml")])
    names = files[f"{FOLDER}/runtime.h"].splitlines()[2:]
    assert names == [
        "#define hipBar cudaBar",
        "#if CUDART_VERSION >= 12000",
        "#define hipFoo cudaFoo",
        "#else",
        "#define hipFoo cudaOldFoo",
        "#endif",
        "#define hipOldBar cudaBar",
    ]
    assert files[f"{FOLDER}/driver.h"].splitlines()[2:] == [
        "#define hipDrvFoo HIPPORT_DRIVER(cuFoo)",
        "#define hipFoo_t CUfoo",
    ]
    assert "#include <foo.h>" in files["hipfoo/hipfoo.h"]


def test_every_name_of_hips_is_there_once(made: dict[str, str]) -> None:
    names = [name for file, text in made.items() if file.startswith(FOLDER) for name in _unconditional(text)]
    assert len(names) == len(set(names))
    assert {
        "hipMalloc",
        "hipblasSgemm",
        "hipMemcpyHtoD",
        "hiprandGenerate",
        "hipfftExecC2C",
        "hiprtcCompileProgram",
    } <= {*names}


def _unconditional(text: str) -> list[str]:
    """Return the names that a header defines unconditionally; those with a condition count once."""
    return list(dict.fromkeys(_DEFINE.findall(text)))


def test_names_that_cuda_has_too_are_no_macros(made: dict[str, str]) -> None:
    defined = {name for text in made.values() for name in _DEFINE.findall(text)}
    assert not defined & {"__half", "atomicAdd", "__shfl", "__ballot", "dim3", "int", "textureReference", "__HIPCC__"}
    assert all(re.match(r"hip|HIP|ihip|make_hip|roctx|__hip_", name) for name in defined)


def test_what_is_written_by_hand_is_not_made(made: dict[str, str]) -> None:
    assert "hip/hip_runtime.h" not in made
    assert (by_hand() / "hip/hip_runtime.h").is_file()
    assert "#include <cublas_v2.h>" in made["hipblas/hipblas.h"]
    assert "#include <curand_kernel.h>" in made["hiprand/hiprand_kernel.h"]


def test_what_the_headers_by_hand_undefine_is_a_name_of_the_tables(made: dict[str, str]) -> None:
    """Otherwise a name was removed from the tables or is misspelled."""
    defined = {name for text in made.values() for name in _DEFINE.findall(text)}
    undefined = {
        name
        for path in by_hand().rglob("*.h")
        for name in re.findall(r"^#undef (hip\w+|HIP\w+)", path.read_text(), re.MULTILINE)
    }
    assert undefined - defined == set()
