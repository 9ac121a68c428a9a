"""Output for people and for programs."""

from __future__ import annotations

import io
import json

from rich.console import Console

from hipport.doctor.findings import Area, CheckResult, Level, SetVariable, error, ok, warning
from hipport.doctor.run import diagnose
from hipport.doctor.view import draw, plain_lines, to_json
from tests.doctor.plant import Planted

RESULTS = [
    CheckResult("a", "first", Area.COMPILERS, (ok("fine"), error("[bold]bad", "fix it", SetVariable("X", None)))),
    CheckResult("b", "second", Area.PROOF, (warning("odd", "look"), warning("odder", "look"))),
]


def test_lines() -> None:
    assert list(plain_lines(RESULTS)) == [
        "ok       first: fine",
        "error    first: [bold]bad",
        "         fix: fix it",
        "warning  second: odd",
        "         fix: look",
        "warning  second: odder",
        "         fix: look",
        "hipport: 1 error, 2 warnings",
    ]
    assert list(plain_lines([]))[-1] == "hipport: no problems found"


def test_the_table_shows_all_of_it_and_takes_no_markup() -> None:
    stream = io.StringIO()
    draw(RESULTS, Console(file=stream, width=60))
    for text in ("[bold]bad", "fix it", "odder", "1 error, 2 warnings"):
        assert text in stream.getvalue()


def test_levels_go_from_bad_to_good() -> None:
    assert [result.level for result in RESULTS] == [Level.ERROR, Level.WARNING]
    assert CheckResult("c", "third", Area.PROOF, ()).level is Level.OK


def test_json(planted: Planted) -> None:
    machine = planted.repaired(HIP_PLATFORM="nvidia").machine()
    results = list(diagnose(machine))
    written = json.loads(json.dumps(to_json(machine, results)))
    assert (written["version"], written["errors"], written["warnings"]) == (1, 1, 0)
    assert written["targets"] == ["gfx90a", "gfx1100"]
    assert written["hip"] == {"version": "6.3.1", "root": str(planted.root / "opt/rocm")}
    (platform,) = [result for result in written["results"] if result["check"] == "hip-platform"]
    assert platform["findings"][0]["fix"] == "export HIP_PLATFORM=amd"
    assert {result["area"] for result in written["results"]} == {area.value for area in Area}
