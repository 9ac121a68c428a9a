"""Kernels that wait for what does not happen: a note says where, and they go on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import GENERATIONS, emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("stalls.hip")
_LINES = {
    i for i, line in enumerate(_SOURCE.read_text().splitlines(), 1) if "int load(" in line or "here the wav" in line
}
"""The loop that waits, and the function that it calls."""
_NOTE = "has made no progress for 1 s"


@pytest.fixture(scope="module")
def stalls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        options = ("-o", "stalls", str(_SOURCE), "--", "-gline-tables-only")
        built("--offload-arch", ",".join(GENERATIONS), *options, cwd=folder)

    return made_once(tmp_path_factory, "emulated-stalls", make) / "stalls"


def _run(stalls: Path, cache: Path, kind: str, target: str, seconds: str = "1") -> str:
    """Return what is on stderr."""
    command = ("--emulate", target, str(stalls), kind)
    done = emulated(*command, cwd=stalls.parent, cache=cache, HIPPORT_EMULATE_WATCH=seconds)
    assert (done.returncode, done.stdout) == (0, "ended\n")
    return done.stderr


def test_where_wavefronts_wait_is_said_once_and_they_go_on(stalls: Path, cache: Path) -> None:
    said = _run(stalls, cache, "flag", "gfx90a")
    assert re.search(rf"^hipport: the kernel .*flag\(int\*\) {_NOTE}", said)
    for wavefront in (0, 1):
        place = rf"^  block \(0, 0, 0\), wavefront {wavefront}, lanes 0-63, at \S*stalls\.hip:(\d+) \(byte 0x\w+"
        found = re.search(place, said, re.M)
        assert found
        assert int(found[1]) in _LINES
    assert said.count(_NOTE) == 1


@pytest.mark.parametrize("target", GENERATIONS[1:])
def test_lanes_that_wait_for_a_lock_of_their_wavefront(stalls: Path, cache: Path, target: str) -> None:
    said = _run(stalls, cache, "lock", target)
    assert _NOTE in said
    assert "lock(int*)" in said


def test_a_loop_of_barriers(stalls: Path, cache: Path) -> None:
    assert _NOTE in _run(stalls, cache, "barriers", "gfx1100")


def test_kernels_that_work_are_not_named(stalls: Path, cache: Path) -> None:
    assert _run(stalls, cache, "counts", "gfx90a") == ""
    assert _run(stalls, cache, "others", "gfx1100") == ""


def test_the_note_can_be_turned_off_and_comes_late_by_itself(stalls: Path, cache: Path) -> None:
    assert _run(stalls, cache, "flag", "gfx1100", "0") == ""
    assert _run(stalls, cache, "flag", "gfx1100", "") == ""
