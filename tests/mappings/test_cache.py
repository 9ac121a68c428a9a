from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from hipport.mappings import cache

VALUE = {"names": {"cudaA": b"row"}, "active": "cudaA"}


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "hipport"


def only_file(base: Path) -> Path:
    (path,) = base.iterdir()
    return path


def test_what_was_written_is_read(base: Path) -> None:
    cache.write("a", VALUE)
    assert cache.read("a") == VALUE
    assert cache.read("b") is None
    assert only_file(base).stat().st_mode & 0o777 == 0o600


def test_a_second_write_replaces(base: Path) -> None:
    cache.write("a", VALUE)
    cache.write("a", {})
    assert cache.read("a") == {}
    assert only_file(base).suffix == ".bin"


@pytest.mark.parametrize("keep", [0, 5, 30, 60, -1])
def test_a_cut_off_file_counts_as_none(base: Path, keep: int) -> None:
    cache.write("a", VALUE)
    path = only_file(base)
    path.write_bytes(path.read_bytes()[:keep])
    assert cache.read("a") is None


@pytest.mark.parametrize("offset", [0, 20, -1])
def test_a_changed_byte_counts_as_none(base: Path, offset: int) -> None:
    cache.write("a", VALUE)
    data = bytearray(only_file(base).read_bytes())
    data[offset] ^= 1
    only_file(base).write_bytes(data)
    assert cache.read("a") is None


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_is_neither_read_nor_written(base: Path, mode: int) -> None:
    cache.write("a", VALUE)
    base.chmod(mode)
    cache.write("b", VALUE)
    assert cache.read("a") is None
    base.chmod(0o700)
    assert cache.read("a") == VALUE
    assert cache.read("b") is None


def test_a_file_that_others_can_write_is_not_read(base: Path) -> None:
    cache.write("a", VALUE)
    only_file(base).chmod(0o666)
    assert cache.read("a") is None


def test_a_file_of_somebody_else_is_not_read(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write("a", VALUE)
    monkeypatch.setattr(os, "geteuid", lambda: base.stat().st_uid + 1)
    assert cache.read("a") is None


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache.write("a", VALUE)
    assert cache.read("a") is None


def test_a_failed_write_leaves_nothing(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: str, target: Path, **folders: int | None) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    cache.write("a", VALUE)
    assert list(base.iterdir()) == []


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_the_folder_without_a_usable_xdg_cache_home(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "hipport"


def test_old_files_go(base: Path) -> None:
    for number in range(20):
        cache.write(str(number), VALUE)
        os.utime(base / f"tables-{number}.bin", (number, number))
    cache.write("last", VALUE)
    assert len(list(base.iterdir())) == 16
    assert cache.read("last") == VALUE
    assert cache.read("0") is None


def _write_and_read(number: int) -> bool:
    cache.write("shared", {"from": number, "filler": "x" * 200_000})
    return cache.read("shared")["filler"] == "x" * 200_000


def test_processes_at_once_see_whole_files(base: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert all(pool.map(_write_and_read, range(40)))
    assert only_file(base).suffix == ".bin"


def test_the_key_depends_on_every_part_and_its_borders() -> None:
    keys = [cache.key(), cache.key(b""), cache.key(b"ab"), cache.key(b"a", b"b"), cache.key(b"b", b"a")]
    assert len(set(keys)) == len(keys)
