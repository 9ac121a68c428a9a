"""Macros that select HIP in sources with a port of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.builds.gather import Gathered
from hipport.builds.ingest import Ingested
from hipport.builds.ported import with_switches
from hipport.builds.request import CompileSettings
from hipport.mappings.loader import Tables

EITHER = "#if {}\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"


def defined(tables: Tables, path: Path, text: str, *given: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    path.write_text(text)
    found = Gathered((), CompileSettings(defines=given), Ingested(read=(str(path),)), ())
    made = with_switches(found, tables)
    return made.settings.defines, made.notes


@pytest.mark.parametrize("condition", ["defined(USE_HIP)", "USE_ROCM", "defined(GGML_USE_HIP) && GGML_USE_HIP"])
def test_the_projects_macro_is_defined(tables: Tables, tmp_path: Path, condition: str) -> None:
    defines, notes = defined(tables, tmp_path / "a.h", EITHER.format(condition))
    assert defines in (("-DUSE_HIP",), ("-DUSE_ROCM",), ("-DGGML_USE_HIP",))
    assert notes == (f"compiling with {defines[0]}, which selects HIP in {tmp_path / 'a.h'}",)


@pytest.mark.parametrize(
    ("hip", "cuda", "asked"),
    [
        ("typedef struct ihipStream_t* stream;", "typedef struct CUstream_st* stream;", ("-DUSE_HIP",)),
        ("typedef hipStream_t stream;", "typedef cudaStream_t stream;", ("-DUSE_HIP",)),
        ("typedef struct relationship* stream;", "typedef struct CUstream_st* stream;", ()),
        ("typedef struct ihipStream_t* stream;", "typedef struct other* stream;", ()),
    ],
)
def test_names_select_as_headers_do(
    tables: Tables, tmp_path: Path, hip: str, cuda: str, asked: tuple[str, ...]
) -> None:
    either = f"#ifdef USE_HIP\n{hip}\n#else\n{cuda}\n#endif\n"
    assert defined(tables, tmp_path / "a.h", either)[0] == asked


@pytest.mark.parametrize(
    "text",
    [
        EITHER.format("defined(__HIP_PLATFORM_AMD__)"),
        EITHER.format("defined(USE_HIP) || defined(__HIPCC__)"),
        "#define USE_HIP\n" + EITHER.format("defined(USE_HIP)"),
        EITHER.format("defined(WITH_GPU)"),
        "#ifdef USE_HIP\n#include <hip/hip_runtime.h>\n#endif\n#include <cuda_runtime.h>\n",
        "#include <hip/hip_runtime.h>\n",
        "#include <cuda_runtime.h>\n",
    ],
)
def test_nothing_is_defined_where_it_is_not_needed(tables: Tables, tmp_path: Path, text: str) -> None:
    assert defined(tables, tmp_path / "a.h", text) == ((), ())


@pytest.mark.parametrize("option", ["-DUSE_HIP", "-DUSE_HIP=0", "-UUSE_HIP"])
def test_the_users_choice_holds(tables: Tables, tmp_path: Path, option: str) -> None:
    assert defined(tables, tmp_path / "a.h", EITHER.format("USE_HIP"), option) == ((option,), ())
