"""Malformed files: any content gives a result or one error, quickly and with little memory."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport.codeobject import Binary, read
from hipport.errors import HipportError
from tests.codeobject import fabricate

MIB = 1 << 20
Mutation = Callable[[bytes], bytes]


def seeds() -> list[bytes]:
    """Return one file of each kind."""
    plain = fabricate.two_targets()
    host = fabricate.elf([(".text", 1, 0, 0, b"\xc3"), (".hip_fatbin", 1, 0, 0, plain + bytes(64) + plain)])
    kernel = ("_Z1kILi2EEvPi", "_Z16__device_stub__kILi2EEvPi")
    return [
        plain,
        host,
        fabricate.host(fabricate.registering(kernel), fabricate.fat_binary(gfx90a=["_Z1kILi4EEvPi"])),
        fabricate.code_object(),
        fabricate.offload_binary("gfx90a", fabricate.code_object()),
        b"!<arch>\n" + fabricate.member(b"//", b"a long name of a member.o/\n") + fabricate.member(b"/0", host),
        *(fabricate.compress(plain, version, method) for version in (1, 2, 3) for method in ("zlib", "zstd")),
    ]


SEEDS = seeds()
NUMBERS = [0, 1, 2, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, (1 << 63) - 1, (1 << 64) - 1]


def overwrite(position: int, patch: bytes) -> Mutation:
    def apply(content: bytes) -> bytes:
        place = position % max(1, len(content))
        return content[:place] + patch + content[place + len(patch) :]

    return apply


def delete(position: int, size: int) -> Mutation:
    def apply(content: bytes) -> bytes:
        place = position % max(1, len(content))
        return content[:place] + content[place + size :]

    return apply


def truncate(position: int) -> Mutation:
    return lambda content: content[: position % max(1, len(content))]


positions = st.one_of(st.integers(0, 255), st.integers(0, 1 << 16))
patches = st.one_of(
    st.binary(min_size=1, max_size=16),
    st.builds(
        lambda number, size: (number & ((1 << 8 * size) - 1)).to_bytes(size, "little"),
        st.sampled_from(NUMBERS),
        st.sampled_from([1, 2, 4, 8]),
    ),
)
mutations = st.one_of(
    st.builds(overwrite, positions, patches),
    st.builds(delete, positions, st.integers(1, 64)),
    st.builds(truncate, positions),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "input"


def answer(path: Path, content: bytes) -> Binary | HipportError:
    path.write_bytes(content)
    try:
        return read(path)
    except HipportError as error:
        assert str(error).startswith(f"{path}: ")
        return error


@settings(max_examples=1500, deadline=5000)
@given(seed=st.sampled_from(SEEDS), changes=st.lists(mutations, min_size=1, max_size=4))
def test_changed_files(path: Path, seed: bytes, changes: list[Mutation]) -> None:
    for change in changes:
        seed = change(seed)
    answer(path, seed)


@settings(deadline=5000)
@given(
    magic=st.sampled_from([b"", b"\x7fELF\x02\x01\x01", b"!<arch>\n", b"CCOB", b"__CLANG_OFFLOAD_BUNDLE__"]),
    rest=st.binary(),
)
@example(magic=b"\x7fELF\x02\x01\x01\x40", rest=b"\xff" * 200)
def test_garbage_behind_a_magic(path: Path, magic: bytes, rest: bytes) -> None:
    answer(path, magic + rest)


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_every_seed_is_read(path: Path, seed: bytes) -> None:
    """Otherwise the tests above would mutate files that are rejected anyway."""
    found = answer(path, seed)
    assert isinstance(found, Binary)
    assert all(any(entry.kernels for entry in bundle.entries) for bundle in found.bundles)


@pytest.mark.parametrize("seed", SEEDS, ids=range(len(SEEDS)))
def test_every_truncation(path: Path, seed: bytes) -> None:
    for size in range(0, len(seed), max(1, len(seed) // 200)):
        answer(path, seed[:size])


@contextmanager
def little_memory(limit: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", ["zlib", "zstd"])
@pytest.mark.parametrize("declared", [1000, 4 << 30])
def test_a_decompression_bomb(path: Path, method: str, declared: int) -> None:
    """256 MiB of zeros: decompressed only to the declared size, and rejected if that is wrong."""
    path.write_bytes(fabricate.compress(bytes(256 * MIB), 3, method, uncompressed=declared))
    limit = 160 * MIB if declared == 1000 else 700 * MIB
    with little_memory(limit), pytest.raises(HipportError, match="compressed bundle holds"):
        read(path)


def test_a_file_of_gigabytes_is_not_loaded(path: Path) -> None:
    """A bundle with an entry of 3 GiB (a hole in the file, which takes no disk space) before another entry."""
    huge = 3 << 30
    text, code = "hip-amdgcn-amd-amdhsa--gfx900", fabricate.code_object()
    with path.open("wb") as file:
        header = fabricate.bundle_header([(text, huge), (fabricate.device_id("gfx90a"), len(code))])
        file.write(header)
        os.truncate(path, len(header) + huge)
        file.seek(len(header) + huge)
        file.write(code)
    with little_memory(20 * MIB):
        (bundle,) = read(path).bundles
    path.unlink()
    assert [(entry.size, len(entry.kernels)) for entry in bundle.entries] == [(huge, 0), (len(code), 1)]


@pytest.mark.parametrize(
    "sections",
    [
        pytest.param([(f".s{index}", 1, 0, 0, b"") for index in range(60000)], id="many"),
        pytest.param([(".symtab", 2, 0, 1, bytes(24))], id="linked to itself"),
        pytest.param([(".hip_fatbin", 1, 0, 0, b"CCOB" * 10000)], id="magics"),
        pytest.param([(".hip_fatbin", 1, 0, 0, b"\0" * MIB)], id="no bundle"),
    ],
)
def test_odd_host_files(path: Path, sections: list[tuple[str, int, int, int, bytes]]) -> None:
    found = answer(path, fabricate.elf(sections))
    assert isinstance(found, HipportError) or found.bundles == ()


def test_sections_that_share_their_bytes(path: Path) -> None:
    """Each section would be read again, so that a small file could cause days of work."""
    content = bytearray(fabricate.elf([(".one", 1, 0, 0, bytes(4096)), (".two", 1, 0, 0, b"")]))
    table = len(content) - 4 * 64
    content[table + 2 * 64 + 24 : table + 2 * 64 + 40] = content[table + 64 + 24 : table + 64 + 40]
    found = answer(path, bytes(content))
    assert isinstance(found, HipportError)
    assert "overlap" in str(found)


def test_a_named_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HipportError, match="not a regular file"):
        read(tmp_path / "pipe")
