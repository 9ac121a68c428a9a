"""Offload bundles, compressed and not, wherever they are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hipport.codeobject import Binary, Bundle, BundleEntry, read
from hipport.codeobject.compressed import MAX_UNCOMPRESSED
from hipport.errors import HipportError
from tests.codeobject import fabricate

Inspect = Callable[[bytes], Binary]
TARGETS = ["", "gfx90a", "gfx1100"]
FORMATS = [(version, method) for version in (1, 2, 3) for method in ("zlib", "zstd")]


def targets(bundles: Sequence[Bundle]) -> list[list[str]]:
    return [[entry.target_id for entry in bundle.entries] for bundle in bundles]


def test_a_plain_bundle_by_offset_and_size(inspect: Inspect) -> None:
    content = fabricate.two_targets()
    binary = inspect(content)
    (bundle,) = binary.bundles
    assert (binary.kind, bundle.format, bundle.offset) == ("fat binary", "plain", 0)
    host, *devices = bundle.entries
    assert bundle.size == devices[-1].offset + devices[-1].size
    assert (host.kind, host.content, host.size) == ("host", "empty", 0)
    assert [entry.kind for entry in devices] == ["hipv4", "hipv4"]
    assert all(content[entry.offset : entry.offset + 4] == b"\x7fELF" for entry in devices)
    assert [len(entry.kernels) for entry in devices] == [1, 1]


@pytest.mark.parametrize(("version", "method"), FORMATS)
def test_a_compressed_bundle(inspect: Inspect, version: int, method: str) -> None:
    plain = fabricate.two_targets()
    content = fabricate.compress(plain, version, method)
    (bundle,) = inspect(content).bundles
    assert (bundle.format, bundle.version, bundle.compression) == ("compressed", version, method)
    assert (bundle.size, bundle.uncompressed_size) == (len(content), len(plain))
    assert bundle.entries == inspect(plain).bundles[0].entries


@pytest.mark.parametrize(("version", "method"), FORMATS)
@pytest.mark.parametrize("padding", [0, 1, 4096])
def test_bundles_one_after_the_other(inspect: Inspect, version: int, method: str, padding: int) -> None:
    """The linker concatenates the bundles of all units in .hip_fatbin."""
    plain = fabricate.two_targets()
    one = fabricate.compress(plain, version, method)
    parts = [one, one, plain, plain] if version > 1 else [plain, one, one]
    content = bytes(padding).join(parts)
    bundles = inspect(fabricate.elf([(".hip_fatbin", 1, 0, 0, content)])).bundles
    assert targets(bundles) == [TARGETS] * len(parts)
    starts = [64 + sum(len(part) + padding for part in parts[:index]) for index in range(len(parts))]
    assert [bundle.offset for bundle in bundles] == starts


def test_a_magic_inside_a_code_object_is_no_bundle(inspect: Inspect) -> None:
    trap = b"CCOB__CLANG_OFFLOAD_BUNDLE__"
    content = fabricate.bundle([(fabricate.device_id("gfx90a"), trap), (fabricate.device_id("gfx906"), b"BC\xc0\xde")])
    assert [[entry.content for entry in bundle.entries] for bundle in inspect(content).bundles] == [
        ["other", "bitcode"]
    ]


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        ({"size": 10}, "declares a size"),
        ({"size": 1 << 31}, "declares a size"),
        ({"uncompressed": 10}, "more than the 10 bytes"),
        ({"uncompressed": 1 << 31}, "declares 2147483648"),
        ({"digest": 1}, "hash"),
    ],
)
@pytest.mark.parametrize("method", ["zlib", "zstd"])
def test_a_lying_compressed_header(inspect: Inspect, lie: dict[str, int], message: str, method: str) -> None:
    with pytest.raises(HipportError, match=message):
        inspect(fabricate.compress(fabricate.two_targets(), 2, method, **lie))


def test_an_uncompressed_size_beyond_all_reason(inspect: Inspect) -> None:
    with pytest.raises(HipportError, match="uncompressed; the limit is"):
        inspect(fabricate.compress(b"", 3, "zlib", uncompressed=MAX_UNCOMPRESSED + 1))


def test_what_was_compressed_has_to_be_a_bundle(inspect: Inspect) -> None:
    with pytest.raises(HipportError, match="does not hold an offload bundle"):
        inspect(fabricate.compress(fabricate.compress(b"", 2, "zlib"), 2, "zlib"))


@pytest.mark.parametrize(("version", "method"), [(0, 0), (4, 0), (2, 2)])
def test_an_unknown_version_or_method(inspect: Inspect, version: int, method: int) -> None:
    content = bytearray(fabricate.compress(b"", 2, "zlib"))
    content[4], content[6] = version, method
    with pytest.raises(HipportError, match=f"(version|method) {version if method < 2 else method}"):
        inspect(bytes(content))


def test_code_objects_that_overlap(inspect: Inspect) -> None:
    content = bytearray(fabricate.two_targets())
    place = content.index(b"hipv4") - 24
    content[place + 8 : place + 16] = (2000).to_bytes(8, "little")
    with pytest.raises(HipportError, match="overlap"):
        inspect(bytes(content))


@pytest.mark.parametrize("count", [4, 1 << 40, (1 << 64) - 1])
def test_more_entries_than_there_are(inspect: Inspect, count: int) -> None:
    content = bytearray(fabricate.bundle([(fabricate.HOST_ID, b"")]))
    content[24:32] = count.to_bytes(8, "little")
    with pytest.raises(HipportError):
        inspect(bytes(content))


def test_relocatable_device_code_has_a_section_per_entry(inspect: Inspect) -> None:
    content = fabricate.elf(
        [
            ("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a", 1, 0, 0, b"BC\xc0\xde...."),
            ("__CLANG_OFFLOAD_BUNDLE__host-x86_64-unknown-linux-gnu-", 1, 0, 0, b"\0"),
        ],
        kind=1,
    )
    binary = inspect(content)
    (bundle,) = binary.bundles
    assert (binary.kind, bundle.format) == ("object", "sections")
    assert [(entry.target_id, entry.content) for entry in bundle.entries] == [("gfx90a", "bitcode"), ("", "empty")]


def test_a_host_file_without_gpu_code_has_no_bundles(inspect: Inspect) -> None:
    binary = inspect(fabricate.elf([(".interp", 1, 0, 0, b"/lib/ld.so\0"), (".text", 1, 0, 0, b"\xc3")]))
    assert (binary.kind, binary.bundles) == ("executable", ())


class TestArchives:
    def members(self, inspect: Inspect, content: bytes) -> list[tuple[str | None, list[str]]]:
        bundles = inspect(b"!<arch>\n" + content).bundles
        return [(bundle.member, [entry.target_id for entry in bundle.entries]) for bundle in bundles]

    def test_gnu_names(self, inspect: Inspect) -> None:
        long_name = "a_name_that_is_longer_than_fifteen.o"
        content = (
            fabricate.member(b"/", b"\0\0\0\0")
            + fabricate.member(b"//", b"odd/\n" + long_name.encode() + b"/\n")
            + fabricate.member(b"short.o/", fabricate.two_targets())
            + fabricate.member(b"notes.txt/", b"text")
            + fabricate.member(b"/5", fabricate.elf([(".hip_fatbin", 1, 0, 0, fabricate.two_targets())]))
            + fabricate.member(b"bare.o/", fabricate.code_object())
        )
        assert self.members(inspect, content) == [
            ("short.o", TARGETS),
            (long_name, TARGETS),
            ("bare.o", ["gfx90a"]),
        ]

    def test_bsd_names(self, inspect: Inspect) -> None:
        content = fabricate.member(b"#1/12", b"__.SYMDEF\0\0\0") + fabricate.member(
            b"#1/20", b"name of twenty.o".ljust(20, b"\0") + fabricate.two_targets()
        )
        assert self.members(inspect, content) == [("name of twenty.o", TARGETS)]

    def test_an_empty_archive(self, inspect: Inspect) -> None:
        assert self.members(inspect, b"") == []

    def test_a_thin_archive_says_what_to_do(self, inspect: Inspect) -> None:
        with pytest.raises(HipportError, match="thin archive") as caught:
            inspect(b"!<thin>\n" + fabricate.member(b"a.o/", b""))
        assert caught.value.hint == "Inspect the object files themselves."

    @pytest.mark.parametrize("size", [b"-1", b"1e3", b"", b"9999999999"])
    def test_a_broken_size(self, inspect: Inspect, size: bytes) -> None:
        content = bytearray(fabricate.member(b"a.o/", b""))
        content[48:58] = size.ljust(10)
        with pytest.raises(HipportError, match="archive member"):
            inspect(b"!<arch>\n" + bytes(content))


class TestWhatIsNoBinary:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "empty"),
            (b"int main() {}", "not a binary"),
            (b"MZ\x90\0", "not a binary"),
            (b"\x7fELF\x01\x01\x01" + bytes(57), "32-bit"),
            (b"\x7fELF\x02\x02\x01" + bytes(57), "big-endian"),
            (b"\x7fELF", "past the end"),
        ],
    )
    def test_content(self, inspect: Inspect, content: bytes, message: str) -> None:
        with pytest.raises(HipportError, match=message):
            inspect(content)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(HipportError, match="not a regular file"):
            read(tmp_path)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(HipportError, match="no such file"):
            read(tmp_path / "absent")


def test_entries_are_values(inspect: Inspect) -> None:
    """Entries compare and hash by value, and do not keep the file mapped."""
    first, second = (inspect(fabricate.two_targets()).bundles[0].entries[1] for _ in range(2))
    assert isinstance(first, BundleEntry)
    assert first == second
    assert hash(first) == hash(second)
