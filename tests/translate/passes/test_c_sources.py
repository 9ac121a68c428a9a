"""C sources: their own headers, what hipport has for C, and findings for what is C++."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.files.facts import Kind
from hipport.files.inclusion import OF_C, fact
from hipport.mappings.loader import Tables
from hipport.support import include_dir
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source

HEADERS = sorted((include_dir() / "hipport" / "compat").glob("*.h"))


def converted(tables: Tables, text: str, name: str = "a.c", *told: str) -> Conversion:
    return convert_source(text.encode(), name, Context(tables, foreign=frozenset(told)))


def found(made: Conversion) -> list[tuple[int, str]]:
    return [(each.line, each.code) for each in made.diagnostics if each.severity.value == "error"]


@pytest.mark.parametrize("header", ["cuda.h", "cuda_runtime.h", "cublas_v2.h", "curand.h"])
def test_own_headers_stay(tables: Tables, header: str) -> None:
    text = f'#include <cuda_runtime.h>\n#include "{header}"\ncudaError_t e;\n'
    assert f'"{header}"'.encode() in converted(tables, text, "a.cu", fact(Kind.OWN, header)).data
    assert f'"{header}"'.encode() not in converted(tables, text, "a.cu").data
    angles = text.replace(f'"{header}"', f"<{header}>")
    assert f"<{header}>".encode() not in converted(tables, angles, "a.cu", fact(Kind.OWN, header)).data


def test_names_and_headers_of_cxx_are_reported_in_c(tables: Tables) -> None:
    text = "#include <cuda_bf16.h>\nint f(CUcontext c, unsigned long long* id) { return cuCtxGetId(c, id); }\n"
    assert found(converted(tables, text)) == [(1, "HP102"), (2, "HP101")]
    assert found(converted(tables, text, "a.h", OF_C)) == [(1, "HP102"), (2, "HP101")]
    assert found(converted(tables, text, "a.h")) == found(converted(tables, text, "a.cpp")) == []
    assert found(converted(tables, f"#ifdef __cplusplus\n{text}#endif\n", "a.h", OF_C)) == []
    assert b"compat" not in converted(tables, text).data.split(b"\n", 2)[1]


def test_hiprand_in_c(tables: Tables) -> None:
    text = "#include <curand.h>\ncurandGenerator_t g;\n"
    assert b"<hipport/compat/rand.h>" in converted(tables, text).data
    assert b"<hiprand/hiprand.h>" in converted(tables, text, "a.cpp").data


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_table_says_which_headers_are_c(tables: Tables, tmp_path: Path) -> None:
    """A header that C compilers accept is marked in the table, and one that they reject is not."""
    compiler = shutil.which("gcc")
    assert compiler is not None
    (tmp_path / "hipport").symlink_to(include_dir() / "hipport")
    wrong = []
    for header in HEADERS:
        (tmp_path / "a.c").write_text(f"#include <hipport/compat/{header.name}>\nint x;\n")
        # Not hidden as from compilers that read no device code.
        macros = ["-D__HIP_PLATFORM_AMD__", "-DHIPPORT_COMPAT_DEVICE_COMPILER"]
        command = [compiler, "-w", *macros, f"-I{tmp_path}", "-fsyntax-only", str(tmp_path / "a.c")]
        made = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        absent = "fatal error" in made.stderr and "hipport" not in made.stderr.split("fatal error")[1].split(":")[1]
        if not absent and (made.returncode == 0) != (f"hipport/compat/{header.name}" in tables.in_c):
            wrong.append(header.name)
    # A header that only others include, and ones with macros for C++ alone.
    assert wrong == ["device_compiler.h", "lambdas.h", "maybe_undef.h"]
