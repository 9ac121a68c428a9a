"""The installed command `hipport update`."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import served
from tests.project.fake import build, names

KERNEL = (
    "#include <cuda_runtime.h>\n\nint main() {\n  // one\n  // two\n  // three\n  return cudaDeviceSynchronize();\n}\n"
)


def hipport(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return served.hipport(*arguments, cwd=cwd, timeout=120)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path, {"cuda/main.cu": KERNEL, "cuda/CMakeLists.txt": "project(a)\n"})
    assert hipport("convert", "cuda", "-o", "hip", "--rocm", "6.2", cwd=tmp_path).returncode == 0
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_port_follows_its_upstream(folder: Path) -> None:
    replace(folder / "hip/main.hip", "// one", "// edited")
    replace(folder / "cuda/main.cu", "return cudaDeviceSynchronize", "return cudaDeviceReset")
    build(folder, {"cuda/new.cu": "cudaStream_t s;\n"})
    check = hipport("update", "cuda", "hip", "--check", cwd=folder)
    assert (check.returncode, check.stdout) == (1, "would be merged: hip/main.hip\nwould be written: hip/new.hip\n")
    done = hipport("update", "cuda", "hip", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "merged: hip/main.hip\nwritten: hip/new.hip\n")
    assert "for ROCm 6.2; 1 written, 1 merged" in done.stderr
    text = (folder / "hip/main.hip").read_text()
    assert "// edited" in text and "hipDeviceReset" in text
    check = hipport("update", "cuda", "hip", "--check", cwd=folder)
    assert (check.returncode, check.stdout) == (0, "") and "up to date, 1 edited" in check.stderr
    exact = hipport("update", "cuda", "hip", "--check", "--exact", cwd=folder)
    assert (exact.returncode, exact.stdout) == (1, "would be edited: hip/main.hip\n")


def test_a_conflict_is_named_and_the_status_says_so(folder: Path) -> None:
    replace(folder / "hip/main.hip", "// two", "// edited")
    replace(folder / "cuda/main.cu", "// two", "// changed")
    dry = hipport("update", "cuda", "hip", "--dry-run", cwd=folder)
    assert (
        dry.stdout == "would be in conflict: hip/main.hip\n" and "<<<<<<<" not in (folder / "hip/main.hip").read_text()
    )
    done = hipport("update", "cuda", "hip", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "in conflict: hip/main.hip\n")
    assert "hip/main.hip:1:1: error[HP910]: edits conflict with changes of the source" in done.stderr
    assert "<<<<<<< edited here\n  // edited\n" in (folder / "hip/main.hip").read_text()


def test_a_lost_source_is_reported_until_its_file_is_accepted(folder: Path) -> None:
    replace(folder / "hip/main.hip", "// two", "// edited")
    (folder / "cuda/main.cu").unlink()
    for _ in range(2):
        done = hipport("update", "cuda", "hip", cwd=folder)
        assert (done.returncode, done.stdout) == (1, "in conflict: hip/main.hip\n") and "HP910" in done.stderr
    assert hipport("update", "cuda", "hip", "--accept", "main.hip", cwd=folder).returncode == 2
    assert hipport("update", "cuda", "hip", "--accept", "hip/main.hip", cwd=folder).returncode == 0
    assert hipport("update", "cuda", "hip", "--check", cwd=folder).stdout == ""


def test_findings_in_the_sources_are_not_its_business(folder: Path) -> None:
    replace(folder / "cuda/main.cu", "cudaDeviceSynchronize()", "cudaCtxResetPersistingL2Cache()")
    done = hipport("update", "cuda", "hip", cwd=folder)
    assert done.returncode == 0 and "HP101" not in done.stderr
    assert "HP101" in hipport("update", "cuda", "hip", "--diagnostics", cwd=folder).stderr


def test_the_manifest_is_the_same_wherever_the_trees_are(folder: Path, tmp_path: Path) -> None:
    build(tmp_path / "else/where", {"cuda/main.cu": KERNEL, "cuda/CMakeLists.txt": "project(a)\n"})
    hipport("convert", str(tmp_path / "else/where/cuda"), "-o", "other", "--rocm", "6.2", cwd=folder)
    texts = [(folder / name / ".hipport/manifest.json").read_text() for name in ("hip", "other")]
    assert texts[0] == texts[1] and str(tmp_path) not in texts[0]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["cuda", "nothing"], 1, "not an output tree of hipport"),
        (["nothing", "hip"], 2, "'nothing' is not a folder"),
        (["cuda", "hip", "--exact"], 2, "--exact needs --check"),
        (["hip", "hip"], 2, "is also the input"),
        (["cuda"], 2, "Missing argument 'HIP_TREE'"),
    ],
)
def test_wrong_use(folder: Path, arguments: list[str], status: int, message: str) -> None:
    done = hipport("update", *arguments, cwd=folder)
    assert done.returncode == status and message in done.stderr and "Traceback" not in done.stderr


def test_a_damaged_manifest(folder: Path) -> None:
    (folder / "hip/.hipport/manifest.json").write_text('{"schema": 1, "setup": {}, "files": {"../x": 1}}')
    for command in (["update", "cuda", "hip"], ["convert", "cuda", "-o", "hip"]):
        done = hipport(*command, cwd=folder)
        assert done.returncode == 1 and "manifest.json is damaged" in done.stderr and "Traceback" not in done.stderr


def test_a_second_run_at_the_same_time_is_refused(folder: Path) -> None:
    with (folder / "hip/.hipport/lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = hipport("convert", "cuda", "-o", "hip", cwd=folder)
        assert done.returncode == 1 and "another hipport is writing to 'hip'" in done.stderr
        assert hipport("update", "cuda", "hip", "--check", "--rocm", "6.2", cwd=folder).returncode == 0
    assert hipport("convert", "cuda", "-o", "hip", "--rocm", "6.2", cwd=folder).returncode == 0


def test_two_runs_started_together_leave_a_whole_tree(tmp_path: Path) -> None:
    build(tmp_path, {f"cuda/k{number}.cu": KERNEL for number in range(30)})
    command = [sys.executable, "-m", "hipport", "convert", "cuda", "-o", "hip"]
    runs = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    errors = [run.communicate(timeout=120)[1] for run in runs]
    assert 0 in [run.returncode for run in runs]
    assert all(
        run.returncode == 0 or "another hipport is writing" in text for run, text in zip(runs, errors, strict=True)
    )
    assert hipport("update", "cuda", "hip", "--check", "--exact", cwd=tmp_path).returncode == 0


def test_a_killed_run_is_repaired_by_the_next(tmp_path: Path) -> None:
    build(tmp_path, {f"cuda/k{number}.cu": KERNEL * 20 for number in range(60)})
    command = [sys.executable, "-m", "hipport", "convert", "cuda", "-o", "hip", "-j", "1"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    while run.poll() is None and not (tmp_path / "hip/.hipport/journal.json").exists():
        time.sleep(0.001)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    build(tmp_path, {f"cuda/k{number}.cu": KERNEL for number in range(60)})
    assert hipport("convert", "cuda", "-o", "hip", cwd=tmp_path).returncode == 0
    assert hipport("convert", "cuda", "-o", "fresh", cwd=tmp_path).returncode == 0
    found = {name: (tmp_path / "hip" / name).read_bytes() for name in names(tmp_path / "hip")}
    assert found == {name: (tmp_path / "fresh" / name).read_bytes() for name in names(tmp_path / "fresh")}


def test_force_is_for_a_folder(folder: Path) -> None:
    done = hipport("convert", "cuda", "--check", "--force", cwd=folder)
    assert done.returncode == 2 and "--force needs -o" in done.stderr
