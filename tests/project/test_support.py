"""hipport's headers are copied beside the translations that include them."""

from __future__ import annotations

from pathlib import Path

from hipport.project.request import Mode
from hipport.support import include_dir
from tests.project.fake import build, carry_out, codes, mirror, names

USER = "#include <hipport/ptx/integer.h>\ncudaX"
HEADERS = ["hipport/ptx/core.h", "hipport/ptx/integer.h"]


def test_a_copy_has_the_headers_and_what_they_include(tmp_path: Path) -> None:
    report = mirror(build(tmp_path / "tree", {"sub/a.cu": USER, "b.cu": ""}), tmp_path / "out")
    assert names(tmp_path / "out") == ["b.hip", *HEADERS, "sub/a.hip"]
    assert (tmp_path / "out" / HEADERS[0]).read_bytes() == (include_dir() / HEADERS[0]).read_bytes()
    assert report.support_dirs == (str(tmp_path / "out"),)


def test_none_without_need_or_wish(tmp_path: Path) -> None:
    assert mirror(build(tmp_path / "tree", {"a.cu": "cudaX"}), tmp_path / "out").support_dirs == ()
    (tmp_path / "tree/a.cu").write_text(USER)
    assert mirror(tmp_path / "tree", tmp_path / "out", support=False).support_dirs == ()
    assert names(tmp_path / "out") == ["a.hip"]


def test_in_place_twice(tmp_path: Path) -> None:
    """The copies are not sources: a second run leaves them unchanged."""
    build(tmp_path, {"a.cu": USER})
    carry_out(Mode.IN_PLACE, tmp_path)
    assert names(tmp_path) == ["a.hip", *HEADERS]
    header = tmp_path / HEADERS[0]
    header.write_bytes(header.read_bytes() + b"cudaY")
    assert not carry_out(Mode.CHECK, tmp_path).changed


def test_looking_writes_nothing(tmp_path: Path) -> None:
    build(tmp_path, {"a.cu": USER})
    assert carry_out(Mode.CHECK, tmp_path).support_dirs == ()
    assert names(tmp_path) == ["a.cu"]


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    build(tmp_path, {"tree/a.cu": USER, "out/hipport": "a file"})
    report = mirror(tmp_path / "tree", tmp_path / "out")
    assert codes(report) == ["HP908", "HP908"] and report.exit_status == 1
