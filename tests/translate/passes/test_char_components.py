"""Components of char1 to char4 behind macros."""

from __future__ import annotations

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_SOURCE = """#define APP_INLINE inline
#define APP_SIDES __host__ __device__
APP_INLINE APP_SIDES signed char& select(char4& a, int c) { return c < 1 ? (c ? a.x : a.y) : a.z; }
APP_INLINE APP_SIDES char& take(char4& a) { return a.x; }
APP_INLINE APP_SIDES signed char value(char4& a) { return a.x; }
"""


def test_macros_in_front_of_the_type(tables: Tables) -> None:
    out = convert_source(_SOURCE.encode(), "a.cu", Context(tables)).data.decode()
    assert "return reinterpret_cast<signed char&>(c < 1 ? (c ? a.x : a.y) : a.z);" in out
    assert out.count("reinterpret_cast") == 1
