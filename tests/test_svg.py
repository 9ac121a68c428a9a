"""Pictures are well-formed XML with any text in them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from hipport.svg import picture, rect, text

_SPACE = "{http://www.w3.org/2000/svg}"
_WORDS = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), min_size=1)


@given(_WORDS, _WORDS, _WORDS, _WORDS)
def test_words_come_out_as_they_are(title: str, description: str, words: str, hover: str) -> None:
    elements = (text(1, 2.5, words, font_size=13, fill=words), rect(0, "1.50", 3, 4, hover, rx=3))
    root = ElementTree.fromstring(picture(10, 20, title, description, elements))
    assert [root.findtext(_SPACE + name) for name in ("title", "desc", "text")] == [title, description, words]
    line, last = root.find(f"{_SPACE}text"), root.findall(f"{_SPACE}rect")[-1]
    assert line is not None and line.attrib == {"x": "1", "y": "2.5", "font-size": "13", "fill": words}
    assert last.attrib == {"x": "0", "y": "1.50", "width": "3", "height": "4", "rx": "3"}
    assert last.findtext(f"{_SPACE}title") == hover


def test_attributes_keep_their_order_and_a_rectangle_without_a_hover_text_is_empty() -> None:
    assert text(1, 2, "a", fill="b", font_size=3) == '<text x="1" y="2" fill="b" font-size="3">a</text>'
    assert rect(1, 2, 3, 4, stroke="c") == '<rect x="1" y="2" width="3" height="4" stroke="c"/>'
