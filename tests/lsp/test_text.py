"""Places of the protocol and of hipport in a text, and edits at them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.lsp.text import Place, Text
from hipport.source import SourceFile

ENCODINGS = ("utf-8", "utf-16", "utf-32")
UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CONTENTS = st.text(st.sampled_from("ab\n\r\té\u2028\f\x0b\u0085😀\U0001f680\ud800"), max_size=30)
POSITIONS = st.tuples(st.integers(0, 12), st.integers(0, 12))


def units(text: str, encoding: str) -> int:
    return len(text.encode(f"{encoding}-le" if encoding != "utf-8" else encoding, "surrogatepass")) // UNITS[encoding]


def model(content: str, place: Place, encoding: str) -> int:
    """Return the offset of a place, found by walking through the text."""
    line = at = 0
    while line < place[0]:
        if at >= len(content):
            return len(content)
        ends = content.startswith("\r\n", at)
        line += ends or content[at] in "\r\n"
        at += 1 + ends
    taken = 0
    while at < len(content) and content[at] not in "\r\n":
        taken += units(content[at], encoding)
        if taken > place[1]:
            break
        at += 1
    return at


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(content=CONTENTS, place=POSITIONS)
def test_offsets_of_places(encoding: str, content: str, place: Place) -> None:
    assert Text(content, encoding).offset(place) == model(content, place, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(content=CONTENTS)
def test_a_place_leads_back_to_its_offset(encoding: str, content: str) -> None:
    text = Text(content, encoding)
    for offset in range(len(content) + 1):
        if content[offset - 1 : offset + 1] != "\r\n":  # no place between the two
            assert text.offset(text.place(offset)) == offset


@given(content=CONTENTS)
def test_lines_and_columns_are_those_of_sources(content: str) -> None:
    text = Text(content)
    source = SourceFile.decode(text.data, "")
    for offset in range(len(content) + 1):
        line, column = source.position(len(content[:offset].encode("utf-8", "replace")))
        inside = offset <= text.line_end(line)
        assert text.offset_of(line, column) == (offset if inside else text.line_end(line))


def test_a_byte_order_mark_is_no_column() -> None:
    text = Text("\ufeffab\nc")
    assert (text.offset_of(1, 1), text.offset_of(1, 2), text.offset_of(2, 1)) == (1, 2, 4)


def test_lines_end_as_the_protocol_says() -> None:
    text = Text("a\fb\u2028c\r\nd\re")
    assert [text.place(text.content.index(letter))[0] for letter in "abcde"] == [0, 0, 0, 1, 2]
    assert (text.line_end(1), text.line_end(2)) == (5, 10)


def test_surrogates_alone_are_one_character_of_the_data() -> None:
    assert Text("a\ud800b").data == b"a?b"


@given(content=CONTENTS, start=POSITIONS, end=POSITIONS, new=CONTENTS)
def test_edits_replace_what_is_between_places(content: str, start: Place, end: Place, new: str) -> None:
    first, last = sorted((model(content, start, "utf-16"), model(content, end, "utf-16")))
    assert Text(content).edited(start, end, new).content == content[:first] + new + content[last:]
