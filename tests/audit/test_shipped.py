"""The shipped tables agree with the shipped lists of names and with the headers of this machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.audit import evidence
from hipport.audit.accepted import accepted, floors
from hipport.audit.check import AuditResult, check, unfinished
from hipport.audit.check_text import lines
from hipport.audit.extract import Extract
from hipport.audit.rules import parse_rules, rules
from hipport.errors import HipportError
from hipport.mappings.loader import load
from tests.llvm_releases import HIPCC

SHIPPED = [*evidence.shipped("rocm"), *evidence.shipped("cuda")]


def checked(extract: Extract) -> AuditResult:
    tables = load(rocm=extract.release if extract.product == "rocm" else None)
    return check(extract, tables, accepted(), floors(extract.source))


def clang_headers() -> list[Path]:
    return sorted(Path("/usr/lib").glob(f"llvm-{HIPCC}/lib/clang/{HIPCC}*/include"))


@pytest.mark.parametrize("extract", SHIPPED, ids=lambda extract: f"{extract.product}-{extract.release}")
def test_the_tables_agree_with_a_list(extract: Extract) -> None:
    result = checked(extract)
    assert result.passed, "\n".join(lines(result))
    assert sum(result.found.values()) > 1000


def test_floors_are_recorded_for_every_list() -> None:
    for extract in SHIPPED:
        assert sum(floors(extract.source).values()) > 1000, extract.source


def test_no_reason_is_still_to_be_written() -> None:
    assert unfinished(load()) == []


def test_lists_of_hip_know_its_functions_and_members() -> None:
    for extract in evidence.shipped("rocm"):
        assert extract.folder.names["hipMalloc"].parameters in (2, None)
        assert "multiProcessorCount" in extract.folder.members["hipDeviceProp_t"]


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_tables_agree_with_the_installed_hip() -> None:
    folder = Path("/usr/include")
    if not (folder / "hip/hip_version.h").is_file():
        pytest.fail("no HIP headers") if os.environ.get("CI") else pytest.skip("no HIP headers")
    result = checked(evidence.from_headers("rocm", [folder, *clang_headers()]))
    assert result.open == (), "\n".join(lines(result))
    assert {"runtime", "driver", "nvrtc", "headers", "members"} <= set(result.found)


@pytest.mark.slow
def test_the_tables_agree_with_the_installed_cuda() -> None:
    folder = Path("/usr/local/cuda/include")
    if not (folder / "cuda.h").is_file():
        pytest.skip("no CUDA on this machine; the list of CUDA 13.0's names is checked all the same")
    result = checked(evidence.from_headers("cuda", [folder]))
    assert result.open == (), "\n".join(lines(result))
    assert result.found["driver"] > 1000


def test_the_release_is_read_from_the_headers(tmp_path: Path) -> None:
    (tmp_path / "cuda.h").write_text("#define CUDA_VERSION 12090\nint cuInit(unsigned int flags);\n")
    assert evidence.from_headers("cuda", [tmp_path]).release == "12.9"
    wheel = tmp_path / "wheel"
    (wheel / "hip").mkdir(parents=True)
    (wheel / "hip/chip.pxd").write_text('cdef extern from "hip/hip_runtime_api.h":\n    cdef int HIP_X\n')
    (wheel / "hip_python-7.2.2.562.43.dist-info").mkdir()
    found = evidence.from_headers("rocm", [wheel])
    assert (found.release, found.source) == ("7.2.2", "hip-python 7.2")


def test_headers_that_do_not_say_their_release(tmp_path: Path) -> None:
    (tmp_path / "api.h").write_text("int hipGet(void);")
    with pytest.raises(HipportError, match="cannot tell which CUDA release"):
        evidence.from_headers("cuda", [tmp_path])
    assert evidence.from_headers("cuda", [tmp_path], "13.1").source == "CUDA 13.1"


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("hipMalloc", "hip/hip_runtime_api.h"),
        ("hipCtxCreate", "hip/hip_runtime_api.h"),
        ("hipCmulf", "hip/hip_complex.h"),
        ("hipblasLtMatmul", "hipblaslt/hipblaslt.h"),
        ("hipblasSgemm", "hipblas/hipblas.h"),
        ("HIP_R_32F", "hip/hip_runtime_api.h"),
        ("HIP_PI_F", "hip/hip_math_constants.h"),
        ("__shfl", "__clang_hip_math.h"),
    ],
)
def test_families(name: str, header: str) -> None:
    assert header in rules().headers_of(name)


def test_spellings() -> None:
    assert next(rules().hip_spellings("cublasLtMatmul")) == "hipblasLtMatmul"
    assert next(rules().hip_spellings("CUDA_R_32F")) == "HIP_R_32F"
    assert "HIP_STREAM_DEFAULT" in rules().hip_spellings("CU_STREAM_DEFAULT")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("internal: {}\n", r"rules\.yaml:1: the key 'public' is missing"),
        ("internals: {}\n", "unknown key; did you mean 'internal'"),
    ],
)
def test_mistakes_in_rules(text: str, says: str) -> None:
    with pytest.raises(HipportError, match=says):
        parse_rules(text, "rules.yaml")
