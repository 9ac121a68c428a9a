"""Names of CUDA in all places of a program: each is translated, or reported by name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from hipport.mappings.entry import Kind
from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_LIKE_CUDA = re.compile(r"\b(?:cu|CU|nvrtc|nccl)\w+")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_STEP = 5
"""Each place gets every so many names of the tables, the next place others."""
_VALUES = (
    "int a# = @;",
    "switch (x) { case @: break; }",
    "template struct H<@>;",
    "#define ALIAS# @",
    "static const int b#[] = {@, ::@};",
    "enum { c# = @ };",
    "int d#(int v = @);",
    "if (r == @ || @ != r) f();",
    'std::map<int, const char*> e# = {{@, "@"}};',
    "return cond ? @ : 0;",
    "constexpr auto g# = (int)@ | 1;",
    "#if defined(FOO) && FOO == 1\nint h# = @;\n#endif",
    "LIST(@, 1)",
    "auto j# = [v = @] { return v; };",
    'static_assert(@ >= 0, "@");',
    "throw Error(@, __FILE__);",
)
_TYPES = (
    "using T# = @;",
    "template <typename T = @> struct X# {};",
    "static_assert(sizeof(@) > 0);",
    "void f#(std::vector<@>& v);",
    "auto g# = [](const @& x) { return sizeof(x); };",
    "typedef @ (*F#)(@*, int);",
    "#define TYPE# @",
    "#define MAKE#(n) @ n = {}",
    "auto h#() -> @*;",
    "class D# : public Base<@> {};",
    "decltype(@{}) k#;",
    "void l#(@ a[3], @ = {});",
    "friend struct Q<::@>;",
    'extern "C" @ n#(void);',
    "@\n o#;",
    "const\\\n @ p#;",
    "[[maybe_unused]] static @ s#{};",
    "try { } catch (const @& e) { }",
)
_FUNCTIONS = (
    "auto a# = &@;",
    "void* c# = (void*)@;",
    "#define CALL# @",
    "#define CALLS#(...) @(__VA_ARGS__)",
    "decltype(&@) d#;",
    "std::bind(@, p);",
    'static const Entry e# = {"@", (void*)@};',
    'check(@, "x");',
    "template <auto f = @> struct G# {};",
    "return ::@;",
)
_PLACES = [
    *((Kind.ENUMERATOR, place) for place in _VALUES),
    *((Kind.MACRO, place) for place in _VALUES),
    *((Kind.TYPE, place) for place in _TYPES),
    *((Kind.FUNCTION, place) for place in _FUNCTIONS),
]
_SUPPLIED = {"cudaMemLocationTypeHost", "cudaMemLocationTypeHostNuma", "cudaMemLocationTypeHostNumaCurrent"}
"""Names that hipport's headers define."""


@pytest.mark.parametrize("number", range(len(_PLACES)), ids=[f"{kind.value}: {place}" for kind, place in _PLACES])
def test_no_name_is_left_in_silence(number: int, tables: Tables) -> None:
    kind, place = _PLACES[number]
    names = [name for name, entry in tables.names.items() if entry.kind is kind and _left(name, tables)]
    chosen = names[number % _STEP :: _STEP]
    assert len(chosen) > 50
    result = convert_source(_source(place, chosen).encode(), "a.cu", Context(tables))
    reported = {word for each in result.diagnostics for word in re.findall(r"\w+", each.message)}
    kept = {name for name in _LIKE_CUDA.findall(_STRINGS.sub("", result.data.decode())) if _left(name, tables)}
    assert kept - reported <= _SUPPLIED


def _left(name: str, tables: Tables) -> bool:
    """Return whether a name must not be in a translation."""
    entry = tables.names.get(name)
    if entry is None or entry.ordinary or not _LIKE_CUDA.fullmatch(name):
        return False
    return entry.hip is None or entry.hip.name != name


def _source(place: str, names: Sequence[str]) -> str:
    """Return a use of each name; `@` is the name, `#` its number except in front of a directive."""
    first, rest = (place[0], place[1:]) if place.startswith("#") else ("", place)
    return "".join(f"{first}{rest.replace('#', str(i)).replace('@', name)}\n" for i, name in enumerate(names))
