from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from hipport.project.content import Bytes
from hipport.project.output import Output
from tests.project.fake import build, names


@pytest.fixture
def out(tmp_path: Path) -> Path:
    build(tmp_path, {"outside/secret": "keep"})
    return build(tmp_path / "out", {"old": "old"})


def put(out: Path, name: str, data: bytes = b"new", mode: int = 0o644) -> bool:
    return Output(str(out)).write(name, Bytes(data), mode)


def test_writes_makes_folders_and_sets_permissions(out: Path) -> None:
    assert put(out, "a/b/c.sh", mode=0o750)
    assert (out / "a/b/c.sh").read_bytes() == b"new"
    assert (out / "a/b/c.sh").stat().st_mode & 0o777 == 0o750


def test_the_folder_itself_is_made(tmp_path: Path) -> None:
    assert put(tmp_path / "x/y", "a")
    assert names(tmp_path) == ["x/y/a"]


def test_an_equal_file_keeps_its_date_and_gets_its_permissions(out: Path) -> None:
    os.utime(out / "old", (1, 1))
    assert not put(out, "old", b"old", 0o755)
    assert (out / "old").stat().st_mtime == 1
    assert (out / "old").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("data", [b"ol", b"older", b"", b"OLD"])
def test_a_different_file_is_replaced(out: Path, data: bytes) -> None:
    assert put(out, "old", data)
    assert (out / "old").read_bytes() == data


def test_links_in_between_are_refused(out: Path) -> None:
    build(out, {"inner/x": "", "away": "-> ../outside", "near": "-> inner"})
    for name in ("away/secret", "near/x", "away/new/x"):
        with pytest.raises(OSError, match="a symbolic link in the output, not a folder"):
            put(out, name)
    assert (out / "../outside/secret").read_text() == "keep"
    assert (out / "inner/x").read_text() == ""


def test_a_link_that_leads_out_is_refused_and_one_that_does_not_replaced(out: Path) -> None:
    build(out, {"away": "-> ../outside/secret", "new-there": "-> ../outside/new", "near": "-> old"})
    for name in ("away", "new-there"):
        with pytest.raises(OSError, match="leads out of the folder"):
            put(out, name)
        with pytest.raises(OSError, match="leads out of the folder"):
            Output(str(out)).link(name, "old")
    assert put(out, "near")
    assert (out / "old").read_text() == "old" and not (out / "near").is_symlink()
    assert names(out.parent / "outside") == ["secret"]


def test_a_folder_in_the_way_is_an_error(out: Path) -> None:
    (out / "name").mkdir()
    with pytest.raises(OSError):
        put(out, "name")
    assert names(out) == ["old"]


def test_links(out: Path) -> None:
    output = Output(str(out))
    assert output.link("to", "old")
    assert not output.link("to", "old")
    assert output.link("to", "other") and (out / "to").readlink() == Path("other")
    assert output.link("old", "to") and names(out) == ["old", "to"]


class Failing(Bytes):
    """Content whose writing fails midway."""

    def write_to(self, descriptor: int) -> None:
        os.write(descriptor, self.data[:2])
        raise OSError(5, "Input/output error")


def test_a_failure_in_the_middle_leaves_what_was(out: Path) -> None:
    with pytest.raises(OSError, match="Input/output"):
        Output(str(out)).write("old", Failing(b"new content"), 0o644)
    assert (out / "old").read_text() == "old" and names(out) == ["old"]


class Interrupting(Bytes):
    """Content during whose writing the user presses Ctrl-C."""

    def write_to(self, descriptor: int) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        os.write(descriptor, self.data)


def test_an_interruption_waits_until_the_file_is_in_its_place(out: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Output(str(out)).write("old", Interrupting(b"new"), 0o644)
    assert (out / "old").read_text() == "new" and names(out) == ["old"]


def test_a_temporary_file_left_by_a_killed_run_is_no_hindrance(out: Path) -> None:
    build(out, {f".hipport-{os.getpid()}.tmp": "left"})
    assert put(out, "a")
    Output(str(out)).sweep()
    assert names(out) == ["a", "old"]


def test_a_long_name(out: Path) -> None:
    assert put(out, "n" * 255)


def test_what_killed_runs_left_is_swept(out: Path) -> None:
    build(out, {"a/.hipport-77.tmp": "half", ".hipport-x": "mine", "b.tmp": "mine"})
    Output(str(out)).sweep()
    assert names(out) == [".hipport-x", "b.tmp", "old"]
