from __future__ import annotations

import pytest

from hipport.errors import HipportError
from hipport.mappings.choice import Flavour, Origin, Releases
from hipport.mappings.entry import ArgChange, Entry
from hipport.mappings.resolve import resolve
from hipport.mappings.schema import parse_library, parse_overlay
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
  cudaOnlyRoc: {roc: roc_only 6.0.0, reason: no such thing, alternative: another}
  cudaLives: {cuda: 11.2 removed 13.0, hip: hipLives}
  cudaSigned: {hip: hipSigned, args: [{rename: hipSigned_v2 7.1.0, arity: 5}, {remove: 3, arity: 4, cuda: 13.0}]}
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


def tables(rocm: str, flavour: Flavour = "hip", cuda: str | None = None, overlay: str = "") -> Tables:
    overlays = [parse_overlay(overlay, "own.yaml")[0]] if overlay else []
    releases = Releases(rocm, Origin.ASKED, cuda)
    return resolve([parse_library(TABLE, "made.yaml")], releases, flavour, overlays)


def counterpart(name: str, rocm: str, flavour: Flavour = "hip") -> str | None:
    hip = tables(rocm, flavour).names[name].hip
    return hip.name if hip else None


@pytest.mark.parametrize(("rocm", "expected"), [("7.1", "hipNew"), ("6.4", "hipOld"), ("4.5", None)])
def test_the_first_counterpart_that_the_release_has(rocm: str, expected: str | None) -> None:
    assert counterpart("cudaOld", rocm) == expected


def test_the_roc_flavour_does_not_mix_libraries() -> None:
    assert counterpart("cudaBlas", "6.0") == "hipBlas"
    assert counterpart("cudaBlas", "6.0", "roc") == "roc_blas"
    early = tables("5.0", "roc").names["cudaBlas"]
    assert early.hip is None
    assert early.reason == "the roc library lacks it; the hip library has hipBlas"
    assert early.alternative == "convert with --libs hip"


def test_a_name_that_only_the_roc_library_has() -> None:
    assert counterpart("cudaOnlyRoc", "6.0", "roc") == "roc_only"
    entry = tables("6.0").names["cudaOnlyRoc"]
    assert (entry.hip, entry.reason) == (None, "no such thing")
    assert entry.alternative == "another; or roc_only, written with --libs roc"


def lives(cuda: str | None) -> Entry:
    return tables("6.0", cuda=cuda).names["cudaLives"]


@pytest.mark.parametrize("cuda", [None, "11.2", "11.8", "12.9"])
def test_a_name_of_the_cuda_release(cuda: str | None) -> None:
    assert lives(cuda).hip is not None


@pytest.mark.parametrize(
    ("cuda", "reason"),
    [
        ("11.1", "it came with CUDA 11.2"),
        ("13.0", "CUDA 13.0 removed it"),
    ],
)
def test_a_name_that_the_cuda_release_lacks(cuda: str, reason: str) -> None:
    assert (lives(cuda).hip, lives(cuda).reason, lives(cuda).absent) == (None, reason, True)
    assert "--cuda" in lives(cuda).alternative


def test_counterparts_by_the_number_of_arguments() -> None:
    renamed = ArgChange("rename", text="hipSigned_v2", arity=5)
    refused = ArgChange("refuse", text="hipSigned_v2 came with ROCm 7.1.0, but the target is ROCm 7.0", arity=5)
    assert tables("7.1").names["cudaSigned"].args == (renamed,)
    assert tables("7.0").names["cudaSigned"].args == (refused,)
    assert tables("7.1", cuda="12.9").names["cudaSigned"].args == (renamed,)
    assert tables("7.1", cuda="13.5").names["cudaSigned"].args == (renamed, ArgChange("remove", at=3, arity=4))


def test_overlays_take_the_place_of_what_the_tables_say() -> None:
    text = "functions:\n  cudaLate: myLate\n  MINE: hipMine\nheaders:\n  dir/*: my/*\n  mine.h: hip_mine.h\n"
    mixed = tables("6.1", overlay=text + "members:\n  cudaT: {missing: present}\n")
    late = mixed.names["cudaLate"].hip
    assert late is not None
    assert (late.name, mixed.names["cudaLate"].library) == ("myLate", "own.yaml")
    assert mixed.own == {"MINE"}
    assert "cudaNone" in mixed.names
    spelled = [header and header.hip for header in map(mixed.headers.get, ("dir/x.h", "mine.h", "a.h"))]
    assert spelled == ["my/x.h", "hip_mine.h", "hip/a.h"]
    assert [member.hip for member in mixed.members["missing"]] == ["present"]


def test_a_name_of_an_overlay_may_stand_in_several() -> None:
    library = parse_library(TABLE, "made.yaml")
    overlays = [parse_overlay(f"functions:\n  cudaNone: {name}\n", f"{name}.yaml")[0] for name in ("one", "two")]
    hip = resolve([library], Releases("6.0", Origin.ASKED), "hip", overlays).names["cudaNone"].hip
    assert hip is not None
    assert hip.name == "two"


def test_what_a_release_lacks_says_so() -> None:
    late, gone = tables("6.1").names["cudaLate"], tables("6.1").names["cudaGone"]
    assert late.hip is None
    assert late.args == ()
    assert late.reason == "hipLate came with ROCm 6.2.0, but the target is ROCm 6.1"
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
    with pytest.raises(HipportError, match=r"^two\.yaml:4: cudaA: already in one\.yaml:3"):
        resolve([one, two], Releases("6.0", Origin.ASKED), "hip")
