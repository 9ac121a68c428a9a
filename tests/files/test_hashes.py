from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from hipport.files import hashes
from hipport.files.hashes import OTHER, Hasher, digest_of_link


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"text")
    return path


def test_what_lies_at_a_path(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    hasher = Hasher({})
    assert hasher.at(str(file)) == hashlib.sha256(b"text").hexdigest()[:40]
    assert hasher.at(str(tmp_path / "link")) == digest_of_link("file") != hasher.at(str(file))
    assert hasher.at(str(tmp_path)) == hasher.at(str(tmp_path / "pipe")) == OTHER
    assert hasher.at(str(tmp_path / "none")) is hasher.at(str(file / "below")) is None


def _settled(seen: dict[str, hashes.Sighting]) -> dict[str, hashes.Sighting]:
    """Move the recorded time of reading 10 s later, as if the files had been read long after they were written."""
    return {place: (*known[:4], known[4] + 10**10, known[5]) for place, known in seen.items()}


def test_a_file_that_looks_the_same_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Hasher({})
    expected = first.at(str(file))
    monkeypatch.setattr(hashes, "digest_of_file", lambda path: "read")
    assert Hasher(_settled(first.seen)).at(str(file)) == expected
    assert Hasher(first.seen).at(str(file)) == "read", "written just before it was read: times may not tell"


def test_a_change_that_keeps_size_and_time_is_seen(file: Path) -> None:
    first = Hasher({})
    before, status = first.at(str(file)), file.stat()
    file.write_bytes(b"TEXT")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_mtime_ns == status.st_mtime_ns
    assert Hasher(_settled(first.seen)).at(str(file)) not in (before, OTHER)
