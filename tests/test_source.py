"""Bytes in, bytes out; edits and the line map."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.source import OverlappingEdits, Replace, SourceFile, Span, Wrap, apply, line_map, settled


@given(st.binary(max_size=200))
def test_any_bytes_come_back(data: bytes) -> None:
    source = SourceFile.decode(data, "x")
    assert source.encode(source.text) == data


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encoding_is_kept(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    source = SourceFile.decode(mark + "é cudaFree\n".encode(encoding), "x")
    assert source.text == "é cudaFree\n".encode()
    edited = source.encode(apply(source.text, [Replace(3, 11, "hipFree")]))
    assert edited == mark + "é hipFree\n".encode(encoding)


def test_position_counts_characters() -> None:
    source = SourceFile.decode("é\nçà cudaFree".encode(), "x")
    assert source.position(source.text.index(b"cuda")) == (2, 4)
    assert source.position(0) == (1, 1)


def test_wraps_nest_around_each_other_and_around_replacements() -> None:
    edits = [Replace(2, 3, "X"), Wrap(2, 3, "(", ")"), Wrap(1, 4, "[", "]"), Replace(1, 1, "f"), Wrap(2, 3, "<", ">")]
    assert apply(b"abcde", edits) == b"af[b(<X>)d]e"


def test_neighbouring_wraps_keep_apart() -> None:
    assert apply(b"ab", [Wrap(0, 1, "(", ")"), Wrap(1, 2, "[", "]"), Replace(1, 1, ",")]) == b"(a),[b]"


@pytest.mark.parametrize(
    "edits",
    [
        [Replace(0, 2, "x"), Replace(1, 3, "y")],
        [Replace(0, 2, "x"), Replace(0, 2, "y")],
        [Wrap(0, 2, "(", ")"), Wrap(1, 3, "[", "]")],
        [Replace(0, 3, "x"), Replace(1, 2, "y")],
    ],
)
def test_crossing_edits_raise(edits: list[Replace | Wrap]) -> None:
    with pytest.raises(OverlappingEdits):
        apply(b"abcd", edits)


def test_whole_replacement_voids_what_is_inside() -> None:
    edits = [Replace(1, 2, "x"), Wrap(1, 3, "(", ")"), Replace(0, 3, "gone", whole=True), Replace(3, 4, "D")]
    assert apply(b"abcd", edits) == b"goneD"


@given(
    st.lists(st.sampled_from(["keep", "drop", "insert", "join", "split"]), min_size=1, max_size=30),
    st.sampled_from(["", "\n"]),
)
def test_line_map_finds_every_line_that_stayed(plan: list[str], ending: str) -> None:
    text = "\n".join(f"line{number};" for number in range(1, len(plan) + 1)) + ending
    edits = []
    offset = 0
    for number, action in enumerate(plan, 1):
        line = f"line{number};\n"
        end = min(offset + len(line), len(text))
        if action == "drop":
            edits.append(Replace(offset, end, ""))
        elif action == "insert":
            edits.append(Replace(offset, offset, "new\nnew\n"))
        elif action == "split":
            edits.append(Replace(offset + 4, offset + 4, "\n"))
        offset = end
    edited = apply(text.encode(), edits).decode().split("\n")
    pairs = line_map(text.encode(), edits)
    assert pairs[0][0] == 1
    for number, line in enumerate(edited, 1):
        if line.startswith("line") and line.endswith(";"):
            start, origin = max(pair for pair in pairs if pair[0] <= number)
            assert f"line{origin + number - start};" == line


def test_insertions_beside_what_goes_stay() -> None:
    edits = [Replace(2, 4, "", whole=True), Replace(2, 2, "<"), Replace(3, 3, "gone"), Replace(4, 4, ">")]
    assert apply(b"abcdef", edits) == b"ab<>ef"


def test_kept_parts_of_a_replacement_are_edited() -> None:
    text = b"asm(f(cuX), cuX, cuXY)"
    kept = (Span(4, 10), Span(12, 15), Span(17, 21))
    whole = Replace(0, 22, "g(f(cuX), cuX, cuXY, cuXYZ)", whole=True, kept=kept)
    edits = [Replace(6, 9, "hipX"), Replace(12, 15, "hipX"), Wrap(17, 21, "int(", ")"), whole]
    assert apply(text, settled(text, edits)) == b"g(f(hipX), hipX, int(cuXY), cuXYZ)"
    assert apply(text, settled(text, [whole])) == whole.text.encode()
    assert settled(text, edits[:3]) == edits[:3]


def test_kept_parts_only_take_the_edits_inside() -> None:
    whole = Replace(2, 6, "[ab cd]", whole=True, kept=(Span(2, 4),))
    edits = [Replace(0, 2, "x"), Replace(4, 6, "y"), Replace(6, 8, "z"), whole]
    assert apply(b"..abcd..", settled(b"..abcd..", edits)) == b"x[ab cd]z"


def test_lines_are_inserted_in_front_of_what_else_is_inserted_there() -> None:
    edits = [Replace(2, 2, "[[nodiscard]] "), Replace(2, 2, "#include <a.h>\n"), Wrap(2, 5, "(", ")")]
    assert apply(b"x\nint f();\n", edits) == b"x\n#include <a.h>\n[[nodiscard]] (int) f();\n"
