from __future__ import annotations

import base64
from pathlib import Path

import pytest
import zstandard

from hipport.errors import HipportError
from hipport.files.hashes import Hasher, digest
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import Manifest, ManifestEntry

OLD, NEW = digest(b"old"), digest(b"new")


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path))


def test_bases_are_kept_as_long_as_an_entry_needs_them(folder: StateFolder) -> None:
    folder.keep_bases([(OLD, b"old"), (NEW, b"new")])
    folder.settle(Manifest({}, {"a": ManifestEntry("a", OLD, NEW)}))
    assert (folder.base(OLD), folder.base(NEW)) == (None, b"new")


def test_what_is_no_text_has_no_base(folder: StateFolder) -> None:
    for data in (b"\0binary", b"x" * (5 << 20)):
        folder.keep_bases([(digest(data), data)])
        assert folder.base(digest(data)) is None


def _line(data: bytes) -> bytes:
    return OLD.encode() + b" " + base64.b64encode(zstandard.compress(data)) + b"\n"


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"no line", b"\xff\n\n", OLD.encode(), OLD.encode() + b" no zstd\n"),
        *(_line(b"old")[:-9], _line(b"another"), _line(b"\0" * (64 << 20))),
    ],
)
def test_a_damaged_base_is_none_and_does_not_stay(folder: StateFolder, tmp_path: Path, damage: bytes) -> None:
    folder.keep_bases([(OLD, b"old")])
    (path,) = (tmp_path / ".hipport/bases").iterdir()
    assert folder.base(OLD) == b"old"
    path.write_bytes(damage)
    assert folder.base(OLD) is None
    folder.settle(Manifest({}, {}))
    assert not path.exists() or not path.read_bytes()


def test_bases_are_lines_in_order_that_do_not_change(folder: StateFolder, tmp_path: Path) -> None:
    contents = [(digest(data), data) for data in (str(number).encode() for number in range(100))]
    folder.keep_bases(contents[:50])
    before = {line for path in (tmp_path / ".hipport/bases").iterdir() for line in path.read_bytes().splitlines()}
    folder.keep_bases(contents[40:])
    files = [path.read_bytes().splitlines() for path in (tmp_path / ".hipport/bases").iterdir()]
    assert all(lines == sorted(lines) for lines in files) and before < {line for lines in files for line in lines}
    assert [folder.base(name) for name, _ in contents] == [data for _, data in contents]


def test_what_an_interrupted_run_has_finished_counts(folder: StateFolder, tmp_path: Path) -> None:
    folder.settle(Manifest({}, {name: ManifestEntry(name, OLD, OLD) for name in ("done", "not")}))
    planned = {name: ManifestEntry(name, NEW, NEW) for name in ("done", "not", "fresh")}
    folder.announce(Manifest({}, planned), dict.fromkeys(planned, NEW))
    (tmp_path / "done").write_bytes(b"new")
    (tmp_path / "not").write_bytes(b"old")
    found = folder.manifest(Hasher({})).entries
    assert found == {"done": planned["done"], "not": ManifestEntry("not", OLD, OLD)}


def test_a_lock_keeps_others_out_and_ends(folder: StateFolder, tmp_path: Path) -> None:
    with (
        folder.locked(),
        pytest.raises(HipportError, match="another hipport is writing to"),
        StateFolder(str(tmp_path)).locked(),
    ):
        pass
    with folder.locked():
        pass


def test_a_state_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.hipport").symlink_to("../outside")
    folder = StateFolder(str(tmp_path / "out"))
    with pytest.raises(HipportError, match="cannot write"), folder.locked():
        pass
    with pytest.raises(HipportError, match="cannot write"):
        folder.settle(Manifest())
    assert not list((tmp_path / "outside").iterdir())
