from __future__ import annotations

import base64
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.report.displayable import json_name, shown


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("src/a b-ü-漢-😀.cu", "src/a b-ü-漢-😀.cu"),
        ("a\nb\tc\x1b[2J\x7f", r"a\nb\tc\x1b[2J\x7f"),
        (os.fsdecode(b"l\xe4tin"), r"l\xe4tin"),
        ("a\u202eb\u2028\x85", r"a\u202eb\u2028\x85"),
    ],
)
def test_shown(text: str, line: str) -> None:
    assert shown(text) == line


@given(st.text())
def test_shown_is_one_line_that_can_be_encoded(text: str) -> None:
    line = shown(text)
    assert line.encode() and len(line.splitlines()) == 1 if text else line == ""


@given(st.binary().map(os.fsdecode))
def test_json_keeps_every_byte_of_a_name(path: str) -> None:
    name = json.loads(json.dumps(json_name("path", path)))
    text = name["path"].encode()  # raises for lone surrogates, which other JSON parsers refuse
    assert (base64.b64decode(name["path_base64"]) if "path_base64" in name else text) == os.fsencode(path)
