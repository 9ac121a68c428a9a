"""Locks between processes, of all three kinds, with holders that wait, die, or remove the file."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from hipport.files.locks import BusyError, locked, locked_if_possible

_HOLD = """
import pathlib, sys
from hipport.files import locks
path = pathlib.Path(sys.argv[1])
with {lock}:
    print("held", flush=True)
    sys.stdin.read()
"""
_ADD = """
import pathlib, sys, time
from hipport.files import locks
path, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for _ in range(20):
    with {lock}:
        found = int(count.read_text())
        time.sleep(0.002)
        count.write_text(str(found + 1))
"""
LOCKS = ["locks.locked(path, wait=True)", "locks.locked_if_possible(path, 60)"]


@contextlib.contextmanager
def holder(path: Path, lock: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its standard input is closed or it is killed."""
    command = [sys.executable, "-c", _HOLD.format(lock=lock), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def taken(lock: AbstractContextManager[None]) -> bool:
    with lock:
        return True


@pytest.mark.parametrize("lock", LOCKS)
def test_processes_take_turns(lock: str, tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", _ADD.format(lock=lock), str(tmp_path / "lock"), str(tmp_path / "count")]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(timeout=120) == 0
    assert (tmp_path / "count").read_text() == "60"


def test_without_waiting_a_lock_that_is_taken_is_an_error_and_free_once_its_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path, LOCKS[0]) as process:
        with pytest.raises(BusyError), locked(path, wait=False):
            pytest.fail("two hold the lock")
        process.kill()
        process.wait()
        assert taken(locked(path, wait=False))
    assert path.exists()


@pytest.mark.parametrize("lock", [lambda path: locked(path, wait=True), lambda path: locked_if_possible(path, 60)])
@pytest.mark.parametrize("died", [True, False])
def test_who_waits_goes_on_when_the_holder_ends(
    lock: Callable[[Path], AbstractContextManager[None]], died: bool, tmp_path: Path
) -> None:
    path = tmp_path / "lock"
    with holder(path, LOCKS[0]) as process:
        waiting = subprocess.Popen(
            [sys.executable, "-c", f"import time; time.sleep(0.5)\nimport os; os.kill({process.pid}, 9)"]
        )
        started = time.monotonic()
        if not died and process.stdin is not None:
            process.stdin.close()
        assert taken(lock(path))
        assert not died or time.monotonic() - started > 0.3
        waiting.wait()


def test_a_lock_is_released_by_an_error_and_no_descriptor_stays(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    before = len([*Path("/proc/self/fd").iterdir()])
    for lock in (locked(path, wait=False), locked(path, wait=True), locked_if_possible(path, 1)):
        with pytest.raises(ValueError, match="x"), lock:
            raise ValueError("x")
        assert taken(locked(path, wait=False))
    with locked(path, wait=False), pytest.raises(BusyError), locked(path, wait=False):
        pass
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    for name in ("none/lock", "folder", "link"):
        with pytest.raises(OSError), locked(tmp_path / name, wait=True):
            pytest.fail(name)
    assert not (tmp_path / "elsewhere").exists()


def test_a_lock_file_keeps_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("text")
    assert taken(locked(tmp_path / "lock", wait=False))
    assert (tmp_path / "lock").read_text() == "text"


def test_a_file_that_is_removed_afterwards_is_no_lock_for_who_waited_for_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert taken(locked_if_possible(path, 1)) and not path.exists()
    with locked_if_possible(path, 1):
        inode = path.stat().st_ino
        path.unlink()
        with locked_if_possible(path, 1):
            assert path.stat().st_ino != inode


def test_after_a_while_it_goes_on_without_the_lock(tmp_path: Path) -> None:
    with holder(tmp_path / "lock", LOCKS[0]):
        assert taken(locked_if_possible(tmp_path / "lock", 0.3))


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert taken(locked_if_possible(tmp_path / "lock", 60))
    with pytest.raises(BusyError, match="No locks"), locked(tmp_path / "lock", wait=False):
        pass
    with pytest.raises(OSError, match="No locks"), locked(tmp_path / "lock", wait=True):
        pass
