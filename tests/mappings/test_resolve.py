from __future__ import annotations

import pytest

from hipport.errors import HipportError
from hipport.mappings.model import ArgChange
from hipport.mappings.resolve import Flavour, resolve
from hipport.mappings.schema import parse_library
from hipport.mappings.tables import Tables

TABLE = """\
library: made
functions:
  cudaOld: [hipNew 7.0.0, hipOld 5.0.0 removed 7.0.0]
  cudaBlas: {hip: hipBlas, roc: roc_blas 6.0.0}
  cudaLate: {hip: hipLate 6.2.0, args: [{remove: 0}]}
  cudaGone: {hip: hipGone removed 6.0.0, alternative: hipOther}
  cudaNone: {reason: no such thing, alternative: another}
  cudaArgs: {hip: hipArgs, args: [{append: x, before: 7.0.0}]}
  cudaNote: {hip: cudaNote, note: differs}
  same: same
types:
  cudaSpace: hipSpace
namespaces:
  space: hipspace
headers:
  a.h: [hip/a.h 6.0.0, hip_a.h]
  dir/*: {hip: hip/dir/*, roc: roc/dir.h}
  dir/deep/*: drop
  dir/own.h: hip/own.h
members:
  cudaT:
    always: always
    moved: [moved 6.0.0, older]
    missing: {reason: not there, alternative: nothing}
"""


def tables(rocm: str, flavour: Flavour = "hip") -> Tables:
    return resolve([parse_library(TABLE, "made.yaml")], rocm, flavour)


def counterpart(name: str, rocm: str, flavour: Flavour = "hip") -> str | None:
    hip = tables(rocm, flavour).names[name].hip
    return hip.name if hip else None


@pytest.mark.parametrize(("rocm", "expected"), [("7.1", "hipNew"), ("6.4", "hipOld"), ("4.5", None)])
def test_the_first_counterpart_that_the_release_has(rocm: str, expected: str | None) -> None:
    assert counterpart("cudaOld", rocm) == expected


def test_the_roc_flavour_falls_back_to_hip() -> None:
    assert counterpart("cudaBlas", "6.0", "roc") == "roc_blas"
    assert counterpart("cudaBlas", "5.0", "roc") == "hipBlas"
    assert counterpart("cudaBlas", "6.0") == "hipBlas"


def test_what_a_release_lacks_says_so() -> None:
    late, gone = tables("6.1").names["cudaLate"], tables("6.1").names["cudaGone"]
    assert late.hip is None
    assert late.args == ()
    assert late.reason == "hipLate came with ROCm 6.2.0, and the target is ROCm 6.1"
    assert gone.reason == "ROCm 6.0.0 removed hipGone"
    assert gone.alternative == "hipOther"


def test_changes_of_arguments_for_old_releases() -> None:
    assert tables("6.4").names["cudaArgs"].args == (ArgChange("append", text="x"),)
    assert tables("7.0").names["cudaArgs"].args == ()


def test_active_names_are_those_with_something_to_do() -> None:
    newest = tables("7.1")
    assert newest.known - newest.active == {"same"}
    assert {"cudaNone", "cudaNote", "cudaArgs"} <= newest.active


def test_namespaces_are_apart() -> None:
    newest = tables("7.1")
    assert "space" not in newest.names
    assert newest.namespaces["space"].hip is not None
    assert "hipspace" not in newest.hip_names


def test_hip_names_are_those_of_all_releases_and_flavours() -> None:
    assert {"hipNew", "hipOld", "roc_blas", "hipGone", "same"} <= tables("5.0").hip_names
    assert {"hip/a.h", "hip_a.h", "roc/dir.h"} <= tables("5.0").hip_headers


@pytest.mark.parametrize(
    ("operand", "hip", "drop"),
    [
        ("a.h", "hip/a.h", False),
        ("dir/x.h", "hip/dir/x.h", False),
        ("dir/sub/x.h", "hip/dir/sub/x.h", False),
        ("dir/own.h", "hip/own.h", False),
        ("dir/deep/x.h", None, True),
    ],
)
def test_headers(operand: str, hip: str | None, drop: bool) -> None:
    header = tables("7.1").headers.get(operand)
    assert header is not None
    assert (header.name, header.hip, header.drop) == (operand, hip, drop)


@pytest.mark.parametrize("operand", ["b.h", "dir", "a.hpp", "mydir/x.h", ""])
def test_headers_that_are_not_in_the_table(operand: str) -> None:
    assert tables("7.1").headers.get(operand) is None


def test_a_header_of_an_older_release() -> None:
    header = tables("5.7").headers.get("a.h")
    assert header is not None
    assert header.hip == "hip_a.h"


def test_members_that_need_nothing_are_left_out() -> None:
    assert set(tables("6.0").members) == {"missing"}
    (moved,) = tables("5.0").members["moved"]
    assert (moved.owner, moved.hip) == ("cudaT", "older")


def test_a_name_belongs_to_one_table() -> None:
    one = parse_library("library: one\nfunctions:\n  cudaA: hipA\n", "one.yaml")
    two = parse_library("library: two\nfunctions:\n\n  cudaA: hipA\n", "two.yaml")
    with pytest.raises(HipportError, match=r"^two\.yaml:4: cudaA: is in one\.yaml:3 already"):
        resolve([one, two], "6.0", "hip")
