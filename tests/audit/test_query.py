"""Queries to the tables."""

from __future__ import annotations

import pytest

from hipport.audit.query import Index
from hipport.audit.query_text import data, lines
from tests.audit.support import cuda, extract, library, tables


@pytest.fixture
def index() -> Index:
    return Index([library()], tables(), extract("cuda", "13.0", *cuda("cudaMade")).header_of)


def told(index: Index, name: str) -> str:
    return "\n".join(line for answer in index.find(name) for line in lines(answer, "7.0"))


def test_a_function(index: Index) -> None:
    text = told(index, "cudaMade")
    for part in ("(function, runtime)", "hipMade", "hipDefault is appended (calls with 1 argument)"):
        assert part in text
    assert "cuda_runtime.h -> hip/hip_runtime.h" in text


def test_all_releases_of_a_counterpart(index: Index) -> None:
    text = told(index, "cudaOld")
    assert "hipNew, ROCm: since 6.0.0" in text
    assert "hipOld" in text
    assert "ROCm 7.0     hipNew" in text


def test_a_counterpart_that_the_release_lacks(index: Index) -> None:
    assert "nothing: hipLater came with ROCm 9.0.0, but the target is ROCm 7.0" in told(index, "cudaLater")


def test_a_name_without_counterpart(index: Index) -> None:
    assert "why not      HIP never had it" in told(index, "cudaNever")
    assert "instead      nothing at all" in told(index, "cudaNever")


def test_a_header(index: Index) -> None:
    assert "hip/hip_runtime.h" in told(index, "cuda_runtime.h")


def test_a_name_in_a_namespace(index: Index) -> None:
    assert "hipgroups::inner::Block" in told(index, "cooperative_groups::inner::Block")
    assert index.find("other::Block") == []


def test_patterns(index: Index) -> None:
    assert [answer.row.name for answer in index.find("cuda[GL]*")] == ["cudaGone", "cudaLater"]


def test_reverse(index: Index) -> None:
    assert [answer.row.name for answer in index.find_reverse("hipOld")] == ["cudaOld"]
    assert len(index.find_reverse("hip*")) == 8
    assert index.find_reverse("cudaOld") == []


@pytest.mark.parametrize(
    ("name", "near"), [("cudaCopi", "cudaCopy"), ("CUDACOPY", "cudaCopy"), ("cudaMde", "cudaMade")]
)
def test_near_misses(index: Index, name: str, near: str) -> None:
    assert index.find(name) == []
    assert index.near(name)[0] == near


def test_nothing_is_near(index: Index) -> None:
    assert index.near("somethingElse") == []
    assert index.near("hipCopi", reverse=True) == ["hipCopy"]


def test_data_for_programs(index: Index) -> None:
    found = data(index.find("cudaOld")[0])
    assert found["chosen"] == "hipNew"
    assert [target["name"] for target in found["hip"]] == ["hipNew", "hipOld"]
    assert found["hip"][0]["added"] == "6.0.0"
    assert data(index.find("cuda_runtime.h")[0])["chosen"] == "hip/hip_runtime.h"
