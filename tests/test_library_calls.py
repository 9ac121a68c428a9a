"""Calls of CUB and Thrust that are made of headers (scripts/library_calls)."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scripts.library_calls.__main__ import HEADERS, REJECTED, table, valid_calls
from scripts.library_calls.calls import FAMILIES, families, number_in
from scripts.library_calls.measured import measure

_DEVICE = """
struct DeviceScan
{
  // CUB_RUNTIME_FUNCTION static cudaError_t Commented(void* d_temp_storage) {}
  template <typename InputIteratorT, typename ScanOpT>
  CUB_RUNTIME_FUNCTION static cudaError_t InclusiveScan(
    void* d_temp_storage, size_t& temp_storage_bytes, InputIteratorT d_in, InputIteratorT d_out, ScanOpT scan_op,
    int num_items, cudaStream_t stream = 0)
  {
  }
  CUB_RUNTIME_FUNCTION static cudaError_t Unknown(void* d_temp_storage, int something_new) {
  }
};
"""
_BLOCK = """
class BlockScan
{
  _CCCL_DEVICE _CCCL_FORCEINLINE void Hidden(int input) {}
public:
  _CCCL_DEVICE _CCCL_FORCEINLINE void ExclusiveSum(T input, T& output) {}
  template <int ITEMS>
  _CCCL_DEVICE _CCCL_FORCEINLINE void InclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS]) {}
private:
  _CCCL_DEVICE _CCCL_FORCEINLINE void AlsoHidden(int input) {}
};
"""
_THRUST = """
template <typename DerivedPolicy, typename It>
void fill(const thrust::detail::execution_policy_base<DerivedPolicy>& exec, It first, It last, const T& value);
"""
with_headers = pytest.mark.skipif(not (HEADERS / "cub").is_dir(), reason="CUDA's CUB and Thrust are not installed")


@pytest.fixture
def include(tmp_path: Path) -> Path:
    for name, text in (("cub/device/a.cuh", _DEVICE), ("cub/block/b.cuh", _BLOCK), ("thrust/fill.h", _THRUST)):
        path = tmp_path / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "include"


@pytest.mark.parametrize(
    ("family", "calls"),
    [
        (
            "device",
            [
                f"cub::DeviceScan::InclusiveScan(temporary, bytes, keys, keys2, Plus{{}}, {end});"
                for end in ("n", "long_n", "n, stream", "long_n, stream")
            ],
        ),
        (
            "threads",
            [
                f"{{ typedef cub::BlockScan<int, 128> Type; __shared__ typename Type::TempStorage storage; {call} }}"
                for call in ("Type(storage).ExclusiveSum(one, two);", "Type(storage).InclusiveSum(items, output);")
            ],
        ),
        (
            "thrust",
            [
                f"thrust::fill({policy}a.begin(), a.end(), 1);"
                for policy in ("", "thrust::device, ", "thrust::cuda::par.on(stream), ")
            ],
        ),
    ],
)
def test_calls_are_made_of_what_headers_declare(include: Path, family: str, calls: list[str]) -> None:
    assert families()[family].calls(include) == calls


def test_a_failing_call_is_found_by_its_line(include: Path, tmp_path: Path) -> None:
    family = families()["device"]
    compiler = tmp_path / "compiler"
    # Says that the third call is wrong, as compilers do of templates: the error is elsewhere, a note has the line.
    compiler.write_text(
        "#!/bin/sh\nfor last; do :; done\nline=$(grep -n '// call 2$' \"$last\" | cut -d: -f1)\n"
        'printf \'/x/hipcub.hpp:7:1: error: no type\\n%s:%s:3: note: requested here\\n\' "$last" "$line" >&2\nexit 1\n'
    )
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    calls = family.calls(include)
    found = measure(family, calls, include, tmp_path / "work", [str(compiler)], "6.4")
    assert (found.failing, found.unreported) == ({2: "no type"}, [2])
    assert "| 4 | 3 | 0 | 1 |" in table({"device": found}, "6.4")
    assert f"- `{calls[2]}`" in table({"device": found}, "6.4")


@with_headers
def test_all_rejected_calls_are_made() -> None:
    rejected = yaml.safe_load(REJECTED.read_text(encoding="utf-8"))
    assert sorted(rejected) == sorted(FAMILIES)
    for name, family in families().items():
        calls = family.calls(HEADERS)
        assert set(rejected[name]) <= set(calls)
        assert len(calls) > 150 and len(rejected[name]) < len(calls) / 4


@with_headers
def test_every_name_is_translated_or_reported(tmp_path: Path) -> None:
    for name, family in families().items():
        source = tmp_path / "in" / f"{name}.cu"
        source.parent.mkdir(exist_ok=True)
        source.write_text(family.program(valid_calls(family, HEADERS), HEADERS))
    report = tmp_path / "report.json"
    convert = ["convert", str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--rocm", "6.4", "--report", str(report)]
    subprocess.run([sys.executable, "-m", "hipport", *convert], capture_output=True, check=False)
    reported = {
        (Path(each["path"]).stem, each["line"])
        for each in yaml.safe_load(report.read_text())["diagnostics"]
        if each["severity"] != "note"
    }
    for name in families():
        given = (tmp_path / "in" / f"{name}.cu").read_text().splitlines()
        silent = {number_in(line) for at, line in enumerate(given, 1) if (name, at) not in reported}
        left = {
            number_in(line)
            for line in (tmp_path / "out" / f"{name}.hip").read_text().splitlines()
            if re.search(r"(?<![\w:])cub::|thrust::cuda\b", line)
        }
        assert left & silent - {None} == set()
