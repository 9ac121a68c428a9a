"""Detecting the LLVM release that wrote a file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.toolchain.bitcode import llvm_release
from hipport.toolchain.hip import find_hip
from hipport.toolchain.places import Surroundings

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"


def release(data: bytes) -> int | None:
    with tempfile.NamedTemporaryFile() as stream:
        stream.write(data)
        stream.flush()
        return llvm_release(Path(stream.name))


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    found = release(data)
    assert found is None or 0 <= found < 10**9


@given(st.integers(1, 99), st.integers(32, 400))
def test_a_name_is_found_at_every_bit(major: int, bit: int) -> None:
    bits = sum(ALPHABET.index(letter) << (6 * index) for index, letter in enumerate(f"LLVM{major}.1.7"))
    assert release((bits << bit).to_bytes(64, "little")) == major


def test_what_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert llvm_release(tmp_path) is None
    assert llvm_release(tmp_path / "none") is None


@pytest.mark.toolchain
def test_the_device_libraries_here() -> None:
    folder = find_hip(Surroundings()).device_libraries
    assert {llvm_release(path) for path in folder.glob("oc*.bc")} == {llvm_release(folder / "ocml.bc")} != {None}
