"""Trees with a port to HIP of their own are left alone, and said to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic
from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode, Report
from hipport.project.run import run
from hipport.translate.context import Options

_BRIDGE = """#pragma once
#include <hip/hip_runtime.h>
#define cudaStream_t hipStream_t
#define cudaMalloc hipMalloc
#define __shfl_sync(mask, value, lane, width) __shfl(value, lane, width)
"""
_COMMON = """#pragma once
#ifdef APP_USE_HIP
#include "vendors/hip.h"
#else
#include <cuda_runtime.h>
#define HAS_CUB
#endif
#ifdef HAS_CUB
#include <cub/cub.cuh>
#endif
"""
_UNIT = (
    '#include "common.cuh"\n__global__ void k(float *v) { *v = 1; }\nvoid f(cudaStream_t s) { k<<<1, 1, 0, s>>>(0); }\n'
)
_CMAKE = "project(app CUDA)\nadd_library(app a.cu)\n"


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def ported(folder: Path) -> Path:
    files = {"vendors/hip.h": _BRIDGE, "common.cuh": _COMMON, "a.cu": _UNIT, "b.cu": _UNIT, "CMakeLists.txt": _CMAKE}
    return written(folder, files)


def converted(tree: Path, out: Path, **options: bool) -> Report:
    names = NameChoice(rocm="6.4")
    request = ConvertRequest((str(tree),), Mode.OUTPUT, Options(), names, folder=str(out), jobs=1, **options)
    return run(request, lambda done, total: None)


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".hipport" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def about_ports(report: Report) -> list[Diagnostic]:
    return [found for found in report.diagnostics if found.code == "HP118"]


def test_a_ported_tree_stays_as_it_is_with_its_build_files(tmp_path: Path) -> None:
    tree = ported(tmp_path / "in")
    report = converted(tree, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(tree)
    notes = [found for found in about_ports(report) if found.severity == "note"]
    about = {Path(found.path).name: found.message for found in notes}
    assert about.keys() == {"a.cu", "b.cu", "common.cuh", "CMakeLists.txt"}
    assert "hip.h, where APP_USE_HIP is defined" in about["a.cu"]
    assert len(report.diagnostics) == len(about) + 1


def test_the_macro_that_selects_hip_is_a_warning_where_most_units_test_it(tmp_path: Path) -> None:
    tree = ported(tmp_path / "in")
    own = "#ifdef APP_USE_HIP\n#include <hiprand/hiprand.h>\n#else\n#include <curand.h>\n#endif\n"
    written(tree, {"a.h": own, "a.cu": '#include "a.h"\n' + _UNIT})
    [warning] = [found for found in about_ports(converted(tree, tmp_path / "out")) if found.severity == "warning"]
    assert (Path(warning.path).name, warning.line) == ("common.cuh", 2)
    assert "-DAPP_USE_HIP" in (warning.advice or "")


_RENAMING = """#pragma once
#ifdef USE_HIP
#include <hip/hip_runtime.h>
#define gpuMalloc hipMalloc
#else
#define gpuMalloc cudaMalloc
#endif
"""


def test_a_branch_that_only_names_what_is_cudas_is_beside_hips_headers(tmp_path: Path) -> None:
    unit = '#include "gpu.h"\n__global__ void k() {}\nvoid f(float** p) { gpuMalloc((void**)p, 4); }\n'
    report = converted(written(tmp_path / "in", {"gpu.h": _RENAMING, "a.cu": unit}), tmp_path / "out")
    [warning] = [found for found in about_ports(report) if found.severity == "warning"]
    assert "USE_HIP" in warning.message


_HANDLE = """#pragma once
#ifdef APP_WITH_HIP
typedef struct ihipStream_t* stream;
#else
typedef struct CUstream_st* stream;
#endif
"""


def test_a_macro_that_selects_a_type_of_hips_is_a_warning(tmp_path: Path) -> None:
    common = "#pragma once\n#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif\n"
    unit = '#include "common.h"\n#include "handle.h"\n__global__ void k() {}\n'
    files = {"common.h": common, "handle.h": _HANDLE, "a.cu": unit}
    report = converted(written(tmp_path / "in", files), tmp_path / "out")
    [warning] = [found for found in about_ports(report) if found.severity == "warning"]
    assert (Path(warning.path).name, warning.line) == ("handle.h", 2)
    assert "APP_WITH_HIP" in warning.message


def test_a_header_of_cudas_in_a_file_that_does_not_mention_hip_needs_a_translation(tmp_path: Path) -> None:
    unit = (
        '#include "gpu.h"\n#include "plain.h"\n__global__ void k() {}\nvoid f(float** p) { gpuMalloc((void**)p, 4); }\n'
    )
    header = _RENAMING.replace("USE_HIP", "__HIP_PLATFORM_AMD__")
    files = {
        "gpu.h": header,
        "plain.h": "#include <cuComplex.h>\nint plain();\n",
        "a.cu": unit,
        "b.cpp": '#include "plain.h"\n',
    }
    report = converted(written(tmp_path / "in", files), tmp_path / "out")
    assert "hip/hip_complex.h" in (tmp_path / "out" / "plain.h").read_text()
    assert not [found for found in about_ports(report) if "left alone: it is" in found.message]


def test_a_macro_that_compilers_define_is_no_warning(tmp_path: Path) -> None:
    header = _RENAMING.replace("USE_HIP", "__HIP_PLATFORM_AMD__")
    unit = '#include "gpu.h"\n__global__ void k() {}\nvoid f(float** p) { gpuMalloc((void**)p, 4); }\n'
    report = converted(written(tmp_path / "in", {"gpu.h": header, "a.cu": unit}), tmp_path / "out")
    assert not [found for found in about_ports(report) if found.severity == "warning"]


def test_it_is_translated_on_demand(tmp_path: Path) -> None:
    report = converted(ported(tmp_path / "in"), tmp_path / "out", convert_ported=True)
    assert not [found for found in about_ports(report) if "left alone: it is" in found.message]
    assert "hipStream_t" in (tmp_path / "out" / "a.hip").read_text()


def test_a_unit_of_a_ported_tree_that_is_not_ported_is_a_warning(tmp_path: Path) -> None:
    tree = ported(tmp_path / "in")
    written(tree, {"c.cu": '#include "common.cuh"\nvoid g(void *p) { cudaFreeAsync(p, 0); }\n'})
    report = converted(tree, tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(tree)
    [warning] = [found for found in about_ports(report) if "but this one is not" in found.message]
    assert warning.severity == "warning"
    assert warning.path.endswith("c.cu")
    assert "cudaFreeAsync" in warning.message


@pytest.mark.parametrize(
    "files",
    [
        {"a.cu": "#include <cuda_runtime.h>\nvoid f(cudaStream_t s);\n"},
        {
            "a.cu": '#include "u.h"\nvoid f(cudaStream_t s);\n',
            "u.h": "#ifdef __HIPCC__\n#include <hip/hip_fp16.h>\n#endif\n",
        },
        {"a.cu": "#ifdef USE_HIP\n#include <hip/hip_fp16.h>\n#else\n#include <cuda_fp16.h>\n#endif\ncudaError_t e;\n"},
        {"a.cu": "// hip\n#if defined(__CUDACC__) || defined(__HIPCC__)\n#define HD\n#endif\ncudaError_t e;\n"},
        {"hip.h": _BRIDGE, "a.cu": "#include <cuda_runtime.h>\nvoid f(cudaStream_t s);\n"},
    ],
)
def test_other_trees_are_translated(files: dict[str, str], tmp_path: Path) -> None:
    report = converted(written(tmp_path / "in", files), tmp_path / "out")
    text = (tmp_path / "out" / "a.hip").read_text()
    assert "hipStream_t s" in text or "hipError_t e" in text
    assert not [found for found in about_ports(report) if found.path.endswith("a.cu")]


def test_a_header_that_sets_macros_for_the_runtime_stays_in_front_of_it(tmp_path: Path) -> None:
    for_hip = "#define HIP_ENABLE_WARP_SYNC_BUILTINS\n#include <hip/hip_runtime.h>\n"
    compat = f"#pragma once\n#if defined(__HIPCC__)\n{for_hip}#else\n#include <cuda_runtime.h>\n#endif\n"
    unit = '#include "compat.cuh"\n__global__ void k() {}\ncudaError_t e;\n'
    converted(written(tmp_path / "in", {"compat.cuh": compat, "a.cu": unit}), tmp_path / "out")
    assert (tmp_path / "out" / "compat.cuh").read_text() == compat
    assert (tmp_path / "out" / "a.hip").read_text().startswith('#include "compat.cuh"\n')
