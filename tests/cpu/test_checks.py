"""`hipport build --target cpu --sanitize` and `hipport run --check`: planted faults are found, near misses are not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.emulate.findings import EmulatedFinding, read
from hipport.emulate.tools import observe_checks
from tests.cpu.conftest import COMPILERS, PROGRAMS, Builder, Built, build
from tests.fixtures import programs

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

SOURCE = PROGRAMS / "faults.hip"
LOOPS = PROGRAMS / "fault_in_a_loop.cu"
FAULTS = {
    "load_behind": "out-of-bounds",
    "load_before": "out-of-bounds",
    "store_behind": "out-of-bounds",
    "atomic_behind": "out-of-bounds",
    "wide_load_behind": "out-of-bounds",
    "byte_behind": "out-of-bounds",
    "heap_behind": "out-of-bounds",
    "null": "out-of-bounds",
    "copy_behind": "out-of-bounds",
    "fill_behind": "out-of-bounds",
    "shared_behind": "shared-out-of-bounds",
    "dynamic_behind": "shared-out-of-bounds",
    "misaligned": "misaligned",
    "misaligned_vector": "misaligned",
    "host_heap": "host-memory",
    "host_stack": "host-memory",
    "use_after_free": "use-after-free",
    "freed_async": "use-after-free",
    "double_free": "double-free",
    "free_inside": "invalid-free",
    "free_of_host": "invalid-free",
    "unwritten_global": "uninitialized",
    "unwritten_shared": "uninitialized",
    "copy_of_unwritten": "uninitialized",
    "race_shared": "race",
    "race_reuse": "race",
    "race_warp": "race",
    "race_global": "race",
    "race_atomic": "race",
    "race_no_fence": "race",
    "race_lock": "race",
    "race_flag": "race",
    "race_variable": "race",
    "barrier_lanes": "barrier-divergence",
    "barrier_warps": "barrier-divergence",
    "barrier_skipped": "barrier-divergence",
    "mask": "invalid-mask",
    "spin": "no-progress",
    "division": "fault",
    "host_read": "host-access",
    "host_write": "host-access",
    "reuse": "unfinished-copy",
    "early_read": "unfinished-copy",
    "early_free": "unfinished-copy",
    "managed_read": "unfinished-kernel",
}
ELSEWHERE = {"leak": "leak", "race_streams": "race"}
"""Faults whose finding is at a line that several have."""
ALWAYS_SOUND = ("padding", "same_value", "aligned_pair", "reads_only")


def marked() -> dict[str, int]:
    """Return the line of each planted fault."""
    lines = SOURCE.read_text().splitlines()
    return {
        name: number
        for number, line in enumerate(lines, 1)
        if "// fault: " in line
        for name in line.partition("// fault: ")[2].split()
    }


@pytest.fixture(scope="module")
def program(built: Builder) -> Built:
    return built([SOURCE], "--sanitize")


def checked(program: Built, report: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "hipport",
        "run",
        "--check",
        "--report",
        str(report),
        str(program.path),
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def findings(program: Built, name: str, how: str) -> list[EmulatedFinding]:
    """Run the program as `hipport run --check` does."""
    seen = observe_checks([str(program.path), name, how], program.path, {})
    found = read(seen.records())
    assert (seen.status == 0) == (not found)
    return found


def test_every_planted_fault_is_found_at_its_line(program: Built) -> None:
    lines = marked()
    assert set(lines) == set(FAULTS)
    found = {name: findings(program, name, "faulty") for name in FAULTS}
    missed = [
        (name, kind, found[name])
        for name, kind in FAULTS.items()
        if not any(is_at(finding, kind, lines[name]) for finding in found[name])
    ]
    assert not missed


def is_at(finding: EmulatedFinding, kind: str, line: int) -> bool:
    return finding.kind == kind and finding.at is not None and finding.at.line.endswith(f"faults.hip:{line}")


def test_near_misses_are_no_findings(program: Built) -> None:
    assert findings(program, ",".join([*FAULTS, *ELSEWHERE, *ALWAYS_SOUND]), "sound") == []


@pytest.mark.parametrize(("name", "kind"), ELSEWHERE.items())
def test_faults_at_shared_lines(program: Built, name: str, kind: str) -> None:
    assert [finding.kind for finding in findings(program, name, "faulty")] == [kind]


def test_a_report_names_thread_and_allocation(program: Built, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    checked(program, report, "use_after_free", "faulty")
    (found,) = json.loads(report.read_text())["findings"]
    assert (found["kernel"], found["at"]["block"]) == ("load", [0, 0, 0])
    allocation = found["allocation"]
    assert (allocation["bytes"], allocation["memory"]) == (512, "device memory")
    assert all(re.search(r"faults\.hip:\d+$", allocation[name]) for name in ("line", "freed"))
    assert found["count"] == 128


def test_both_sides_of_a_race_are_named(program: Built) -> None:
    found = findings(program, "race_lock", "faulty")[0]
    assert found.at is not None and found.other is not None
    assert found.at.block != found.other.block
    assert found.at.line != found.other.line


def test_sarif(program: Built, tmp_path: Path) -> None:
    report = tmp_path / "found.sarif"
    assert checked(program, report, "race_atomic", "faulty").returncode == 1
    (result,) = json.loads(report.read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], place["region"]["startLine"]) == ("race", marked()["race_atomic"])
    assert place["artifactLocation"]["uri"].endswith("faults.hip")
    assert result["relatedLocations"]


def test_the_program_alone_reports_in_the_same_form(program: Built, tmp_path: Path) -> None:
    alone = program.run("store_behind", "faulty")
    told = checked(program, tmp_path / "report.json", "store_behind", "faulty")
    assert alone.returncode == 1
    assert [*forms(alone.stderr)] == [*forms(told.stderr)]


def forms(text: str) -> Iterator[str]:
    """Yield the lines without counts, which only the report at the end of a run knows."""
    return (re.sub(r" \(\d+ times\)", "", line) for line in text.splitlines())


@pytest.fixture(scope="module")
def plain(built: Builder) -> Built:
    """The program as it is built by default: lanes are vectorized."""
    return built([SOURCE])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("null", r"kernel store, block \(0, 0, 0\), thread \(0, 0, 0\): segmentation fault at address \(nil\)"),
        ("division", r"kernel divide, block \(0, 0, 0\), thread \(5, 0, 0\): division by zero"),
    ],
)
def test_faults_without_checks_name_the_thread_and_the_line(name: str, said: str, plain: Built) -> None:
    done = plain.run(name, "faulty")
    assert (done.returncode in (-11, -8), done.stdout) == (True, "begin\n")
    assert re.search(rf"{said} at \S*faults\.hip:{marked()[name]}\n", done.stderr), done.stderr
    assert "--sanitize" in done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("name", "kernel", "thread"),
    [
        ("tile", "tile, block (0, 2, 0)", "(3, 5, 0)"),
        ("lane", "lane, block (2, 0, 0)", "(43, 0, 0)"),
        ("everywhere", "everywhere, block (", "(0, 0, 0)"),
    ],
)
def test_the_thread_of_a_loop_over_threads_is_found(
    name: str, kernel: str, thread: str, compiler: str, built: Builder
) -> None:
    done = built([LOOPS], "--compiler", compiler).run(name)
    assert done.stdout == "begin\n"  # and what the second run prints is not shown
    line = next(at for at, text in enumerate(LOOPS.read_text().splitlines(), 1) if text.endswith(f"// fault: {name}"))
    reports = [text for text in done.stderr.splitlines() if f"kernel {kernel}" in text]
    assert len(reports) == 1
    assert f", thread {thread}: segmentation fault" in reports[0] and reports[0].endswith(f"{LOOPS.name}:{line}")


def test_a_program_without_checks_is_refused(plain: Built, tmp_path: Path) -> None:
    done = checked(plain, tmp_path / "report.json", "padding", "sound")
    assert done.returncode == 2 or "ran without checks" in done.stderr
    assert "--sanitize" in done.stderr


def test_checks_cannot_be_combined_with_sanitizers_of_the_compiler(tmp_path: Path) -> None:
    done = build(tmp_path, [SOURCE], "--sanitize", "kernels,address")
    assert done.returncode != 0
    assert "cannot be combined" in done.stderr


@pytest.mark.parametrize("name", ["reduction", "warp_votes"])
def test_correct_programs_have_no_findings(built: Builder, tmp_path: Path, name: str) -> None:
    folder = next(one.folder for one in programs.find() if one.name == name)
    sound = built([folder / f"{name}.cu"], "--sanitize", "--wave-size", "32")
    assert checked(sound, tmp_path / "report.json").stderr == "hipport: 0 findings\n"
