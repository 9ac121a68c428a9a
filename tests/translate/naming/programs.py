"""Generated programs in which a project defines names that CUDA has, too.

A name that the project defines has a member `mine`, or makes something that has; uses of it ask for that. So a program
compiles only if each use and the definition that it means have the same name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

OWN = "struct Own {\n  constexpr void mine() const {}\n};\n"
CUDA = "#include <cuda_runtime.h>\n"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of CUDA name: declarations of it for the project, and uses of those, with `@` for the spelled name.

    `cudas` uses CUDA's entity, where `@` is unqualified or `::name`. `shared` uses either.
    """

    name: str
    declarations: dict[str, str]
    uses: dict[str, str]
    cudas: str
    shared: str
    plain: str
    is_macro: bool = False


_TYPE_USES = {
    "variable": "void f$n() { @ v; v.mine(); }",
    "parameter": "inline void f$n(@ v) { v.mine(); }",
    "pointer": "inline void f$n(@* v) { v->mine(); }",
    "argument": "template <class T> struct Box$n { T t; };\ninline void f$n() { Box$n<@>().t.mine(); }",
    "cast": "inline void f$n(void* p) { reinterpret_cast<@*>(p)->mine(); }",
    "alias": "using A$n = @;\ninline void f$n(A$n v) { v.mine(); }",
    "typedef": "typedef @ A$n;\ninline void f$n(A$n v) { v.mine(); }",
    "member": "struct S$n { @ m; void f() { m.mine(); } };",
    "size": 'static_assert(sizeof(@) == sizeof(Own), "");',
    "macro": "#define MAKE$n(T) T()\ninline void f$n() { MAKE$n(@).mine(); }",
    "body": "#define MADE$n @()\ninline void f$n() { MADE$n.mine(); }",
    "special": "template <class T> struct Is$n {};\ntemplate <> struct Is$n<@> { @ m; void f() { m.mine(); } };",
    "default": "template <class T = @> struct D$n { T t; void f() { t.mine(); } };",
    "lambda": "auto f$n = [](@ v) { v.mine(); };",
    "result": "inline @ f$n() { @ v = @(); v.mine(); return v; }",
}
_VALUE_USES = {
    "statement": "inline void f$n() { %.mine(); }",
    "argument": "inline void g$n(Own) {}\ninline void f$n() { g$n(%); }",
    "macro": "#define SAY$n(x) (x).mine()\ninline void f$n() { SAY$n(%); }",
    "body": "#define SAID$n %\ninline void f$n() { SAID$n.mine(); }",
    "deduced": "inline void f$n() { auto v = %; v.mine(); }",
    "returned": "inline Own f$n() { return %; }",
    "type": "inline void f$n() { decltype(%)().mine(); }",
    "member": "struct S$n { void f() { %.mine(); } };",
}


def _values(call: str) -> dict[str, str]:
    return {form: text.replace("%", f"@{call}") for form, text in _VALUE_USES.items()}


_TYPES = {
    "typedef": "typedef Own $name;",
    "using": "using $name = Own;",
    "struct": "struct $name { constexpr void mine() const {} };",
    "class": "class $name { public: constexpr void mine() const {} };",
    "template alias": "template <class T> using Of_$name = T;\nusing $name = Of_$name<Own>;",
}
_FUNCTIONS = {
    "function": "inline Own $name(Own o) { return o; }",
    "static": "static inline Own $name(Own o) { return o; }",
    "template": "template <class T> Own $name(T) { return Own(); }",
}
KINDS = {
    "type": Kind(
        "cudaStream_t", _TYPES, _TYPE_USES, "@ c$n = nullptr;", "inline void f$n(@) {}", "typedef void* $name;"
    ),
    "state": Kind("curandState", _TYPES, _TYPE_USES, "@ c$n;", "inline void f$n(@) {}", "typedef int $name;"),
    "function": Kind(
        "cudaFree", _FUNCTIONS, _values("(Own())"), "inline void c$n(void* p) { if (@(p) != cudaSuccess) return; }",
        "inline void f$n(void* p) { (void)@(p); }", "inline int $name(void*) { return 0; }",
    ),
    "intrinsic": Kind(
        "__trap", {"function": "inline Own $name() { return Own(); }"}, _values("()"), "inline void c$n() { @(); }",
        "inline void f$n() { @(); }", "inline void $name() {}",
    ),
    "enumerator": Kind(
        "cudaSuccess", {"constant": "static const Own $name = Own();"}, _values(""),
        "inline bool c$n(void* p) { return cudaFree(p) == @; }", "inline bool f$n(int v) { return v == @; }",
        "enum { $name };",
    ),
    "macro": Kind(
        "CUFFT_FORWARD", {"define": "#define $name Own()"}, _values(""), "", "static const int f$n = @;",
        "static const int $name = 1;", is_macro=True,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """Files by name; `main.cu` or `main.cpp` is compiled once for each of the `builds`, lists of macros to define."""

    title: str
    files: dict[str, str]
    builds: tuple[tuple[str, ...], ...] = ((),)


def programs() -> Iterator[Program]:
    """Yield all programs: kinds of names, forms of definitions, where these are, and forms of uses."""
    for label, kind in KINDS.items():
        for form, declaration in kind.declarations.items():
            for place, (files, spelled, around) in _places(kind, declaration).items():
                uses = "\n".join(_use(kind, use, spelled, n) for n, use in enumerate(kind.uses.values()))
                both = "" if kind.is_macro or place.startswith("file") else _use(kind, kind.cudas, "::" + kind.name, 99)
                text = around.replace("$USES", uses).replace("$CUDAS", both)
                yield Program(f"{label}-{form}-{place}", files | {"main.cu": text})
        yield from _substitutes(label, kind)
        yield from _shadows(label, kind)
        yield from _elsewhere(label, kind)
        yield from _pasted(label, kind)


def _use(kind: Kind, use: str, spelled: str, number: int) -> str:
    return use.replace("$n", str(number)).replace("@", spelled)


def _places(kind: Kind, declaration: str) -> dict[str, tuple[dict[str, str], str, str]]:
    """Return, by place: further files, how uses spell the name, and the text around uses."""
    made = declaration.replace("$name", kind.name)
    header = {"own.h": f"#pragma once\n{OWN}{made}\n"}
    found = {
        "file": ({}, kind.name, f"{OWN}{made}\n$USES\n"),
        "file header": (header, kind.name, '#include "own.h"\n$USES\n'),
    }
    if kind.is_macro:
        return found
    inside = f"namespace detail {{\n{made}\n}}\n"
    header = {"own.h": f"#pragma once\n{OWN}{inside}"}
    top, included = f"{CUDA}{OWN}{inside}", f'{CUDA}#include "own.h"\n'
    cases = {
        "qualified": ("detail::" + kind.name, "$USES\n$CUDAS\n"),
        "global": ("::detail::" + kind.name, "$USES\n$CUDAS\n"),
        "reopened": (kind.name, "namespace detail {\n$USES\n}\n$CUDAS\n"),
        "outer": ("detail::" + kind.name, "namespace outer {\n$USES\n}\n$CUDAS\n"),
        "alias": ("d::" + kind.name, "namespace d = detail;\n$USES\n$CUDAS\n"),
        "using": (kind.name, f"namespace other {{\nusing detail::{kind.name};\n$USES\n}}\n$CUDAS\n"),
        "inner": (kind.name, "namespace detail {\nnamespace inner {\n$USES\n}\n}\n$CUDAS\n"),
    }
    for place, (spelled, around) in cases.items():
        found[f"namespace {place}"] = ({}, spelled, top + around)
        found[f"namespace header {place}"] = (header, spelled, included + around)
    return found | _in_classes(kind, made)


def _in_classes(kind: Kind, made: str) -> dict[str, tuple[dict[str, str], str, str]]:
    if "template" in made or made.startswith("static const"):
        return {}
    static = "static " if kind.name in ("cudaFree", "__trap") else ""
    inside = f"struct Holder {{\n{static}{made.removeprefix('static ')}\nvoid work();\n}};\n"
    header = {"own.h": f"#pragma once\n{OWN}{inside}"}
    top, included = f"{CUDA}{OWN}{inside}", f'{CUDA}#include "own.h"\n'
    value = {"cudaFree": f"{kind.name}(Own()).mine();", "__trap": f"{kind.name}().mine();"}
    body = value.get(kind.name, f"{kind.name} v; v.mine();")
    cases = {
        "qualified": ("Holder::" + kind.name, "$USES\n$CUDAS\n"),
        "function": ("Holder::" + kind.name, f"void Holder::work() {{ {body} }}\n$USES\n$CUDAS\n"),
        "derived": (
            "Holder::" + kind.name,
            f"struct Derived : public Holder {{ void more() {{ {body} }} }};\n$USES\n$CUDAS\n",
        ),
    }
    found: dict[str, tuple[dict[str, str], str, str]] = {}
    for place, (spelled, around) in cases.items():
        found[f"class {place}"] = ({}, spelled, top + around)
        found[f"class header {place}"] = (header, spelled, included + around)
    return found


_CONDITIONS = {
    "option": ("#ifdef WITH_CUDA", "#else", (("WITH_CUDA",), ())),
    "not": ("#ifndef NO_CUDA", "#else", ((), ("NO_CUDA",))),
    "value": ("#if USE_GPU", "#else", (("USE_GPU=1",), ())),
    "both": ("#if defined(WITH_CUDA) && !defined(CPU_ONLY)", "#else", (("WITH_CUDA",), ())),
}


def _substitutes(label: str, kind: Kind) -> Iterator[Program]:
    """Yield programs that define a name for builds without CUDA."""
    plain = kind.plain.replace("$name", kind.name)
    forms = {"declared": plain, "macro": f"#define {kind.name} {_REPLACED[label]}"}
    uses = _use(kind, kind.shared, kind.name, 1) + "\n" + _use(kind, f"#define BODY {kind.shared}\nBODY", kind.name, 2)
    if "(" not in kind.shared:
        uses += f"\n#define TWICE(x) (x)\nstatic const int g = TWICE({kind.name});"
    for (condition, (test, other, builds)), (form, text) in itertools.product(_CONDITIONS.items(), forms.items()):
        both = f"{test}\n{CUDA}{other}\n{text}\n#endif\n"
        title = f"{label}-substitute-{form}-{condition}"
        yield Program(title, {"main.cpp": f"{both}{uses}\n"}, builds)
        yield Program(
            f"{title}-header", {"api.h": f"#pragma once\n{both}", "main.cpp": f'#include "api.h"\n{uses}\n'}, builds
        )
        guarded = f"{test}\n{CUDA}#endif\n#ifndef {kind.name}\n{text}\n#endif\n"
        if kind.is_macro:
            yield Program(f"{title}-ifndef", {"main.cpp": f"{guarded}{uses}\n"}, builds)
        files = {
            "api.h": f'#pragma once\n{test}\n{CUDA}{other}\n#include "without.h"\n#endif\n',
            "without.h": f"#pragma once\n{text}\n",
            "main.cpp": f'#include "api.h"\n{uses}\n',
        }
        yield Program(f"{title}-stand-in", files, builds)


_REPLACED = {
    "type": "void*",
    "state": "int",
    "function": "(int)sizeof",
    "intrinsic": "(void)sizeof(int)",
    "enumerator": "0",
    "macro": "1",
}
_REPLACED["intrinsic"] = "[] {}"


def _shadows(label: str, kind: Kind) -> Iterator[Program]:
    """Yield programs with parameters, variables, members and template parameters called like a CUDA name."""
    if kind.is_macro:
        return
    name = kind.name
    forms = {
        "parameter": f"inline void a(Own {name}) {{ {name}.mine(); }}",
        "local": f"inline void a() {{ Own {name}; {name}.mine(); }}",
        "member": f"struct M {{ Own {name}; void f() {{ {name}.mine(); this->{name}.mine(); }} }};\n"
        f"inline void a(M m, M* p) {{ m.{name}.mine(); p->{name}.mine(); }}",
        "initialized": f"struct M {{ Own {name}; M() : {name}() {{ {name}.mine(); }} void f(); }};\n"
        f"void M::f() {{ {name}.mine(); }}",
        "template": f"template <class {name}> void a({name} v) {{ v.mine(); }}",
        "lambda": f"auto a = [](Own {name}) {{ {name}.mine(); }};",
        "capture": f"auto a = [{name} = Own()] {{ {name}.mine(); }};",
        "loop": f"inline void a(Own (&all)[2]) {{ for (auto {name} : all) {name}.mine(); }}",
        "binding": f"struct P {{ Own x, y; }};\ninline void a(P p) {{ auto [{name}, b] = p; {name}.mine(); }}",
        "macro parameter": f"#define CALL({name}) ({name}).mine()\ninline void a(Own o) {{ CALL(o); }}",
        "scoped enumerator": f"enum class E {{ {name} }};\ninline E a() {{ return E::{name}; }}",
        "label": f"inline void a(int n) {{ {name}: if (n-- > 0) goto {name}; }}",
        "anonymous": f"namespace n {{ namespace {{ Own {name}; }}\ninline void a() {{ {name}.mine(); }} }}",
    }
    for form, text in forms.items():
        after = _use(kind, kind.cudas, name, 5)
        yield Program(f"{label}-shadow-{form}", {"main.cu": f"{CUDA}{OWN}{text}\n{after}\n"})


def _elsewhere(label: str, kind: Kind) -> Iterator[Program]:
    """Yield programs that define a name for an older CUDA, or in a file that `main.cu` does not include."""
    if not kind.cudas:
        return
    uses = _use(kind, kind.cudas, kind.name, 1) + "\n" + _use(kind, kind.cudas, f"::{kind.name}", 2)
    forms = {"declared": kind.plain.replace("$name", kind.name), "macro": f"#define {kind.name} {_REPLACED[label]}"}
    for form, text in forms.items():
        for number, test in enumerate(_NEVER):
            both = f"{CUDA}#{test}\n{text}\n#endif\n"
            yield Program(f"{label}-never-{form}-{number}", {"main.cu": f"{both}{uses}\n"})
            files = {"old.h": f"#pragma once\n{both}", "main.cu": f'#include "old.h"\n{uses}\n'}
            yield Program(f"{label}-never-{form}-{number}-header", files)
        other = {"cpu/ops.h": f"#pragma once\n{text}\n", "cpu/ops.cpp": '#include "ops.h"\n'}
        main = f'{CUDA}#include "ops.h"\n{uses}\n'
        yield Program(f"{label}-other-{form}", {**other, "main.cu": f"{CUDA}{uses}\n"})
        yield Program(f"{label}-namesake-{form}", {**other, "ops.h": "#pragma once\n", "main.cu": main})
        guarded = f'{CUDA}#ifndef __CUDACC__\n#include "cpu/ops.h"\n#endif\n{uses}\n'
        yield Program(f"{label}-aside-{form}", {**other, "main.cu": guarded})
    brought = f"namespace api {{\nusing ::{kind.name};\n}}\n"
    uses = _use(kind, kind.cudas, f"api::{kind.name}", 1) + "\n" + _use(kind, kind.cudas, kind.name, 2)
    yield Program(f"{label}-brought", {"main.cu": f"{CUDA}{brought}{uses}\n"})
    again = "namespace g = api;\n" + _use(kind, kind.cudas, f"g::{kind.name}", 3)
    files = {"api.h": f"#pragma once\n{CUDA}{brought}", "main.cu": f'#include "api.h"\n{uses}\n{again}\n'}
    yield Program(f"{label}-brought-header", files)


_NEVER = (
    "if CUDART_VERSION < 9000",
    "if !defined(CUDART_VERSION) || (CUDART_VERSION < 8000)",
    "if defined(_MSC_VER) || defined(__INTELLISENSE__)",
    "ifndef __CUDACC__",
    "if 0",
)


def _pasted(label: str, kind: Kind) -> Iterator[Program]:
    """Yield programs in which macros paste names together."""
    if not kind.name.startswith("cuda"):
        return
    paste = "#define CAT(a, b) a##b\n#define CUDA_NAME(b) cuda##b\n"
    for spelled in (f"CAT(cuda, {kind.name[4:]})", f"CUDA_NAME({kind.name[4:]})"):
        form = spelled.partition("(")[0]
        uses = "\n".join(_use(kind, kind.cudas, each, number) for number, each in enumerate((spelled, kind.name)))
        yield Program(f"{label}-pasted-{form}", {"main.cu": f"{CUDA}{paste}{uses}\n"})
        made = next(iter(kind.declarations.values())).replace("$name", kind.name)
        uses = "\n".join(_use(kind, use, spelled, number) for number, use in enumerate(kind.uses.values()))
        yield Program(f"{label}-pasted-own-{form}", {"main.cu": f"{OWN}{made}\n{paste}{uses}\n"})
