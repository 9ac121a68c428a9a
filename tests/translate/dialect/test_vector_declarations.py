"""Declarations of vectors: types x braces x places, structured bindings, constants and the like.

Each case computes CUDA's values after the translation, or is reported.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared import EVERYTHING
from tests.translate.dialect.comparing import TYPES, Case, components, outcomes

pytestmark = pytest.mark.toolchain


def _numbers(first: int, count: int) -> str:
    return ", ".join(str(first + index) for index in range(count))


def _braces(kind: str) -> dict[str, str]:
    """Return what can stand for a vector in braces."""
    names, width = components(kind), int(kind[-1])
    part = _numbers(1, width - 1) or "9"
    return {
        "one": "{1}",
        "fraction": "{2.5}" if TYPES[kind] in ("float", "double") else "{7}",
        "zero": "{0}",
        "empty": "{}",
        "part": f"{{{part}}}",
        "comma": f"{{{part},}}",
        "full": f"{{{_numbers(1, width)}}}",
        "last": f"{{.{names[-1]} = 3}}",
        "designated": "{" + ", ".join(f".{name} = {index + 1}" for index, name in enumerate(names)) + "}",
        "parenthesized": "{(1)}",
    }


PLACES = {
    "direct": ("", "@T v@i; show(v);"),
    "copied": ("", "@T v = @i; show(v);"),
    "constant": ("", "const @T v@i; show(v);"),
    "static": ("", "static const @T v = @i; show(v);"),
    "two variables": ("", "@T u, v@i, w = @i; show(v); show(w);"),
    "temporary": ("", "show(@T@i);"),
    "assign": ("", "@T v; v = @i; show(v);"),
    "array": ("", "@T v[2] = {@i, @i}; show(v[0]); show(v[1]);"),
    "part of an array": ("", "@T v[3] = {@i}; show(v[0]); show(v[1]);"),
    "array without length": ("", "@T v[]{@i, @i}; show(v[0]); show(v[1]);"),
    "returned": ("@T f() { return @i; }\n", "show(f());"),
    "temporary returned": ("@T f() { return @T@i; }\n", "show(f());"),
    "trailing type": ("auto f() -> @T { return @i; }\n", "show(f());"),
    "argument": ("@T f(@T v) { return v; }\n", "show(f(@i));"),
    "reference": ("@T f(const @T& v, int) { return v; }\n", "show(f(@i, 2));"),
    "default": ("@T f(@T v = @i) { return v; }\n", "show(f());"),
    "member": ("struct S { @T v = @i; };\n", "S s; show(s.v);"),
    "member, direct": ("struct S { int k; @T v@i; };\n", "S s; show(s.v);"),
    "constructor": ("struct S { @T v; S() : v@i {} };\n", "S s; show(s.v);"),
    "struct": ("struct S { @T v; int k; };\n", "S s = {@i, 5}; show(s.v); show(s.k);"),
    "struct, direct": ("struct S { int k; @T v; };\n", "S s{5, @i}; show(s.v); show(s.k);"),
    "array of structs": ("struct S { int k; @T v; };\n", "S s[2] = {{5, @i}, {6, @i}}; show(s[1].v); show(s[0].k);"),
    "new": ("", "@T* p = new @T@i; show(*p);"),
    "constexpr": ("", "constexpr @T v@i; @T w = v; show(w);"),
    "global": ("__constant__ @T g = @i;\n", "show(g);"),
    "typedef": ("typedef @T vec;\n", "vec v = @i; show(v); show(vec@i);"),
    "using": ("using vec = @T;\n", "vec v = @i; show(v); show(vec@i);"),
    "template": ("template <typename V> V f() { V v = @i; return v; }\n", "show(f<@T>());"),
    "template, direct": ("template <typename V> V f() { return V@i; }\n", "show(f<@T>());"),
    "lambda": ("", "auto f = []() -> @T { return @i; }; show(f());"),
    "condition": ("", "bool b = true; @T v = b ? @T@i : @T{}; show(v);"),
    "second argument": ("@T g(int, @T v) { return v; }\n", "show(g(1, @T@i));"),
}
"""Declarations and statements with a vector type `@T` and its braces `@i`."""


def _in_places(kind: str) -> Iterator[Case]:
    for braces, text in _braces(kind).items():
        for place, parts in PLACES.items():
            before, run = (part.replace("@T", kind).replace("@i", text) for part in parts)
            yield Case(f"{kind} {braces}, {place}", before, run)


OTHERS = {
    "static member": ("struct S { static const @T v; };\nconst @T S::v = {1};\n", "show(S::v);"),
    "std::array": ("#include <array>\n", "std::array<@T, 2> v = {{{1}, {2}}}; show(v[0]); show(v[1]);"),
    "std::array without braces": ("#include <array>\n", "std::array<@T, 2> v{@two}; show(v[0]); show(v[1]);"),
    "std::vector": ("#include <vector>\n", "std::vector<@T> v = {{1}, {2}}; show(v[0]); show(v[1]);"),
    "a copy": ("", "@T u = make_@T(@full1); @T v{u}, w = {u}, x[2] = {{u}, u}; show(v); show(w); show(x[0]);"),
    "a cast": ("", "@T u = make_@T(@full1); @T v{*reinterpret_cast<const @T*>(&u)}; show(v);"),
    "an element": ("", "@e f[4] = {1, 2, 3, 4}; @T v{f[1]}; show(v);"),
    "a call": ("@e f(int n) { return n; }\n", "@T v{f(2)}; show(v);"),
    "a product": ("", "@T u = make_@T(@full1); @T v{u.x * 2}; show(v);"),
    "a template's argument": ("template <typename S> @T f(S s) { @T v{s}; return v; }\n", "show(f((@e)1));"),
    "a loop": ("", "for (@T v = {1}, w{2}; v.x < 2; v.x += 1) { show(v); show(w); }"),
    "nested structs": (
        "struct S { @T v; int k; }; struct R { S s[2]; @T w; };\n",
        "R r = {{{@full1, 5}, {{2}}}, {3}}; show(r.s[1].v); show(r.w);",
    ),
    "elide2": ("", "@T v[2] = {@two}; show(v[0]); show(v[1]);"),
    "elide2[]": ("", "@T v[] = {@two}; show(v[0]); show(v[1]);"),
    "elide2g": ("__constant__ @T v[] = {@two};\n", "show(v[0]); show(v[1]);"),
    "elidepart": ("", "@T v[3] = {@full1, 5}; show(v[0]); show(v[1]); show(v[2]);"),
    "elidezero": ("", "@T v[3] = {0}; show(v[0]); show(v[1]); show(v[2]);"),
    "elideone": ("", "@T v[3] = {1}; show(v[0]); show(v[1]); show(v[2]);"),
    "elidemix": ("", "@T v[2] = {@full1, {@full3}}; show(v[0]); show(v[1]);"),
    "elidevec": ("", "@T u = make_@T(@full1); @T v[3] = {u, @full4, u}; show(v[0]); show(v[1]); show(v[2]);"),
    "elide2d": ("", "@T v[2][2] = {@two, @two}; show(v[0][1]); show(v[1][1]);"),
    "2d": ("", "@T v[2][2] = {{{1}, {2}}, {{3}}}; show(v[0][1]); show(v[1][1]); show(v[0][0]);"),
    "elidestruct": ("struct S { @T v; int k; };\n", "S s = {@full1, 7}; show(s.v); show(s.k);"),
    "elidestruct2": (
        "struct S { int k; @T v; };\n",
        "S s[2] = {{7, @full1}, {8}}; show(s[0].v); show(s[1].k); show(s[1].v);",
    ),
    "structdes": ("struct S { int k; @T v; };\n", "S s = {.k = 2, .v = {1}}; show(s.v); show(s.k);"),
    "arrmember": ("struct S { @T v[2]; };\n", "S s = {{@two}}; show(s.v[1]);"),
    "bind auto": ("", "@T v = make_@T(@full1); auto [@b] = v; @show"),
    "bind const auto": ("", "@T v = make_@T(@full1); const auto [@b] = v; @show"),
    "bind auto&": ("", "@T v = make_@T(@full1); auto& [@b] = v; @show"),
    "bind const auto&": ("", "@T v = make_@T(@full1); const auto& [@b] = v; @show"),
    "bind auto&&": ("", "auto&& [@b] = make_@T(@full1); @show"),
    "bind call": ("@T f() { return make_@T(@full1); }\n", "auto [@b] = f(); @show"),
    "bind for": ("", "@T v[2]; v[0] = v[1] = make_@T(@full1); for (auto [@b] : v) { @show }"),
    "bind write": ("", "@T v = make_@T(@full1); auto& [@b] = v; a = 9; show(v);"),
    "ptrmem": ("", "@T v = make_@T(@full1); @e @T::*p = &@T::@last; show(v.*p);"),
    "ptrmemauto": ("", "@T v = make_@T(@full1); auto p = &@T::@last; show(v.*p);"),
    "ptrmemtmpl": (
        "template <@e @T::*M> @e g(@T v) { return v.*M; }\n",
        "@T v = make_@T(@full1); show(g<&@T::@last>(v));",
    ),
    "ptrmemarg": ("@e g(@T v, @e @T::*M) { return v.*M; }\n", "@T v = make_@T(@full1); show(g(v, &@T::@last));"),
    "ptrmemtbl": ("static @e @T::* const m[] = {&@T::@last};\n", "@T v = make_@T(@full1); show(v.*m[0]);"),
    "cexpr static_assert": ("", "constexpr @T v{@full1}; static_assert(v.x == 1); show(v.x);"),
    "cexpr int": ("", "constexpr @T v{@full1}; constexpr int k = v.x; show(k);"),
    "cexpr array": ("", "constexpr @T v[2] = {{@full1}, {@full1}}; show(v[1].x);"),
    "cexpr fn": ("constexpr @T f() { return {@full1}; }\n", "constexpr @T v = f(); show(@T(v));"),
    "cexpr size": ("", "constexpr @T v{@full1}; int a[int(v.x)]; show((int)sizeof(a));"),
    "cexpr write": ("constexpr @T f() { @T v{}; v.x = 3; return v; }\n", "constexpr auto v = f(); show(@T(v));"),
    "union": ("union U { @T v; @e f[@n]; };\n", "U u, w; u.v = make_@T(@full1); w = u; show(w.f[0]);"),
    "structcopy": ("struct S { @T v; };\n", "S s, w; s.v = make_@T(@full1); w = s; show(w.v);"),
    "volatile": ("", "volatile @T v; v.x = 1; show((@e)v.x);"),
    "addr": ("", "@T v = make_@T(@full1); @e* p = &v.x; show(p[@m]);"),
    "ref": ("", "@T v = make_@T(@full1); @e& p = v.x; p = 3; show(v);"),
    "inherit": ("struct V : @T {};\n", "V v; v.x = 1; @T w = v; show(w.x);"),
    "inherit2": ("struct V : @T { V(@e k) { x = k; } };\n", "V v(1); show(v.x);"),
    "cast": ("", "@e f[4] = {1, 2, 3, 4}; @T v = *(@T*)f; show(v);"),
    "spec": (
        "template <typename V> struct K { static const int value = 1; };\n"
        "template <> struct K<@T> { static const int value = 2; };\n",
        "show(K<@T>::value);",
    ),
    "specvar": (
        "template <typename V> constexpr V zero{}; template <> constexpr @T zero<@T> = {0};\n",
        "show(zero<@T>);",
    ),
    "fwd": ("struct @T;\n", "show(1);"),
    "elab": ("", "struct @T v = make_@T(@full1); show(v);"),
    "fn ptr": ("", "@T (*f)(@es) = make_@T; show(f(@full1));"),
    "swap": ("", "@T v = make_@T(@full1), w = make_@T(@full5); @T t = v; v = w; w = t; show(v); show(w);"),
}


_ADDRESSES = frozenset({"addr", "ref", "ptrmem", "ptrmemtmpl", "ptrmemarg", "ptrmemtbl"})
"""Left out for `char4` and its like: their components are `signed char` in CUDA and `char` in HIP."""


def _others(kind: str) -> Iterator[Case]:
    names, width, element = components(kind), int(kind[-1]), TYPES[kind]
    words = {f"@full{first}": _numbers(first, width) for first in (1, 3, 4, 5, 10)}
    words |= {"@two": f"{_numbers(1, width)}, {_numbers(10, width)}", "@b": ", ".join("abcd"[:width])}
    words |= {"@show": " ".join(f"show({name});" for name in "abcd"[:width]), "@last": names[-1]}
    words |= {"@es": ", ".join([element] * width), "@T": kind, "@e": element, "@n": str(width), "@m": str(width - 1)}
    for name, parts in OTHERS.items():
        if element == "signed char" and name in _ADDRESSES:
            continue
        before, run = parts
        for word, text in words.items():
            before, run = before.replace(word, text), run.replace(word, text)
        yield Case(f"{kind}: {name}", before, run)


def cases(kinds: list[str]) -> list[Case]:
    return [case for kind in kinds for case in (*_in_places(kind), *_others(kind))]


def _check(folder: Path, chosen: list[Case]) -> None:
    for case, wanted, outcome in outcomes(folder, chosen):
        assert outcome.reported or (not outcome.errors and outcome.shown == wanted), (case, wanted, outcome)


def test_a_sample_of_declarations(tmp_path: Path) -> None:
    _check(tmp_path, random.Random(3).sample(cases(["float4", "int2", "uchar3", "double1"]), 200))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_declarations_of_all_types(part: int, tmp_path: Path) -> None:
    chosen = cases(list(TYPES)[part::4])
    assert len(chosen) > 4000
    _check(tmp_path, random.Random(part).sample(chosen, 1500 if EVERYTHING else 400))


def test_few_are_reported(tmp_path: Path) -> None:
    """Whatever the type of the variable tells is translated."""
    chosen = [case for case in _in_places("float4") if "template" not in case.name]
    assert not [case for case, _, outcome in outcomes(tmp_path, chosen) if outcome.reported]
