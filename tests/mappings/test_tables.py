"""Properties of all mapping tables that ship."""

from __future__ import annotations

import re

import pytest

from hipport.mappings import compile as compiling
from hipport.mappings import loader
from hipport.mappings.entry import ArgChange, Entry, Kind
from hipport.mappings.rows import Library, Row
from hipport.mappings.tables import Tables

WORD = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*\Z")

RECORDED = {
    "compiler": (85, 19),
    "cooperative_groups": (38, 31),
    "cub": (85, 15),
    "cublas": (2132, 919),
    "cucomplex": (26, 26),
    "cudnn": (1447, 0),
    "cudss": (49, 0),
    "cufft": (179, 123),
    "cupti": (1095, 0),
    "curand": (200, 120),
    "cusolver": (793, 348),
    "cusparse": (931, 689),
    "cusparselt": (93, 63),
    "cutensor": (241, 167),
    "device": (982, 601),
    "driver": (2446, 1178),
    "libcudacxx": (7, 0),
    "nccl": (183, 101),
    "npp": (306, 0),
    "nvjpeg": (194, 0),
    "nvml": (2544, 0),
    "nvrtc": (57, 27),
    "nvtx": (156, 9),
    "optix": (90, 0),
    "runtime": (1951, 1170),
    "thrust": (450, 430),
    "wmma": (23, 12),
}
"""How many names a library has at the least, and how many of them with a counterpart: less is a lost entry."""


@pytest.fixture(scope="module")
def libraries() -> dict[str, Library]:
    sources = {path.name: path.read_bytes() for path in loader.tables_folder().glob("*.yaml")}
    return {library.name: library for library in compiling.libraries(sources)}


@pytest.fixture(scope="module")
def rows(libraries: dict[str, Library]) -> list[Row]:
    return [row for library in libraries.values() for row in library.names]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return loader.load()


@pytest.fixture(scope="module")
def entries(tables: Tables) -> list[Entry]:
    return list(tables.names.values())


@pytest.mark.parametrize("library", RECORDED)
def test_no_name_is_lost(library: str, libraries: dict[str, Library]) -> None:
    names, counterparts = RECORDED[library]
    assert len(libraries[library].names) >= names
    assert sum(bool(row.hip) for row in libraries[library].names) >= counterparts


def test_a_file_is_called_like_its_library(libraries: dict[str, Library]) -> None:
    assert all(library.file == f"{name}.yaml" for name, library in libraries.items())


def test_counterparts_are_identifiers_or_qualified_names(entries: list[Entry]) -> None:
    assert [entry.name for entry in entries if entry.hip and not entry.support and not WORD.match(entry.hip.name)] == []


def test_what_has_no_counterpart_has_a_reason_and_an_alternative(tables: Tables) -> None:
    missing = [
        entry for entry in (*tables.names.values(), *tables.namespaces.values()) if entry.hip is None and not entry.drop
    ]
    missing += [member for members in tables.members.values() for member in members if member.hip is None]
    headers = [header for header in tables.headers.all().values() if header.hip is None and not header.drop]
    for entry in (*missing, *headers):
        assert len(entry.reason) > 10, entry
        assert len(entry.alternative) > 3, entry


def test_texts_read_as_parts_of_a_sentence(libraries: dict[str, Library]) -> None:
    for library in libraries.values():
        for row in (*library.names, *library.headers, *library.members):
            for text in (row.reason, row.alternative, row.note):
                assert text == text.strip()
                assert not text.endswith("."), f"{library.file}:{row.line}: {text}"


def test_reasons_know_no_name_that_is_mistyped(tables: Tables, entries: list[Entry]) -> None:
    """A HIP function in a suggested alternative must be the counterpart of some name, or be in a list of others."""
    beyond = {"hipExtStreamCreateWithCUMask", "hipHostMallocCoherent", "hipLaunchKernelGGL", "hipMemcpy3DBatchAsync"}
    named = {
        word
        for entry in entries
        for word in re.findall(r"\bhip[A-Z]\w+", entry.alternative)
        if not re.match(r"hip(BLAS|FFT|RTC|RAND|SPARSE|SOLVER|CUB|DNN|GRAPH|MM|Tensor|File)", word)
    }
    assert named - tables.hip_names - beyond == set()


def test_changes_of_arguments_do_not_collide(entries: list[Entry]) -> None:
    for entry in entries:
        assert not entry.args or entry.kind in (Kind.FUNCTION, Kind.MACRO), entry.name
        for arity in {change.arity for change in entry.args}:
            touched = [c.at for c in entry.args if c.op in ("wrap", "remove", "replace") and c.arity in (None, arity)]
            assert len(touched) == len(set(touched)), entry.name


@pytest.mark.parametrize(
    ("name", "hip", "args"),
    [
        ("cudaMalloc", "hipMalloc", ()),
        ("cudaMallocHost", "hipHostMalloc", (ArgChange("append", text="hipHostMallocDefault", arity=2),)),
        ("cudaGetSymbolAddress", "hipGetSymbolAddress", (ArgChange("wrap", at=1, before="HIP_SYMBOL(", after=")"),)),
        ("cudaGetSymbolSize", "hipGetSymbolSize", (ArgChange("wrap", at=1, before="HIP_SYMBOL(", after=")"),)),
        (
            "cudaFuncSetAttribute",
            "hipFuncSetAttribute",
            (ArgChange("wrap", before="reinterpret_cast<const void*>(", after=")"),),
        ),
        ("cudaThreadSynchronize", "hipDeviceSynchronize", ()),
        ("cuLaunchKernel", "hipModuleLaunchKernel", ()),
        ("__shfl_down_sync", "__shfl_down", (ArgChange("remove"),)),
        ("__syncthreads", "__syncthreads", ()),
        ("cuCmulf", "hipCmulf", ()),
        ("nvrtcGetPTX", "hiprtcGetCode", ()),
        ("cublasSgemm_v2", "hipblasSgemm", ()),
        ("cublasCgemm", "hipblasCgemm", ()),
    ],
)
def test_examples(tables: Tables, name: str, hip: str, args: tuple[ArgChange, ...]) -> None:
    entry = tables.names[name]
    assert entry.hip is not None
    assert (entry.hip.name, entry.args) == (hip, args)


def test_hipblas_renamed_its_complex_functions_twice() -> None:
    spelled = {}
    for rocm in ("5.7", "6.2", "7.0"):
        hip = loader.load(rocm=rocm).names["cublasCgemm"].hip
        assert hip is not None
        spelled[rocm] = hip.name
    assert spelled == {"5.7": "hipblasCgemm", "6.2": "hipblasCgemm_v2", "7.0": "hipblasCgemm"}


@pytest.mark.parametrize(
    ("operand", "hip"),
    [
        ("cuda_runtime.h", "hip/hip_runtime.h"),
        ("cuda.h", "hip/hip_runtime.h"),
        ("cub/block/block_reduce.cuh", "hipcub/hipcub.hpp"),
        ("thrust/device_vector.h", "thrust/device_vector.h"),
        ("thrust/system/cuda/execution_policy.h", "thrust/system/hip/execution_policy.h"),
        ("cublas_v2.h", "hipblas/hipblas.h"),
        ("nccl.h", "rccl/rccl.h"),
        ("cutensor.h", "hiptensor/hiptensor.hpp"),
        ("cusparseLt.h", "hipsparselt/hipsparselt.h"),
        ("mma.h", "hipport/compat/wmma.h"),
    ],
)
def test_headers(tables: Tables, operand: str, hip: str) -> None:
    header = tables.headers.get(operand)
    assert header is not None
    assert header.hip == hip


@pytest.mark.parametrize("operand", ["helper_cuda.h", "stdio.h", "my/cuda_runtime.h", "vector", "common.h"])
def test_headers_of_others(tables: Tables, operand: str) -> None:
    assert tables.headers.get(operand) is None


def test_headers_that_hip_does_not_need(tables: Tables) -> None:
    for operand in ("device_launch_parameters.h", "crt/host_config.h", "sm_20_atomic_functions.h"):
        header = tables.headers.get(operand)
        assert header is not None
        assert header.drop


def test_members() -> None:
    old, new = loader.load(rocm="5.2.3").members, loader.load(rocm="6.2").members
    assert [(m.owner, m.hip) for m in old["type"]] == [("cudaPointerAttributes", "memoryType")]
    assert "type" not in new
    assert "sharedMemPerMultiprocessor" in old
    assert "sharedMemPerMultiprocessor" not in new
    assert "warpSize" not in old


def test_plain_words_are_marked(entries: list[Entry]) -> None:
    """Names that projects often define themselves keep their spelling in HIP or are marked; few are exceptions."""
    words = [entry for entry in entries if re.fullmatch(r"[a-z]+[0-9]*", entry.name)]
    renamed = [entry for entry in words if entry.hip is None or entry.hip.name != entry.name]
    assert [entry.name for entry in renamed if not entry.ordinary] == ["curand", "curand4"]
    assert {"ballot", "mulhi"} <= {entry.name for entry in renamed}


def test_identities_are_known_but_not_active(tables: Tables) -> None:
    assert {"__syncthreads", "sinf", "atomicInc", "__brev"} <= tables.known - tables.active


def test_namespaces(tables: Tables) -> None:
    assert {"cub", "thrust", "cooperative_groups", "nvcuda::wmma"} <= set(tables.namespaces)
    cub = tables.namespaces["cub"].hip
    assert cub is not None
    assert cub.name == "hipcub"


@pytest.mark.parametrize(
    ("name", "alternative"),
    [
        ("nvmlDeviceGetPowerUsage", "amdsmi_get_power_info"),
        ("cuptiActivityEnable", "rocprofiler_configure_buffer_tracing_service of rocprofiler-sdk"),
        ("nvjpegDecode", "rocJpegDecode and rocJpegDecodeBatched of rocJPEG"),
        ("optixAccelBuild", "hiprtCreateGeometry"),
        ("cudssExecute", "rocSOLVER refactorization"),
        ("nppiMalloc_8u_C1", "hipMallocPitch"),
        ("cublasXtSgemm", "one hipBLAS handle for each device"),
    ],
)
def test_libraries_without_a_counterpart_say_what_porters_use(tables: Tables, name: str, alternative: str) -> None:
    entry = tables.names[name]
    assert entry.hip is None
    assert alternative in entry.alternative


@pytest.mark.parametrize("operand", ["cuda/annotated_ptr", "nppi_filtering_functions.h", "cupti_events.h"])
def test_headers_without_a_counterpart_say_what_porters_use(tables: Tables, operand: str) -> None:
    header = tables.headers.get(operand)
    assert header is not None
    assert header.hip is None
    assert len(header.alternative) > 10


def test_nccl_keeps_its_names(tables: Tables) -> None:
    hip = tables.names["ncclAllReduce"].hip
    assert hip is not None
    assert hip.name == "ncclAllReduce"
    assert "ncclAllReduce" in tables.known - tables.active


@pytest.mark.parametrize(
    ("rocm", "guard"),
    [("5.2", "_HIPSPARSE_H_"), ("5.5", "_HIPSPARSE_H_"), ("5.6", "HIPSPARSE_H"), ("7.2", "HIPSPARSE_H")],
)
def test_include_guards_follow_the_release(rocm: str, guard: str) -> None:
    hip = loader.load(rocm=rocm).names["CUSPARSEAPI"].hip
    assert hip is not None
    assert hip.name == guard
