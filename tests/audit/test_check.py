"""Checking small tables against small headers."""

from __future__ import annotations

import pytest

from hipport.audit.accepted import Acceptance, parse_accepted, parse_floors, record_floors
from hipport.audit.check import AuditResult, check, unfinished
from hipport.audit.check_text import data, lines, reasons
from hipport.audit.extract import Extract
from hipport.errors import HipportError
from tests.audit.support import TABLE, cuda, extract, hip, tables

ALL_OF_7 = ("hipCopy", "hipGone", "hipMade", "hipNew", "hipProp")


def accepted(*names: str, of: str = "ROCm") -> tuple[Acceptance, ...]:
    text = f"accepted:\n  - {{names: [{', '.join(names)}], of: [{of}], reason: it is so}}\n"
    return parse_accepted(text, "accepted.yaml")


def rocm(release: str, *names: str) -> Extract:
    return extract("rocm", release, *hip(*names), members={"hipProp": ("clockRate",)})


def missing(result: AuditResult) -> list[str]:
    return [miss.claim.name for miss in result.open]


def test_all_there() -> None:
    result = check(rocm("7.0", *ALL_OF_7), tables(), ())
    assert result.passed
    assert result.found == {"runtime": 5, "members": 1, "headers": 1}


def test_a_counterpart_that_the_release_lacks_is_missing() -> None:
    result = check(rocm("7.0", *ALL_OF_7[1:]), tables(), ())
    assert missing(result) == ["hipCopy"]
    assert not result.passed
    assert any("hipCopy (for cudaCopy)" in line for line in lines(result))


def test_a_counterpart_of_another_release_is_not_looked_for() -> None:
    old = check(rocm("5.5", "hipCopy", "hipGone", "hipMade", "hipOld", "hipProp"), tables(rocm="5.5"), ())
    assert missing(old) == []


def test_a_missing_member() -> None:
    found = extract("rocm", "7.0", *hip(*ALL_OF_7), members={"hipProp": ("other",)})
    assert missing(check(found, tables(), ())) == ["hipProp.clockRate"]


def test_a_missing_header() -> None:
    found = extract("rocm", "7.0", *(declaration for declaration in hip(*ALL_OF_7)))
    text = TABLE.replace("hip/hip_runtime.h", "hip/hip_other.h")
    assert missing(check(found, tables(text), ())) == ["hip/hip_other.h"]


def test_names_without_headers_are_not_judged() -> None:
    text = TABLE.replace("hipCopy", "hipblasCopy")
    result = check(rocm("7.0", *ALL_OF_7[1:]), tables(text), ())
    assert result.passed
    assert result.unjudged["runtime"] == 1


def test_an_accepted_name_may_be_missing() -> None:
    result = check(rocm("7.0", *ALL_OF_7[1:]), tables(), accepted("hipC*"))
    assert result.passed
    assert [(miss.claim.name, miss.reason) for miss in result.misses] == [("hipCopy", "it is so")]
    assert any("hipCopy" in line for line in reasons(result))


@pytest.mark.parametrize("names", ["hipCopy", "hipUnheardOf"])
def test_an_acceptance_that_nothing_needs_is_reported(names: str) -> None:
    result = check(rocm("7.0", *ALL_OF_7), tables(), accepted(names))
    assert not result.passed
    assert any("no longer needed" in line for line in lines(result))


@pytest.mark.parametrize("of", ["CUDA", "ROCm 5.2", "hip-python", "ROC"])
def test_an_acceptance_of_other_headers_counts_for_nothing(of: str) -> None:
    result = check(rocm("7.0", *ALL_OF_7[1:]), tables(), accepted("hipCopy", of=of))
    assert missing(result) == ["hipCopy"]
    assert result.idle == ()


def test_an_acceptance_of_what_cannot_be_judged_is_left_in_peace() -> None:
    text = TABLE.replace("hipCopy", "hipblasCopy")
    assert check(rocm("7.0", *ALL_OF_7[1:]), tables(text), accepted("hipblasCopy")).passed


def test_cuda_names_by_release() -> None:
    names = ["cudaCopy", "cudaMade", "cudaNever", "cudaOld", "cudaProp"]
    assert check(extract("cuda", "13.0", *cuda(*names)), tables(), ()).passed
    assert missing(check(extract("cuda", "11.0", *cuda(*names)), tables(), ())) == ["cudaGone"]
    assert missing(check(extract("cuda", "14.0", *cuda(*names)), tables(), ())) == ["cudaLater"]


def test_cuda_libraries_without_headers_are_not_judged() -> None:
    result = check(extract("cuda", "13.0", *cuda("cublasX", header="cublas.h")), tables(), ())
    assert (result.found, result.passed) == ({}, True)


def test_fewer_names_than_recorded() -> None:
    result = check(rocm("7.0", *ALL_OF_7), tables(), (), {"runtime": 6, "members": 1})
    assert result.fallen == {"runtime": (5, 6)}
    assert not result.passed


def test_data_for_programs() -> None:
    found = data(check(rocm("7.0", *ALL_OF_7[1:]), tables(), ()))
    assert found["passed"] is False
    assert found["missing"] == [{"library": "runtime", "cuda": "cudaCopy", "name": "hipCopy", "accepted": None}]


def test_reasons_still_to_be_written() -> None:
    text = TABLE.replace("  cudaNever:\n", '  cudaNever: {reason: "TODO: why", alternative: TODO}\n').split(
        "\ngroups:"
    )[0]
    assert unfinished(tables(text)) == ["cudaNever"]
    assert unfinished(tables()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("accepted:\n  - {names: [a], of: [ROCm]}\n", r"accepted\.yaml:2: accepted\[0\]: the key 'reason' is missing"),
        ("accepted:\n  - {name: [a], of: [ROCm], reason: x}\n", "unknown key; did you mean 'names'"),
    ],
)
def test_mistakes_in_acceptances(text: str, says: str) -> None:
    with pytest.raises(HipportError, match=says):
        parse_accepted(text, "accepted.yaml")


def test_floors_are_recorded(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "floors.yaml"
    path.write_text("CUDA 1.0:\n  a: 1\n")
    record_floors({"ROCm 7.0": {"b": 2, "a": 3}}, path)
    assert parse_floors(path.read_text(), "floors.yaml") == {"CUDA 1.0": {"a": 1}, "ROCm 7.0": {"a": 3, "b": 2}}
    with pytest.raises(HipportError, match="number of names"):
        parse_floors("CUDA 1.0:\n  a: many\n", "floors.yaml")
