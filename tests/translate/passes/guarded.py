"""Generate files with declarations that are left out for AMD, in all spellings, between others that are not."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HEADER = """#pragma once
#include <cuda_runtime.h>
#include <cuda.h>
#include "macros.h"
#define HOST_DEVICE __host__ __device__
#define HD_INLINE inline __host__ __device__
#define NODISCARD [[nodiscard]]
#define ALIGNED(n) __attribute__((aligned(n)))
#define NOTHING
#define DECLARE(name) int name;
#define OPEN_SPACE(name) namespace name {
#define CLOSE_SPACE }
"""
FOREIGN = """#define FORCE_INLINE __forceinline__
#define MY_API
#define GPU_FUNC(x)
#define LIB_NAMESPACE_BEGIN
#define LIB_NAMESPACE_END
"""
"""`macros.h`, which the converted file includes: what its names stand for is not known there."""

_FIRST = ("[[nodiscard]]", "[[maybe_unused]]", "NODISCARD")
_SPECIFIERS = (
    *("__host__", "__forceinline__", "__inline__", "inline", "static", "constexpr", "__attribute__((unused))"),
    *("__attribute__ ((always_inline))", "HOST_DEVICE", "HD_INLINE", "NOTHING", "FORCE_INLINE", "MY_API"),
    *("GPU_FUNC(1)", "__noinline__", "__inline", "volatile_free", "__launch_bounds__(32, 1)"),
)
_GAPS = (" ", "  ", "\n", "\n\n  ", " /* a } comment; */ ", " // a { comment\n", "\t", " \\\n ", "\n/* two\n lines */")
_ENDS = (
    "\n",
    "\n\n",
    " ",
    "",
    "  // behind\n",
    " /* two\n lines */ ",
    "\n// alone; {\n",
    ";\n",
    "\r\n",
    " // joined \\\n on\n",
)
_OTHERS = (
    *(
        "int s{n};",
        "struct S{n} { int x; };",
        "namespace n{n} { int y; }",
        "\n#define M{n} 1\n",
        "\n#pragma hd_warning_disable\n",
    ),
    *('extern "C" void f{n}();', "template <typename T> struct T{n} {};", "static const int t{n}[] = {1, 2};"),
    *(
        "void g{n}() { }",
        "DECLARE(d{n})\n",
        "\n#if M\nint c{n};\n#endif\n",
        "\n#ifdef M\nint c{n};\n#else\nint e{n};\n#endif\n",
    ),
    *("using U{n} = int;", "\nLIB_NAMESPACE_BEGIN\n", "\nLIB_NAMESPACE_END\n", "enum E{n} { A{n} };", ""),
)
_AROUND = (
    *(("", ""), ("", ""), ("", ""), ("namespace m{n} {", "}"), ("namespace {\n", "\n}\n"), ('extern "C++" {\n', "}\n")),
    *(
        ("OPEN_SPACE(o{n})\n", "\nCLOSE_SPACE\n"),
        ("\n#if M\n", "\n#endif\n"),
        ("\n#ifndef M\n", "\n#else\nint z{n};\n#endif\n"),
    ),
)
_FRIENDS = (("class C{n} { int a; public:\n", "};"), ("struct F{n} {", "};"))


@dataclass(frozen=True)
class Piece:
    """A part of a file; `guarded` if it is a declaration to be left out for AMD."""

    text: str
    guarded: bool = False


@dataclass(frozen=True)
class Function:
    """A function to be left out for AMD: its type, its name with parameters, its body."""

    type: str
    declarator: str
    body: str
    anywhere: bool = False

    def written(self, draw: random.Random) -> str:
        """Return the function with its type in front or trailing, on one line or several."""
        gap = draw.choice(("\n", " "))
        if draw.random() < 0.15:
            return f"auto{gap}{self.declarator} -> {self.type}{gap}{self.body}"
        return f"{self.type}{gap}{self.declarator}{gap}{self.body}"


def _operator(draw: random.Random) -> Function:
    kind = draw.choice(("float", "int", "double", "uchar", "longlong")) + draw.choice("1234")
    symbol = draw.choice(("+", "-", "*", "/", "+=", "-=", "*=", "/=", "==", "!="))
    operands = draw.choice(
        (f"{kind} a, {kind} b", f"const {kind} &a, const {kind}& b", f"{kind} const& a,\n  {kind} b")
    )
    if draw.random() < 0.15:
        return Function(kind, f"operator{symbol}({operands})", ";", anywhere=True)
    components = "xyzw"[: int(kind[-1])]
    if "=" in symbol and symbol[0] not in "=!":
        steps = " ".join(f"a.{c} {symbol} b.{c};" for c in components)
        return Function(
            f"{kind} &", f"operator{symbol}({kind} &a, {kind} b)", f"{{ {steps} return a; }}", anywhere=True
        )
    terms = (" || " if symbol == "!=" else " && ").join(f"a.{c} {symbol} b.{c}" for c in components)
    if symbol not in ("==", "!="):
        terms = f"make_{kind}(" + ", ".join(f"a.{c} {symbol} b.{c}" for c in components) + ")"
    result = "bool" if symbol in ("==", "!=") else draw.choice((kind, f"::{kind}", f"const {kind}"))
    return Function(result, f"operator {symbol}({operands})", f"{{\n  return {terms};\n}}", anywhere=True)


def _atomic(draw: random.Random) -> Function:
    name, kind = draw.choice(("atomicMax", "atomicMin")), draw.choice(("float", "double"))
    return Function(kind, f"{name}({kind}* p, {kind} v)", "{ if (v > *p) { *p = v; }\n return v; }")


def _overload(draw: random.Random) -> Function:
    return Function(draw.choice(("const char*", "char const *")), "text(CUresult e)", "{ return name(e); }")


KINDS: dict[str, Callable[[random.Random], Function]] = {
    "operator": _operator,
    "atomic": _atomic,
    "overload": _overload,
}


def _specified(draw: random.Random, function: Function, *, friend: bool) -> str:
    """Return a function with all kinds of specifiers in any order, also inside `#if`, with blanks in between."""
    words = draw.sample(_SPECIFIERS, draw.randint(0, 4)) + ["__device__"] + ["friend"] * friend
    words = [word for word in words if word != "volatile_free"]
    draw.shuffle(words)
    words = ['extern "C++"'] * (not friend and draw.random() < 0.1) + draw.sample(_FIRST, draw.random() < 0.2) + words
    text = ""
    for word in words:
        conditional = draw.random() < 0.06
        text += f"\n#if M\n{word}\n#endif\n" if conditional else word + draw.choice(_GAPS)
    return text + function.written(draw)


def pieces(draw: random.Random, kind: str, count: int) -> Iterator[Piece]:
    """Yield declarations of a kind, alone or in a row, between others, in namespaces, conditions and classes."""
    for number in range(count):
        yield Piece(_numbered(draw.choice(_OTHERS), number) + draw.choice(("\n", " ", "\n\n")))
        row = [KINDS[kind](draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        friend = row[0].anywhere and draw.random() < 0.15
        before, behind = draw.choice(_FRIENDS if friend else _AROUND if row[0].anywhere else _AROUND[:1])
        yield Piece(_numbered(before, number))
        for function in row:
            yield Piece(_specified(draw, function, friend=friend), guarded=True)
            yield Piece(draw.choice(_ENDS))
        yield Piece(_numbered(behind, number) + "\n")


def _numbered(text: str, number: int) -> str:
    return text.replace("{n}", str(number))


_GUARD = re.compile(r"#if(?:ndef __HIP_PLATFORM_AMD__| !defined\(__HIP_PLATFORM_AMD__\) &&[^\n]*)  // [^\n]*\n")
_CONDITION = re.compile(r"[ \t]*#[ \t]*(if|endif)")
_COMMENT = re.compile(r"//(?:[^\n\\]|\\(?:\r?\n|.))*|/\*.*?\*/", re.DOTALL)


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, without comments and line continuations."""
    return re.findall(r"\w+|[^\w\s]", re.sub(r"\\\r?\n", "", _COMMENT.sub(" ", text)))


def without_guarded(text: str) -> tuple[str, list[str]]:
    """Split a text into what AMD's compiler sees and the parts that guards hide from it."""
    seen, hidden = "", list[str]()
    depth = 0
    for line in text.splitlines(keepends=True):
        condition = _CONDITION.match(line)
        if not depth and _GUARD.fullmatch(line.replace("\r", "")):
            depth = 1
            hidden.append("")
        elif depth:
            depth += {"if": 1, "endif": -1}[condition[1]] if condition else 0
            hidden[-1] += line if depth else ""
        else:
            seen += line
    return seen, hidden
