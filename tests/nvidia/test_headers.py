"""The headers for NVIDIA GPUs, compiled by clang with the headers of CUDA 11 and 13, because CI lacks nvcc."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.builds.nvidia.headers import FOLDER
from hipport.mappings.entry import Life
from hipport.mappings.life import release
from hipport.mappings.loader import load_libraries
from hipport.support import closure, include_dir
from tests.nvidia.conftest import Compile, Toolkit

pytestmark = [pytest.mark.toolchain]

HERE = Path(__file__).parent
FIXTURES = Path(__file__).parents[2] / "fixtures"
_MEANING = re.compile(r"^#define \w+ (?:HIPPORT_DRIVER\()?(\w+)\)?$", re.MULTILINE)
# What libcu++ needs beyond the headers of the runtime, and CUDA 11's package lacks.
_WITH_LIBCUXX = (
    "nv_atomic",
    "nv_target",
    "cuda_atomic",
    "cuda_span",
    "simt_atomic",
    "cuda_barrier",
    "cuda_pipeline",
    "memcpy_async",
    "float_formats",
    "fp8",
)
_WITH_LIBRARIES = re.compile(r"#\s*include\s*<(?:(?:cu|hip)(?:blas|fft|rand|solver|sparse)|cudnn|nvtx3|roctracer)")
"""Libraries that are packages of their own, and not there."""


def test_calls_in_the_form_of_hip(compiled: Compile) -> None:
    assert compiled(HERE / "programs/api.hip") == ""


def test_a_host_source_needs_no_device_compiler(
    toolkit: Toolkit, names: Path, compiled: Compile, tmp_path: Path
) -> None:
    source = tmp_path / "host.cpp"
    source.write_text("#include <hip/hip_runtime_api.h>\nint main() { return hipDeviceSynchronize() != hipSuccess; }\n")
    assert compiled(source, "-x", "c++", f"-I{toolkit.folder / 'include'}") == ""


def test_a_mistake_is_found(compiled: Compile, tmp_path: Path) -> None:
    source = tmp_path / "wrong.hip"
    source.write_text("#include <hip/hip_runtime.h>\nvoid f(float* p) { hipMalloc(p); hipModuleUnload(p, p); }\n")
    said = compiled(source)
    assert "no matching function for call to 'cudaMalloc'" in said
    assert "wrong number of arguments" in said


def test_amds_platform_is_refused(compiled: Compile, tmp_path: Path) -> None:
    source = tmp_path / "amd.hip"
    source.write_text("#include <hip/hip_runtime.h>\n")
    assert "__HIP_PLATFORM_AMD__ must not be defined" in compiled(source, "-D__HIP_PLATFORM_AMD__")


@pytest.mark.parametrize("part", ["compat", "ptx"])
def test_hipports_own_headers(part: str, toolkit: Toolkit, compiled: Compile, tmp_path: Path) -> None:
    headers = sorted((include_dir() / "hipport" / part).glob("*.h"))
    if toolkit.release < (12, 0):
        headers = [path for path in headers if not path.stem.endswith(_WITH_LIBCUXX)]
    texts = {path: b"".join(closure([f"hipport/{part}/{path.name}"]).values()).decode() for path in headers}
    headers = [path for path in headers if not _WITH_LIBRARIES.search(texts[path])]
    assert len(headers) > 8
    source = tmp_path / "all.hip"
    includes = "".join(f"#include <hipport/{part}/{path.name}>\n" for path in headers)
    source.write_text(f"#include <hip/hip_runtime.h>\n{includes}__global__ void kernel() {{}}\n")
    assert compiled(source) == ""


def test_cross_lane_functions_of_compat(compiled: Compile, tmp_path: Path) -> None:
    source = tmp_path / "lanes.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\n#include <hipport/compat/lanes.h>\n#include <hipport/compat/reduce.h>\n"
        "__global__ void kernel(unsigned* r, float x) {\n"
        "  int same;\n"
        "  r[0] = hipport::warp32::ballot(x > 1) + hipport::warp32::activemask() + hipport::warp32::any(~0u, x > 1);\n"
        "  r[1] = hipport::warp32::match_any(~0u, x) + hipport::warp32::match_all(~0u, x, &same) + same;\n"
        "  r[2] = unsigned(hipport::wavefront::match_any(~0u, x)) + hipport::warp32::reduce_add(~0u, r[3]);\n"
        "}\n"
    )
    assert compiled(source) == ""


def test_formats(toolkit: Toolkit, compiled: Compile) -> None:
    if toolkit.release < (12, 0):
        pytest.skip("CUDA 11.8 has some functions of bfloat16 only where nvcc compiles for the device")
    assert compiled(FIXTURES / "compat/formats.hip", "--cuda-gpu-arch=sm_90") == ""


def test_cuda_declares_what_the_names_mean(toolkit: Toolkit, names: Path) -> None:
    """Except names that the tables mark as added later or removed before."""
    files = [*toolkit.include.glob("*.h*"), toolkit.folder / "include/crt/device_functions.h"]
    words = {word for path in files for word in re.findall(r"\w+", path.read_text(errors="replace"))}
    lives = {row.name: row.cuda for library in load_libraries() for row in library.names}
    text = "".join((names / FOLDER / f"{part}.h").read_text() for part in ("runtime", "driver", "device", "cucomplex"))
    wanted = {name for name in _MEANING.findall(text) if _is_in(lives[name], toolkit.release)}
    assert len(wanted) > 1200
    assert sorted(wanted - words) == []


def _is_in(life: Life, cuda: tuple[int, int]) -> bool:
    came, went = life.added, life.removed
    return not (came and release(came) > cuda) and not (went and release(went) <= cuda)
