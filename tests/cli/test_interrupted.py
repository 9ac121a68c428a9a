"""Ctrl-C, SIGTERM and SIGHUP end every command with one line, and all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ENDINGS = [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGHUP)]
PAUSE = """
import time
import click
import hipport.cli.{module} as module

def wait(*arguments, **options):
    print("here", flush=True)
    time.sleep(60)

module.command.callback = wait
from hipport.cli import main
main()
"""


@pytest.fixture(autouse=True)
def _not_under_nohup() -> Iterator[None]:
    """Processes that are started ignore what their parent ignores: SIGHUP under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("inspect", ["inspect", "a.out"]),
        ("doctor", ["doctor"]),
        ("verify", ["verify", "a.cu"]),
        ("mappings.query", ["mappings", "query", "cudaMalloc"]),
        ("llm.generate", ["llm", "generate", "--random-weights", "tiny"]),
    ],
)
@pytest.mark.parametrize(("number", "status"), ENDINGS)
def test_one_line(tmp_path: Path, module: str, arguments: list[str], number: signal.Signals, status: int) -> None:
    for name in ("a.out", "a.cu"):
        (tmp_path / name).touch()
    command = [sys.executable, "-c", PAUSE.format(module=module), *arguments]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        time.sleep(0.05)
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == status
    assert errors.strip() == "hipport: interrupted"


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    (tmp_path / "a.out").touch()
    command = [sys.executable, "-c", PAUSE.replace("60", "1").format(module="inspect"), "inspect", "a.out"]
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGHUP, before)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGHUP)
        assert process.communicate(timeout=30)[1] == ""
    assert process.returncode == 0


MAKEFILE = """\
app: app.o
app.o: app.cu
\ttouch $@; echo $$$$ > started.part; mv started.part started; sleep 60
"""


@pytest.mark.parametrize(("number", "status"), ENDINGS)
def test_no_process_and_no_temporary_folder_is_left(tmp_path: Path, number: signal.Signals, status: int) -> None:
    """The signal reaches hipport only, as from `kill`; make and what it runs are not told."""
    tree, temporary, out = (tmp_path / name for name in ("tree", "tmp", "out"))
    for folder in (tree, temporary):
        folder.mkdir()
    (tree / "app.cu").write_text("__global__ void kernel() {}\n")
    (tree / "Makefile").write_text(MAKEFILE)
    command = [sys.executable, "-m", "hipport", "port", str(tree), "-o", str(out)]
    environ = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as process:
        _wait_for((out / "started").exists)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == status
    assert errors.splitlines()[-1] == "hipport: interrupted; run the same command again to continue"
    recipe = Path("/proc", (out / "started").read_text().strip())
    _wait_for(lambda: not recipe.exists())
    assert not (out / "app.o").exists(), "make takes it for a finished file"
    assert list(temporary.iterdir()) == []


def _wait_for(done: Callable[[], bool]) -> None:
    for _ in range(600):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("30 seconds")
