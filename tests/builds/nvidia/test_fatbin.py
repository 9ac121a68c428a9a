"""Reading back the architectures in nvcc's output."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hipport.builds.nvidia.fatbin import architectures


def entry(kind: int, number: int, payload: bytes = b"code") -> bytes:
    head = struct.pack("<HHIQIII", kind, 1, 64, len(payload), 0, 0, 0)
    return (head + struct.pack("<I", number)).ljust(64, b"\0") + payload


def fat_binary(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def read(folder: Path, data: bytes) -> tuple[str, ...]:
    path = folder / "program"
    path.write_bytes(data)
    return architectures(path)


def test_entries_of_several_units(tmp_path: Path) -> None:
    data = b"\x7fELF" + fat_binary(entry(2, 80), entry(2, 90), entry(1, 90)) + b"text" + fat_binary(entry(2, 120))
    assert read(tmp_path, data) == ("compute_90", "sm_120", "sm_80", "sm_90")


def test_nothing_there(tmp_path: Path) -> None:
    assert read(tmp_path, b"\x7fELF and no more") == ()
    assert read(tmp_path, b"") == ()
    assert read(tmp_path, fat_binary()) == ()


def test_what_is_no_entry_ends_it(tmp_path: Path) -> None:
    assert read(tmp_path, fat_binary(entry(2, 80), entry(7, 90), entry(2, 90))) == ("sm_80",)
    assert read(tmp_path, fat_binary(entry(2, 80), entry(2, 70_000))) == ("sm_80",)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_damaged_files_are_read_without_harm(tail: bytes, cut: int) -> None:
    data = fat_binary(entry(2, 80), entry(1, 90))[:cut] + tail
    with tempfile.TemporaryDirectory() as folder:
        assert all(name.startswith(("sm_", "compute_")) for name in read(Path(folder), data))
