"""Host targets for cross-compilation."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from hipport.errors import HipportError, UsageError
from hipport.toolchain.hosts import HOSTS, cross_tools, host_target
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import program

RISCV = HOSTS["riscv64-linux-gnu"]


def test_a_triple_is_a_row_or_this_machine() -> None:
    other = "riscv64" if platform.machine() != "riscv64" else "aarch64"
    assert host_target(f"{other}-linux-gnu") == HOSTS[f"{other}-linux-gnu"]
    assert host_target(f"{platform.machine()}-linux-gnu") is None


def test_an_unknown_triple_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="unknown host 'riscv64'") as caught:
        host_target("riscv64")
    assert "riscv64-linux-gnu" in str(caught.value.hint)


def test_the_plain_compiler_goes_before_versions_and_the_newest_of_these_first(tmp_path: Path) -> None:
    for name in ("g++-9", "g++-12", "ar"):
        program(tmp_path / f"usr/bin/riscv64-linux-gnu-{name}")
    where = Surroundings({"PATH": ""}, tmp_path)
    assert cross_tools(RISCV, where).gxx.name == "riscv64-linux-gnu-g++-12"
    program(tmp_path / "usr/bin/riscv64-linux-gnu-g++")
    found = cross_tools(RISCV, where)
    assert (found.gxx.name, found.ar.name) == ("riscv64-linux-gnu-g++", "riscv64-linux-gnu-ar")


@pytest.mark.parametrize("there", [(), ("g++",), ("ar",)])
def test_what_is_missing_is_named_with_its_package(tmp_path: Path, there: tuple[str, ...]) -> None:
    for name in there:
        program(tmp_path / f"usr/bin/riscv64-linux-gnu-{name}")
    missing = "ar" if there == ("g++",) else "g\\+\\+"
    with pytest.raises(HipportError, match=f"cannot find riscv64-linux-gnu-{missing}") as caught:
        cross_tools(RISCV, Surroundings({"PATH": ""}, tmp_path))
    assert "apt-get install g++-riscv64-linux-gnu" in str(caught.value.hint)
