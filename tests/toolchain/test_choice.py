from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from hipport.errors import HipportError, UsageError
from hipport.toolchain.choice import choose
from hipport.toolchain.compilers import describe
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse_list
from tests.toolchain.fakes import compiler


@pytest.fixture
def where(tmp_path: Path) -> Surroundings:
    compiler(tmp_path / "usr/bin/hipcc", "15.0.6", ["gfx90a", "gfx1030", "gfx1100"], hip="5.2.0")
    compiler(tmp_path / "usr/bin/clang++-15", "15.0.6", ["gfx90a", "gfx1100"])
    compiler(tmp_path / "usr/bin/clang++-19", "19.1.7", ["gfx90a", "gfx1100", "gfx942"])
    return Surroundings({"PATH": ""}, tmp_path)


def test_hipcc_is_taken_without_a_word_when_it_will_do(where: Surroundings) -> None:
    choice = choose(parse_list(["gfx90a,gfx1030"]), where)
    assert (choice.compiler.kind, choice.reason) == ("hipcc", "")


def test_another_is_taken_and_the_reason_said(where: Surroundings) -> None:
    choice = choose(parse_list(["gfx90a,gfx942"]), where)
    assert (choice.compiler.clang, choice.reason) == ("19.1.7", "hipcc 5.2.0 does not support gfx942")


def test_without_hipcc_that_is_the_reason(where: Surroundings) -> None:
    (where.root / "usr/bin/hipcc").unlink()
    assert choose(parse_list(["gfx90a"]), where).reason == "no hipcc found"
    assert choose(parse_list(["gfx90a"]), where, "clang++").reason == ""


def test_a_compiler_that_was_asked_for_is_not_replaced_but_others_are_named(where: Surroundings) -> None:
    with pytest.raises(HipportError, match=r"hipcc 5\.2\.0.* does not support gfx942$") as caught:
        choose(parse_list(["gfx90a,gfx942"]), where, "hipcc")
    assert f"gfx942 is supported by clang++ 19.1.7 ({where.root}/usr/bin/clang++-19)." in str(caught.value.hint)
    assert "--compiler" in str(caught.value.hint)


def test_a_target_that_no_compiler_here_knows(where: Surroundings) -> None:
    with pytest.raises(HipportError, match="does not support gfx950 and gfx90b") as caught:
        choose(parse_list(["gfx950,gfx90b"]), where)
    assert "No compiler on this machine supports gfx950, which needs LLVM 20 or newer." in str(caught.value.hint)
    assert "No compiler on this machine supports gfx90b. Did you mean" in str(caught.value.hint)


def test_no_compiler_at_all_names_the_packages(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="no compiler for AMD GPUs found") as caught:
        choose(parse_list(["gfx90a"]), Surroundings({"PATH": ""}, tmp_path / "empty"))
    assert "apt-get install hipcc" in str(caught.value.hint)


def test_a_hipcc_that_is_too_old_for_rdna3_makes_way(where: Surroundings) -> None:
    choice = choose(parse_list(["gfx90a,gfx1100"]), where)
    said = "hipcc 5.2.0 with clang 15.0.6 underestimates the registers of gfx1100"
    assert (choice.compiler.clang, choice.reason) == ("19.1.7", said)
    compiler(where.root / "usr/bin/hipcc", "17.0.0", ["gfx90a", "gfx1100"], hip="6.0.1")
    describe.cache_clear()
    choice = choose(parse_list(["gfx90a,gfx1100"]), where)
    assert (choice.compiler.kind, choice.reason) == ("hipcc", "")


def test_without_a_newer_clang_hipcc_builds_for_rdna3(where: Surroundings) -> None:
    (where.root / "usr/bin/clang++-19").unlink()
    choice = choose(parse_list(["gfx1100"]), where)
    assert (choice.compiler.kind, choice.reason) == ("hipcc", "")


@pytest.mark.parametrize("asked", ["hipcc", "usr/bin/hipcc"])
def test_a_compiler_that_was_asked_for_builds_for_rdna3(where: Surroundings, asked: str) -> None:
    path = asked if asked == "hipcc" else str(where.root / asked)
    for choice in (
        choose(parse_list(["gfx1100"]), where, path),
        choose(parse_list(["gfx1100"]), replace(where, environ={"PATH": "", "HIPCXX": path})),
    ):
        assert (choice.compiler.kind, choice.reason) == ("hipcc", "")


def test_an_option_counts_more_than_hipcxx(where: Surroundings) -> None:
    told = replace(where, environ={"PATH": "", "HIPCXX": "hipcc"})
    assert choose(parse_list(["gfx90a"]), told, "clang++").compiler.kind == "clang++"
    wrong = replace(where, environ={"PATH": "", "HIPCXX": "no-such-clang"})
    with pytest.raises(UsageError, match="HIPCXX is set: unknown compiler 'no-such-clang'"):
        choose(parse_list(["gfx90a"]), wrong)
