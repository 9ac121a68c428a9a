"""Compare the tables with the HIP headers of the installed ROCm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from hipport.mappings.entry import Entry
from hipport.mappings.loader import load
from hipport.mappings.tables import Tables

pytestmark = pytest.mark.toolchain

PROLOGUE = """\
#include <hip/hip_runtime.h>
__global__ void kernel(float* p) { p[0] = 1; }
__device__ float symbol;
__constant__ float table[4];
"""

CALLS = {
    "cudaFuncSetAttribute": ("{call}(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 1)", 3),
    "cudaFuncSetCacheConfig": ("{call}(kernel, hipFuncCachePreferL1)", 2),
    "cudaFuncSetSharedMemConfig": ("{call}(kernel, hipSharedMemBankSizeDefault)", 2),
    "cudaFuncGetAttributes": ("hipFuncAttributes a; {call}(&a, kernel)", 2),
    "cudaLaunchKernel": ("void* a[1]; {call}(kernel, dim3(1), dim3(1), a, 0, 0)", 6),
    "cudaLaunchCooperativeKernel": ("void* a[1]; {call}(kernel, dim3(1), dim3(1), a)", 4),
    "cudaStreamWaitEvent": ("hipStream_t s; hipEvent_t e; {call}(s, e)", 2),
    "cudaGraphInstantiate": ("hipGraphExec_t x; hipGraph_t g; {call}(&x, g, 0)", 3),
    "cudaMallocPitch": ("float* p; size_t n; {call}(&p, &n, 4, 4)", 4),
    "cudaHostGetDevicePointer": ("float* p; {call}(&p, p, 0)", 3),
    "cuMemcpyHtoD": ("hipDeviceptr_t d; const float* p; {call}(d, p, 4)", 3),
    "cuMemcpy": ("hipDeviceptr_t d; {call}(d, d, 4)", 3),
    "cuMemcpyAsync": ("hipDeviceptr_t d; hipStream_t s; {call}(d, d, 4, s)", 4),
    "cudaGraphAddMemcpyNodeToSymbol": (
        "hipGraphNode_t n; hipGraph_t g; {call}(&n, g, 0, 0, symbol, 0, 4, 0, hipMemcpyHostToDevice)",
        9,
    ),
    "cudaGraphMemcpyNodeSetParamsFromSymbol": (
        "hipGraphNode_t n; {call}(n, 0, symbol, 4, 0, hipMemcpyDeviceToHost)",
        6,
    ),
}
"""Calls as CUDA has them, with HIP names in all but the function, and the number of arguments."""

UNCHANGED = {
    "cudaMemcpyToSymbol": ("{call}(HIP_SYMBOL(table), 0, 4)", 3),
    "cudaMallocHost": ("float* p; {call}(&p, 4, hipHostMallocDefault)", 3),
    "cudaHostAlloc": ("float* p; {call}(&p, 4, hipHostMallocMapped)", 3),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": ("int n; {call}(&n, kernel, 64, 0)", 4),
    "cudaOccupancyMaxPotentialBlockSize": ("int n, m; {call}(&n, &m, kernel, 0, 0)", 5),
    "cudaLaunchCooperativeKernel": ("void* a[1]; {call}(kernel, dim3(1), dim3(1), a, 0, 0)", 6),
    "cudaEventRecord": ("hipEvent_t e; {call}(e)", 1),
    "cudaMallocManaged": ("float* p; {call}(&p, 4)", 2),
}
"""Calls that HIP takes as they are: a change would be one too many."""


@pytest.fixture(scope="module")
def include() -> Path:
    for folder in (os.environ.get("HIP_PATH", "/nowhere"), "/opt/rocm", "/usr"):
        if (Path(folder) / "include/hip/hip_version.h").is_file():
            return Path(folder) / "include"
    if os.environ.get("CI"):
        pytest.fail("no HIP headers")
    pytest.skip("no HIP headers")


@pytest.fixture(scope="module")
def rocm(include: Path) -> str:
    text = (include / "hip/hip_version.h").read_text()
    return ".".join(re.findall(r"#define HIP_VERSION_(?:MAJOR|MINOR) (\d+)", text))


@pytest.fixture(scope="module")
def tables(rocm: str) -> Tables:
    return load(rocm=rocm)


@pytest.fixture(scope="module")
def declared(include: Path) -> frozenset[str]:
    """Return the words in the headers for AMD, without comments and without the profiler's list of all names."""
    words: set[str] = set()
    for path in (include / "hip").rglob("*.h"):
        if "nvidia" not in path.as_posix() and "prof" not in path.name:
            code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(errors="replace"), flags=re.S)
            words.update(re.findall(r"\w+", code))
            # A macro makes up the names make_float4 and so on.
            words.update(f"make_{vector}" for vector in re.findall(r"\bDECLOP_MAKE_\w+\([\w ]+, (\w+)\)", code))
    return frozenset(words)


@pytest.mark.parametrize("library", ["runtime", "driver", "nvrtc", "cucomplex"])
def test_every_counterpart_is_declared(library: str, tables: Tables, declared: frozenset[str]) -> None:
    found = (entry for entry in tables.names.values() if entry.library == library and not entry.support)
    targets = {entry.hip.name for entry in found if entry.hip}
    assert len(targets) > 20
    assert targets - declared == set()


def test_headers_exist(include: Path, tables: Tables) -> None:
    """Only HIP's own headers are checked; the libraries are separate packages."""
    headers = {header.hip for header in tables.headers.all().values() if header.hip and header.hip.startswith("hip/")}
    assert len(headers) >= 8
    assert [header for header in sorted(headers) if not (include / header).is_file()] == []


def changed(entry: Entry, call: str, count: int) -> str:
    """Apply the table's changes to a call in the simplest way: no argument contains a comma."""
    assert entry.hip is not None
    head, _, tail = call.partition("{call}(")
    arguments = [[part] for part in tail.removesuffix(")").split(", ")]
    assert len(arguments) == count
    for change in (change for change in entry.args if change.arity in (None, count)):
        if change.op == "wrap":
            arguments[change.at][-1] = change.before + arguments[change.at][-1] + change.after
        elif change.op == "insert" and change.at < count:
            arguments[change.at].insert(0, change.text)
        else:
            assert change.op in ("append", "insert")
            arguments.append([change.text])
    return f"{head}{entry.hip.name}({', '.join(part for parts in arguments for part in parts)})"


def refused(calls: Sequence[str], folder: Path) -> dict[str, str]:
    """Compile functions with one call each, in one file; return the calls that do not compile, with the messages."""
    compiler = shutil.which("hipcc")
    if compiler is None:
        pytest.fail("no hipcc") if os.environ.get("CI") else pytest.skip("no hipcc")
    source = folder / "calls.hip"
    source.write_text(PROLOGUE + "".join(f"void host{number}() {{ {call}; }}\n" for number, call in enumerate(calls)))
    command = [compiler, "--cuda-host-only", "-fsyntax-only", "-w", "-ferror-limit=0", str(source)]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    found: dict[str, str] = {}
    for line in done.stderr.splitlines():
        at = re.match(rf"{re.escape(str(source))}:(\d+):", line)
        number = int(at[1]) - PROLOGUE.count("\n") - 1 if at else -1
        if number >= 0:
            found[calls[number]] = f"{found.get(calls[number], '')}{line}\n"
    assert bool(found) == (done.returncode != 0), done.stderr
    return found


def renamed(entry: Entry, call: str) -> str:
    """Return a call with the name that HIP has for the function."""
    assert entry.hip is not None
    return call.replace("{call}", entry.hip.name)


@pytest.fixture(scope="module")
def as_converted(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the calls that HIP's headers refuse although the tables changed them."""
    calls = [changed(tables.names[name], *call) for name, call in CALLS.items()]
    calls += [renamed(tables.names[name], call) for name, (call, _) in UNCHANGED.items()]
    return refused(calls, tmp_path_factory.mktemp("converted"))


@pytest.fixture(scope="module")
def only_renamed(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the calls that need a change and are refused without it."""
    calls = [renamed(tables.names[name], call) for name, (call, _) in CALLS.items()]
    return refused(calls, tmp_path_factory.mktemp("renamed"))


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_changed_call_compiles_and_the_unchanged_does_not(
    name: str, tables: Tables, as_converted: dict[str, str], only_renamed: dict[str, str]
) -> None:
    call, count = CALLS[name]
    entry = tables.names[name]
    assert as_converted.get(changed(entry, call, count), "") == ""
    assert only_renamed.get(renamed(entry, call))


@pytest.mark.slow
@pytest.mark.parametrize("name", UNCHANGED)
def test_calls_that_need_no_change(name: str, tables: Tables, as_converted: dict[str, str]) -> None:
    call, count = UNCHANGED[name]
    entry = tables.names[name]
    arguments = [change for change in entry.args if change.arity == count]
    assert arguments == []
    assert as_converted.get(renamed(entry, call), "") == ""
