"""Macros of the headers that translations include: none removes another's."""

from __future__ import annotations

import re
from pathlib import Path

HEADERS = Path(__file__).parents[2] / "hipport/include/hipport"
_DEFINED = re.compile(r"^\s*#\s*define\s+(HIPPORT_\w+)", re.MULTILINE)
_REMOVED = re.compile(r"^\s*#\s*undef\s+(HIPPORT_\w+)", re.MULTILINE)


def test_no_header_removes_a_macro_that_another_leaves_for_its_users() -> None:
    texts = [path.read_text() for path in sorted(HEADERS.rglob("*.h"))]
    left = {name for text in texts for name in set(_DEFINED.findall(text)) - set(_REMOVED.findall(text))}
    removed = {name for text in texts for name in _REMOVED.findall(text)}
    assert len(left) > 50 and len(removed) > 20
    assert not left & removed
