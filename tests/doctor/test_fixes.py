"""Changes made by `--fix`; nothing is changed without it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hipport.doctor import fixes as module
from hipport.doctor.findings import Area, CheckResult, Finding, JoinGroups, SetVariable, error
from hipport.doctor.fixes import carry_out, fixes, planned
from hipport.errors import HipportError
from tests import served
from tests.small_hip import SMALL_HIP

GROUPS = JoinGroups("ada", ("render", "video"))


def result(*findings: Finding) -> CheckResult:
    return CheckResult("c", "title", Area.COMPILERS, findings)


def test_each_fix_is_done_once_and_the_first_value_counts() -> None:
    first, second = SetVariable("PATH", "/a"), SetVariable("PATH", "/b")
    results = [result(error("a", "", first), error("b", "", GROUPS)), result(error("c", "", second), error("d", "m"))]
    assert fixes(results) == [first, GROUPS]


def test_the_file_sets_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "env.sh"
    hostile = "/a b:$(touch x)'"
    carry_out([SetVariable("ROCM_PATH", None), SetVariable("NEW", hostile)], str(file))
    script = f'. "{file}"; printf "%s|%s" "$NEW" "${{ROCM_PATH-gone}}"'
    said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, env={"ROCM_PATH": "/old"})
    assert said.stdout == f"{hostile}|gone"


@pytest.mark.parametrize("link", [False, True])
def test_a_file_that_is_there_stays(tmp_path: Path, link: bool) -> None:
    file = tmp_path / "env.sh"
    if link:
        file.symlink_to(tmp_path / "nowhere")
    else:
        file.write_text("mine")
    with pytest.raises(HipportError, match="already exists"):
        carry_out([SetVariable("A", "1")], str(file))
    assert link or file.read_text() == "mine"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HipportError, match="cannot write"):
        carry_out([SetVariable("A", "1")], str(tmp_path / "file/env.sh"))


def test_groups_are_joined_by_root_only(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[str, ...]] = []

    def run(command: tuple[str, ...], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, len(ran) - 1, "", "no such user\n")

    monkeypatch.setattr(module.subprocess, "run", run)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    carry_out([GROUPS], "unused")
    assert (ran, list(planned([GROUPS], "f"))) == ([], ["needs root: usermod -aG render,video ada"])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    carry_out([GROUPS], "unused")
    assert (ran, list(planned([GROUPS], "f"))) == ([GROUPS.command], ["run: usermod -aG render,video ada"])
    with pytest.raises(HipportError, match="no such user"):
        carry_out([GROUPS], "unused")


def doctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    settings = {"PATH": "/usr/bin:/bin", "HIP_VISIBLE_DEVICES": "", "HIP_PLATFORM": "amd"}
    environ = {**os.environ, **SMALL_HIP, **settings}
    return served.hipport("doctor", "--build-only", "--offload-arch", "gfx90a", *arguments, cwd=folder, env=environ)


@pytest.mark.slow
@pytest.mark.toolchain
def test_nothing_is_changed_without_fix_and_then_only_what_was_named(tmp_path: Path) -> None:
    done = doctor(tmp_path)
    assert "HIP_VISIBLE_DEVICES is empty" in done.stdout
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    done = doctor(tmp_path, "--fix", "--env-file", "mine.sh")
    assert "fix: written to mine.sh, to be sourced: unset HIP_VISIBLE_DEVICES" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.sh"]
    lines = (tmp_path / "mine.sh").read_text().splitlines()[1:]
    # On systems where plain cmake does not find HIP there is one more fix.
    assert [line for line in lines if "CMAKE_TOOLCHAIN_FILE" not in line] == ["unset HIP_VISIBLE_DEVICES"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("/no/such/tree",), "/no/such/tree is not a folder"), (("--offload-arch", "sm_90"), "is not a gfx target")],
)
def test_wrong_use(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = doctor(tmp_path, *arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
