"""A switch over all errors of CUDA compiles: those that HIP lacks are constants of their own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import hipport
from hipport.mappings.choice import NameChoice
from hipport.mappings.entry import Kind
from hipport.mappings.loader import Tables, load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

INCLUDE = Path(hipport.__file__).parent / "include"
HEADERS = INCLUDE / "hipport" / "compat"
_TWICE = {"cudaErrorDeviceUninitilialized"}
"""Other names of an enumerator, by which CUDA's own switch would have a label twice."""
_CODE = re.compile(r"HIPPORT_(?:ERROR|STATUS)_CODE\((\w+), (\d+)\);")
_CPU = re.compile(r"X\(hipError\w+, (\d+)")


def codes(header: str) -> dict[str, int]:
    return {name: int(value) for name, value in _CODE.findall((HEADERS / header).read_text("utf-8"))}


def switch(tables: Tables, pattern: str, result: str) -> str:
    """Return a function with a label for every enumerator whose name matches."""
    names = [
        name
        for name, entry in sorted(tables.names.items())
        if re.fullmatch(pattern, name) and entry.kind is Kind.ENUMERATOR and not entry.absent and name not in _TWICE
    ]
    assert len(names) > 90
    labels = "".join(f"    case {name}: return {number};\n" for number, name in enumerate(names))
    return f"int number({result} status) {{\n  switch (status) {{\n{labels}    default: return -1;\n  }}\n}}\n"


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("header", "pattern", "result"),
    [
        ("cuda_runtime.h", r"cudaSuccess|cudaError[A-Z]\w*", "cudaError_t"),
        ("cuda.h", r"CUDA_(SUCCESS|ERROR_\w+)", "CUresult"),
    ],
)
def test_a_switch_over_all_errors_compiles(header: str, pattern: str, result: str, tmp_path: Path) -> None:
    tables = load_choice(NameChoice(rocm="5.2.0"))
    text = f"#include <{header}>\n{switch(tables, pattern, result)}{result} first() {{ return {result}(0); }}\n"
    made = convert_source(text.encode(), "errors.cu", Context(tables))
    assert not made.diagnostics
    path = tmp_path / "errors.hip"
    path.write_bytes(made.data)
    hipcc = shutil.which("hipcc")
    assert hipcc, "hipcc is missing"
    command = ["env", "HIP_PLATFORM=amd", hipcc, "--cuda-host-only", "-fsyntax-only", f"-I{INCLUDE}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]


def test_the_numbers_are_no_errors_of_hip() -> None:
    errors = codes("error_codes.h")
    known = {int(value) for value in _CPU.findall((INCLUDE / "cpu/hipport_cpu/errors.h").read_text("utf-8"))}
    later = {20, 18}  # HIP's numbers for them changed with ROCm 6.0, which has them
    assert set(errors.values()) & known <= later
    assert max(errors.values()) < 2048  # what a value of the enumeration can hold
    for prefix in ("cudaError", "CUDA_ERROR_"):
        values = [value for name, value in errors.items() if name.startswith(prefix)]
        assert len(values) == len(set(values)) > 40


def test_each_status_has_a_number_of_its_own() -> None:
    statuses = codes("status_codes.h")
    for prefix in ("CUSOLVER_", "CUFFT_", "NVRTC_"):
        values = [value for name, value in statuses.items() if name.startswith(prefix)]
        assert len(values) == len(set(values)) > 4
        assert min(values) > 1000


def test_statuses_are_labels_compared_assigned_and_returned(tmp_path: Path) -> None:
    """Checked for an enumeration without room for them, as HIP's libraries have."""
    path = tmp_path / "statuses.cpp"
    path.write_text(
        """#include <hipport/compat/status_codes.h>
enum Status { OK = 0, BAD = 3 };
int label(Status s) {
  switch (s) {
    case OK: return 0;
    case CUSOLVER_STATUS_INVALID_LICENSE: return 1;
    case CUSOLVER_STATUS_IRS_INTERNAL_ERROR: return 2;
    default: return 3;
  }
}
bool compared(Status s) { return s == CUFFT_LICENSE_ERROR || NVRTC_ERROR_CANCELLED != s; }
Status returned() { return CUSOLVER_STATUS_INVALID_LICENSE; }
int main() {
  Status s = CUSOLVER_STATUS_INVALID_LICENSE;
  s = OK;
  return label(s) + label(BAD) - 3 + static_cast<int>(CUFFT_LICENSE_ERROR) - 1015 + (compared(s) ? 0 : 1);
}
""",
        "utf-8",
    )
    binary = tmp_path / "statuses"
    subprocess.run(["g++", "-std=c++14", "-Wno-switch", f"-I{INCLUDE}", str(path), "-o", str(binary)], check=True)
    assert subprocess.run([str(binary)]).returncode == 0
