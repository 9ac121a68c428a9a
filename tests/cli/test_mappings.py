"""The command `hipport mappings`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from hipport.cli.mappings import command
from hipport.errors import HipportError
from hipport.mappings import loader

Run = Callable[..., Result]

HEADER = """\
#define CUDA_VERSION 99000
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaWonderful(int *value, int more);
cudaError_t cudaDeviceFlushEverything(void);
enum cudaWonder { cudaWonderOne, cudaWonderTwo };
"""


@pytest.fixture
def run() -> Run:
    def call(*arguments: object) -> Result:
        return CliRunner().invoke(command, [str(argument) for argument in arguments])

    return call


@pytest.fixture
def cuda(tmp_path: Path) -> Path:
    folder = tmp_path / "cuda"
    folder.mkdir()
    (folder / "cuda_runtime_api.h").write_text(HEADER)
    (folder / "cuda.h").write_text("#define CUDA_VERSION 99000\n")
    return folder


@pytest.fixture
def hip(tmp_path: Path) -> Path:
    folder = tmp_path / "hip"
    folder.mkdir()
    (folder / "hip_version.h").write_text("#define HIP_VERSION_MAJOR 9\n#define HIP_VERSION_MINOR 1\n")
    (folder / "hip_runtime_api.h").write_text(
        "hipError_t hipWonderful(int *value, int more);\nenum { hipWonderOne };\n"
    )
    return folder


@pytest.fixture
def own_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A writable copy of the tables."""
    folder = tmp_path / "mappings"
    shutil.copytree(loader.tables_folder(), folder)
    for module in ("hipport.mappings.loader", "hipport.audit.sources", "hipport.audit.rules"):
        monkeypatch.setattr(f"{module}.tables_folder", lambda: folder)
    return folder


def test_commands_are_listed(run: Run) -> None:
    listed = run("--help").output
    assert all(name in listed for name in ("query", "check", "coverage", "sync"))
    assert isinstance(command, click.Group)
    for name in ("query", "check", "coverage", "sync"):
        assert run(name, "--help").exit_code == 0


def test_query(run: Run) -> None:
    result = run("query", "cudaMallocHost")
    assert result.exit_code == 0
    assert "hipHostMalloc" in result.output
    assert "hipHostMallocDefault is appended (calls with 2 arguments)" in result.output


def test_query_for_an_old_release(run: Run) -> None:
    assert (
        "nothing: hipMemcpy2DArrayToArray came with ROCm 6.2.0"
        in run("query", "cudaMemcpy2DArrayToArray", "--rocm", "5.2").output
    )


def test_query_reverse_and_json(run: Run) -> None:
    result = run("query", "--reverse", "hipHostMalloc", "--json")
    names = [answer["name"] for answer in json.loads(result.output)["answers"]]
    assert {"cudaMallocHost", "cudaHostAlloc", "cuMemAllocHost"} <= set(names)


def test_query_with_a_typing_error(run: Run) -> None:
    result = run("query", "cudaMaloc")
    assert isinstance(result.exception, HipportError)
    assert "cudaMalloc" in (result.exception.hint or "")
    as_json = run("query", "cudaMaloc", "--json")
    assert as_json.exit_code == 2
    assert "cudaMalloc" in json.loads(as_json.output)["near"]


def test_query_a_header_and_a_pattern(run: Run) -> None:
    assert "hipblas/hipblas.h" in run("query", "cublas_v2.h").output
    assert run("query", "cublasSgemm*").output.count("(function, cublas)") >= 4


def test_check_against_a_list(run: Run) -> None:
    result = run("check", "--rocm", "7.2", "--reasons")
    assert result.exit_code == 0, result.output
    assert "0 missing" in result.output
    assert "hip_category" in result.output


def test_check_against_headers_that_lack_names(run: Run, hip: Path) -> None:
    result = run("check", "--hip-include", hip, "--rocm", "7.2", "--json")
    assert result.exit_code == 1
    (found,) = json.loads(result.stdout)["results"]
    assert "hipMalloc" in {miss["name"] for miss in found["missing"]}
    assert found["passed"] is False


def test_check_has_a_floor(run: Run) -> None:
    assert run("check", "--cuda", "13.0", "--floor", 1000).exit_code == 0
    result = run("check", "--cuda", "13.0", "--floor", 1000000)
    assert result.exit_code == 1
    assert "fewer than 1,000,000" in result.stderr


def test_check_records_floors(run: Run, own_tables: Path) -> None:
    (own_tables / "known/floors.yaml").write_text("{}\n")
    assert run("check", "--rocm", "7.1", "--record").exit_code == 0
    recorded = (own_tables / "known/floors.yaml").read_text()
    assert "ROCm 7.1" in recorded
    (own_tables / "known/floors.yaml").write_text(recorded.replace("driver: ", "driver: 9"))
    result = run("check", "--rocm", "7.1")
    assert result.exit_code == 1
    assert "fewer than the recorded" in result.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "--rocm", "4.9"), "no list of names for rocm 4.9"),
        (("check", "--hip-include", "/nowhere"), "/nowhere: does not exist"),
        (("coverage", "--cuda-include", "/dev/null"), "is not a folder"),
        (("coverage", "--rocm", "1.0"), "not in the mapping tables"),
        (("coverage", "--cuda", "9"), "no list of names for cuda 9"),
        (("coverage", "--svg", "/nowhere/x.svg"), "/nowhere/x.svg"),
        (("sync", "--header", "unheard-of.h"), "no public names in unheard-of.h"),
        (("sync", "--hip-include", "/nowhere"), "/nowhere: does not exist"),
    ],
)
def test_mistakes_are_one_error(run: Run, arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, HipportError)
    assert says in str(result.exception)
    assert result.exception.hint


def test_a_release_of_headers_that_are_not_given(run: Run, hip: Path) -> None:
    result = run("check", "--hip-include", hip, "--cuda", "13.0")
    assert "--cuda-include" in (getattr(result.exception, "hint", "") or "")


def test_coverage(run: Run, tmp_path: Path) -> None:
    svg, page = tmp_path / "c.svg", tmp_path / "c.html"
    result = run("coverage", "--cuda", "13.0", "--svg", svg, "--html", page)
    assert result.exit_code == 0
    assert "runtime" in result.output
    assert svg.read_text().startswith("<svg")
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_coverage_of_headers(run: Run, cuda: Path) -> None:
    found = json.loads(run("coverage", "--cuda-include", cuda, "--json").output)
    assert found["cuda"] == "99.0"
    runtime = next(one for one in found["libraries"] if one["library"] == "runtime")
    assert {"cudaWonderful", "cudaWonder"} <= set(runtime["names"])
    assert runtime["mapped"] == 1


def test_sync_start_to_end(run: Run, cuda: Path, hip: Path, own_tables: Path) -> None:
    before = (own_tables / "runtime.yaml").read_text()
    proposed = run("sync", "--cuda-include", cuda, "--hip-include", hip)
    assert "cudaWonderful: {cuda: 99.0, hip: hipWonderful 9.1.0}" in proposed.stdout
    assert (own_tables / "runtime.yaml").read_text() == before
    written = run("sync", "--cuda-include", cuda, "--hip-include", hip, "--write")
    assert written.exit_code == 0, written.output
    after = (own_tables / "runtime.yaml").read_text()
    added = [line for line in after.splitlines() if line not in before.splitlines()]
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    assert "  cudaWonderOne: {cuda: 99.0, hip: hipWonderOne 9.1.0}" in added
    assert "  # from CUDA 99.0 headers" in added
    again = run("sync", "--cuda-include", cuda, "--hip-include", hip, "--write")
    assert again.exit_code == 0
    assert (own_tables / "runtime.yaml").read_text() == after
    left = run("check", "--rocm", "7.2")
    assert left.exit_code == 1
    assert "cudaWonderTwo" in left.stderr


def test_sync_of_one_header(run: Run, cuda: Path, own_tables: Path) -> None:
    (cuda / "cublas_v2.h").write_text("int cublasWonder(int);")
    proposed = run("sync", "--cuda-include", cuda, "--header", "cublas*")
    assert "cublasWonder" in proposed.stdout
    assert "cudaWonderful" not in proposed.stdout
