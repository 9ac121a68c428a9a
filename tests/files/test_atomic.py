"""A file has its old content or the new one, whatever interrupts the write."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.files import atomic
from hipport.files.places import open_folder


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    return path


def alone(path: Path) -> bool:
    return list(path.parent.iterdir()) == [path]


def test_a_file_is_replaced_and_private(old: Path) -> None:
    inode = old.stat().st_ino
    old.chmod(0o644)
    atomic.write(old, b"new" * 100_000)
    assert old.read_bytes() == b"new" * 100_000 and alone(old)
    assert old.stat().st_mode & 0o777 == 0o600 and old.stat().st_ino != inode


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize("flush", [True, False])
def test_a_write_that_fails_half_way_leaves_the_old_file(old: Path, error: BaseException, flush: bool) -> None:
    with pytest.raises(type(error)), atomic.writing(old) as descriptor:
        os.write(descriptor, b"ne")
        if flush:
            os.fsync(descriptor)
        raise error
    assert old.read_bytes() == b"old" and alone(old)


def test_a_full_disk_leaves_the_old_file(old: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            atomic.write(old, b"new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert old.read_bytes() == b"old" and alone(old)


def test_a_process_that_is_killed_before_the_end_leaves_the_old_file(old: Path) -> None:
    lines = (
        "import os, sys",
        "from hipport.files import atomic",
        "with atomic.writing(sys.argv[1]) as file:",
        "    os.write(file, b'n')",
        "    os.kill(os.getpid(), 9)",
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines), str(old)], check=False)
    assert done.returncode == -9 and old.read_bytes() == b"old"
    (left,) = (path for path in old.parent.iterdir() if path != old)
    assert left.name.startswith(atomic.PREFIX)
    atomic.write(old, b"new")
    assert old.read_bytes() == b"new"


def _keep(path: Path) -> None:
    path.mkdir()


def _fill(path: Path) -> None:
    _keep(path)
    (path / "x").touch()


@pytest.mark.parametrize("make", [_keep, _fill])
def test_a_folder_in_the_way_is_an_error_and_stays(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "file"
    make(path)
    with pytest.raises(OSError):
        atomic.write(path, b"new")
    assert path.is_dir() and alone(path)


def test_a_link_is_replaced_and_not_followed(old: Path) -> None:
    link = old.with_name("link")
    link.symlink_to(old)
    atomic.write(link, b"new")
    assert old.read_bytes() == b"old" and not link.is_symlink()


def test_links_and_copies_take_a_place_too(old: Path) -> None:
    with atomic.replacing(old) as fresh:
        Path(fresh).symlink_to("elsewhere")
    assert old.readlink() == Path("elsewhere") and alone(old)
    with pytest.raises(FileNotFoundError), atomic.replacing(old):
        pass
    assert old.is_symlink() and alone(old)


def test_paths_below_an_open_folder(old: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = open_folder(str(old.parent))
    monkeypatch.chdir("/")
    try:
        with atomic.writing("file", suffix=".tmp", folder=folder) as descriptor:
            (fresh,) = tmp_path.glob(f"{atomic.PREFIX}*.tmp")
            os.write(descriptor, b"new")
        assert old.read_bytes() == b"new" and alone(old) and not fresh.exists()
    finally:
        folder.close()


def test_threads_that_write_one_path_leave_one_of_their_contents(old: Path) -> None:
    contents = [bytes([letter]) * 200_000 for letter in b"abcd"]

    def write(data: bytes) -> None:
        for _ in range(20):
            atomic.write(old, data)
            assert old.read_bytes() in contents

    threads = [threading.Thread(target=write, args=(data,)) for data in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert old.read_bytes() in contents and alone(old)
