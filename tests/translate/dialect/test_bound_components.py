"""References and pointers to components of all vector types, whose types differ in HIP for `char`, in many places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.translate.dialect.comparing import TYPES, Case, converted, refused

pytestmark = pytest.mark.toolchain

DECLARED = """\
typedef @S Element; using Other = @S;
struct Has {
  @V one; @V all[2];
  __device__ Element& first() { return one.@c; }
  __device__ Other* next() { return &all[1].@c; }
};
template <class T> __device__ void swapped(T& a, T& b) { T c = a; a = b; b = c; }
__device__ void take(@S& a, const @S* b, float c);
__device__ const @S& shown(const @V& v) { return v.@c; }
__device__ Element* pointed(@V* v, int i) { return i ? &v->@c : &(v[i].x); }
__device__ @S& chosen(@V& v, int i) { return i == 0 ? v.x : (v.@c); }
"""
FORMS = {
    "reference": "@S& a = v.@c; a = 3;",
    "parentheses": "@S& a(v.@c); @S* b(&p->@c); a = *b;",
    "braces": "Element& a{v.@c}; a = 3;",
    "const": "const @S& a = k.@c; const @S* b = &k.@c; v.x = a + *b;",
    "pointer": "@S *a = &v.@c, *b = &(p->x); a = &p[2].@c; Other* c; c = &(*p).@c; *a = *b + *c;",
    "argument": "take(v.@c, &p->@c, w.x); take(h.one.@c, &h.all[1].x, w.x);",
    "template": "@S a = v.@c; swapped(v.@c, a); swapped(a, p->@c);",
    "value": "@S a = v.@c, b = v.x + v.@c; int c = -v.@c; v.@c = a + b + c; auto& d = v.@c; d = 2;",
}


def cases(kinds: list[str]) -> list[Case]:
    found = []
    for kind in kinds:
        head = "__device__ void run(@V v, @V* p, const @V& k, Has& h, float4 w) {"
        for name, form in FORMS.items():
            text = f"{DECLARED}{head} {form} }}\n".replace("@c", "xyzw"[int(kind[-1]) - 1])
            found.append(Case(f"{kind} {name}", text.replace("@S", TYPES[kind]).replace("@V", kind), ""))
    return found


def test_all_vectors(tmp_path: Path) -> None:
    kinds = [kind for kind in TYPES if kind.startswith("char") or kind.endswith("3")]
    assert refused(tmp_path, cases(kinds), "device") == {}


def test_only_chars_are_cast() -> None:
    for kind in ("uchar4", "short2", "float4"):
        for case in cases([kind]):
            assert b"reinterpret_cast" not in converted(case.text).data, case.name
    values = next(case for case in cases(["char4"]) if case.name.endswith("value"))
    assert converted(values.text).data.decode().endswith(values.text[values.text.index("__device__ void run") :])


def test_what_is_not_seen_is_reported() -> None:
    specialized = "template <> struct Traits<char4> { typedef signed char type; };\n"
    for text, severity in ((specialized, "warning"), ("signed char char4::*member = &char4::x;\n", "error")):
        found = converted(text).diagnostics
        assert [(each.code, each.severity.value) for each in found] == [("HP127", severity)]
    for near in (
        "struct Traits<char4> { typedef char type; };\n",
        "struct Traits<uchar4> { typedef signed char type; };\n",
    ):
        assert not converted(f"void f(char4 v);\ntemplate <> {near}").diagnostics
