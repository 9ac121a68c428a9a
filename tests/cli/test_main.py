"""Behavior that all commands have in common: version, colors, quiet output, exit statuses, advice for typing errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import hipport
from tests import served
from tests.fixtures.programs import ROOT

HAZARD = "__global__ void k(int* p) {}\nint main() { k<<<1, 1, 98304>>>(nullptr); __trap(); }\n"
NOTE = "__global__ void k(int* p) { p[0] = __ballot_sync(~0u, 1); }\n"
ESCAPE = "\x1b["


def run(*arguments: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return served.hipport(*arguments, cwd=folder)


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_version(option: str) -> None:
    assert run(option).stdout == f"hipport, version {hipport.__version__}\n"


@pytest.mark.parametrize(("wrong", "right"), [("conver", "convert"), ("verfy", "verify"), ("chek", "check")])
def test_an_unknown_command_names_a_similar_one(wrong: str, right: str) -> None:
    done = run(wrong)
    assert done.returncode == 2
    assert f"No such command {wrong!r}. Did you mean {right!r}" in done.stderr


def test_an_unlike_command_names_none() -> None:
    assert "Did you mean" not in run("xyzzy").stderr


@pytest.mark.parametrize(
    "command", ["check", "inspect", "run", "verify", "convert --stdout", "build --target cpu -o x"]
)
def test_an_absent_file_is_wrong_use(command: str, tmp_path: Path) -> None:
    done = run(*command.split(), "absent.cu", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "absent.cu" in done.stderr


class TestColor:
    def test_always(self, tmp_path: Path) -> None:
        (tmp_path / "a.cu").write_text(HAZARD)
        assert ESCAPE in run("--color", "always", "check", "a.cu", folder=tmp_path).stderr
        assert ESCAPE in run("check", "a.cu", "--color", "always", folder=tmp_path).stderr
        assert ESCAPE not in run("--color", "always", "check", "--color=never", "a.cu", folder=tmp_path).stderr

    @pytest.mark.parametrize("options", [(), ("--color", "never"), ("--color", "auto")])
    def test_none_in_a_pipe(self, options: tuple[str, ...], tmp_path: Path) -> None:
        (tmp_path / "a.cu").write_text(HAZARD)
        done = run(*options, "check", "a.cu", folder=tmp_path)
        assert "HP211" in done.stderr
        assert ESCAPE not in done.stderr


class TestQuiet:
    @pytest.mark.parametrize("command", ["check", "convert -o out"])
    def test_only_errors(self, command: str, tmp_path: Path) -> None:
        (tmp_path / "a.cu").write_text("// hipcc\n" + HAZARD)
        loud, quiet = (
            run(*command.split(), "a.cu", folder=tmp_path),
            run(*command.split(), "-q", "a.cu", folder=tmp_path),
        )
        assert loud.returncode == quiet.returncode == 1
        assert "hipport: 1 source" in loud.stderr
        assert "hipport: 1 source" not in quiet.stderr
        assert "error[HP211]" in quiet.stderr

    def test_nothing_where_nothing_is_wrong(self, tmp_path: Path) -> None:
        (tmp_path / "a.cu").write_text(NOTE)
        assert "note[" in run("check", "a.cu", folder=tmp_path).stderr
        done = run("check", "-q", "a.cu", folder=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_target_of_the_settings_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "hipport.toml").write_text('offload-arch = ["mi300x"]\n')
    for command in (["check", "a.cu"], ["convert", "a.cu", "-o", "out"]):
        done = run(*command, folder=tmp_path)
        assert done.returncode == 2
        assert "'mi300x' is not a gfx target" in done.stderr and "gfx942" in done.stderr


class TestNothingToCheck:
    def test_an_empty_folder(self, tmp_path: Path) -> None:
        done = run("check", ".", folder=tmp_path)
        assert done.returncode == 2
        assert "there is nothing to check in '.'" in done.stderr

    def test_a_file_of_another_kind(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("cudaMalloc\n")
        assert run("check", "a.txt", folder=tmp_path).returncode == 2

    def test_hip_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "a.hip").write_text("#include <hip/hip_runtime.h>\n")
        for name in (".", "a.hip"):
            done = run("check", name, folder=tmp_path)
            assert (done.returncode, done.stdout) == (0, "")
            assert done.stderr == "hipport: 0 sources checked, 1 source left alone (HIP already)\n"

    def test_a_tree_with_a_build_file_only(self, tmp_path: Path) -> None:
        (tmp_path / "CMakeLists.txt").write_text("project(x)\n")
        assert run("check", ".", folder=tmp_path).returncode == 0


class TestReport:
    @pytest.mark.parametrize("command", ["check", "convert -o out"])
    @pytest.mark.parametrize("name", ["x.pdf", "a.cu", "report"])
    def test_another_suffix_is_wrong_use(self, command: str, name: str, tmp_path: Path) -> None:
        (tmp_path / "a.cu").write_text(HAZARD)
        done = run(*command.split(), "a.cu", "--report", name, folder=tmp_path)
        assert done.returncode == 2
        assert f"{name!r} has no suffix that says its format" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["a.cu"]
        assert (tmp_path / "a.cu").read_text() == HAZARD


def test_a_build_from_a_translation_with_errors_fails(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(HAZARD.replace("__trap();", ""))
    done = run("build", "a.cu", "--target", "cpu", "-o", "a", folder=tmp_path)
    assert done.returncode == 1
    assert "HP211" in done.stderr
    assert "a was built, but 1 error of the translation left it wrong" in done.stderr
    dry = run("build", "a.cu", "--target", "cpu", "-o", "a", "--dry-run", folder=tmp_path)
    assert dry.returncode == 1 and dry.stdout.endswith("cp a.build/product a\n")
    assert "a would be built, but 1 error of the translation left it wrong" in dry.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("convert", "--stdout", str(ROOT / "warp_votes" / "warp_votes.cu")),
        ("convert", "--diff", str(ROOT / "warp_votes" / "warp_votes.cu")),
        ("mappings", "query", "cudaMalloc"),
        ("explain", "HP101"),
        ("include-dir",),
    ],
    ids=" ".join,
)
def test_a_full_disk_behind_the_output(arguments: Sequence[str]) -> None:
    command = [sys.executable, "-m", "hipport", *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("hipport: error: cannot write to the standard output: No space left on device\n")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr
