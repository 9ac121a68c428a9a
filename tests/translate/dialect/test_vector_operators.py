"""Operators that a project defines for vector types: types x symbols x bodies x parameters x numbers.

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

SATURATE = "template <typename T> __host__ __device__ T sat(T v) { return v < 0 ? 0 : v > 7 ? 7 : v; }\n"
ATTRIBUTES = (
    "__host__ __device__ inline",
    "inline __host__ __device__",
    "static __inline__ __host__ __device__",
    "__host__\n__device__ __forceinline__\n",
    "static inline\n__device__ /* } */ __host__",
)
NUMBERS = {
    "float": ("0.5f", "0.5", "2", "2u", "'a'", "true", "2ll"),
    "int": ("2", "2.9", "2u", "(short)2", "2.9f"),
    "double": ("0.5f", "2", "0.5"),
    "unsigned char": ("2", "3.5f", "(char)2"),
}


def _value(kind: str, first: int) -> str:
    return f"make_{kind}(" + ", ".join(str(first + index) for index in range(len(components(kind)))) + ")"


def _bodies(kind: str, symbol: str) -> Iterator[tuple[str, str]]:
    """Yield bodies that do what HIP's operator does, and others that look like them."""
    element, terms = TYPES[kind], [f"a.{name} {symbol} b.{name}" for name in components(kind)]
    cast = [f"static_cast<{element}>({term})" for term in terms]
    steps = " ".join(f"r.{name} = {term};" for name, term in zip(components(kind), terms, strict=True))
    yield "make", f"return make_{kind}({', '.join(terms)});"
    yield "cast", f"return make_{kind}({', '.join(f'({element})({term})' for term in terms)});"
    yield "braces", f"return {{{', '.join(cast)}}};"
    yield "typed", f"const auto r = {kind}{{{', '.join(cast)}}}; return r;"
    yield "steps", f"{kind} r; {steps} return r;"
    yield "saturating", f"return make_{kind}({', '.join(f'sat({term})' for term in terms)});"
    yield "reversed", f"return make_{kind}({', '.join(reversed(terms))});"
    yield "halved", f"return make_{kind}({', '.join(f'({term}) / 2' for term in terms)});"
    yield "unused", f"{'; '.join(terms)}; return a;"


def _binary(kind: str, symbol: str) -> Iterator[Case]:
    show = f"show({_value(kind, 5)} {symbol} {_value(kind, 2)});"
    for operands in (f"{kind} a, {kind} b", f"const {kind}& a, const {kind} &b", f"{kind} a, {kind} const& b"):
        for name, body in _bodies(kind, symbol):
            text = f"{kind} operator{symbol}({operands}) {{ {body} }}\n"
            yield Case(f"{name}: {operands.replace(', ', f' {symbol} ')}", text, show)
    dot = " + ".join(f"a.{name} {symbol} b.{name}" for name in components(kind))
    yield Case(
        f"dot {kind} {symbol}", f"{TYPES[kind]} operator{symbol}({kind} a, {kind} b) {{ return {dot}; }}\n", show
    )


def _assigning(kind: str, symbol: str) -> Iterator[Case]:
    run = f"{kind} v = {_value(kind, 5)}; v {symbol}= {_value(kind, 2)}; show(v);"
    plain = "; ".join(f"a.{name} {symbol}= b.{name}" for name in components(kind))
    saturating = "; ".join(f"a.{name} = sat(a.{name} {symbol} b.{name})" for name in components(kind))
    for name, body in (("plain", plain), ("saturating", saturating)):
        for result, back in (("void", ""), (f"{kind}&", "return a;")):
            text = f"{result} operator{symbol}=({kind} &a, {kind} b) {{ {body}; {back} }}\n"
            yield Case(f"{name} {result} {kind} {symbol}=", text, run)


def _comparing(kind: str) -> Iterator[Case]:
    for symbol in ("==", "!="):
        for join in ("&&", "||"):
            terms = f" {join} ".join(f"a.{name} {symbol} b.{name}" for name in components(kind))
            text = f"bool operator{symbol}({kind} a, {kind} b) {{ return {terms}; }}\n"
            for more in (0, 1):
                run = f"{kind} v = {_value(kind, 5)}; {kind} w = v; w.x += {more}; show(v {symbol} w);"
                yield Case(f"{kind} {symbol} {join} {more}", text, run)


def _numbers(kind: str, symbol: str) -> Iterator[Case]:
    vector = _value(kind, 5)
    for number, given in NUMBERS.items():
        behind = ", ".join(f"a.{name} {symbol} s" for name in components(kind))
        front = ", ".join(f"s {symbol} a.{name}" for name in components(kind))
        steps = "; ".join(f"a.{name} {symbol}= s" for name in components(kind))
        texts = (
            f"{kind} operator{symbol}({kind} a, {number} s) {{ return make_{kind}({behind}); }}\n",
            f"{kind} operator{symbol}(const {number}& s, {kind} a) {{ return make_{kind}({front}); }}\n",
            f"void operator{symbol}=({kind}& a, {number} s) {{ {steps}; }}\n",
        )
        runs = (
            f"show({vector} {symbol} @);",
            f"show(@ {symbol} {vector});",
            f"auto v = {vector}; v {symbol}= @; show(v);",
        )
        for text, run in zip(texts, runs, strict=True):
            yield from (Case(f"{text} {each}", text, run.replace("@", each)) for each in given)
    both = "".join(
        f"inline {kind} operator{symbol}({kind} a, {number}) {{ a.x = {value}; return a; }}\n"
        for number, value in (("int", 1), ("double", 2), ("unsigned", 3))
    )
    for each in ("'a'", "1", "1.f", "1.", "1u", "(short)1", "true"):
        yield Case(f"overloads {kind} {symbol} {each}", both, f"show({vector} {symbol} {each});")


def cases(kinds: list[str]) -> Iterator[Case]:
    draw = random.Random(1)
    for kind in kinds:
        found = [*_comparing(kind)]
        for symbol in "+-*/":
            found += [*_binary(kind, symbol), *_assigning(kind, symbol), *_numbers(kind, symbol)]
        for case in found:
            text = case.text if case.text.startswith("inline") else f"{draw.choice(ATTRIBUTES)} {case.text}"
            yield Case(case.name, SATURATE + text, case.run)


def _check(folder: Path, chosen: list[Case]) -> None:
    for case, wanted, outcome in outcomes(folder, chosen):
        assert outcome.reported or (not outcome.errors and outcome.shown == wanted), (case, wanted, outcome)


def test_a_sample_of_operators(tmp_path: Path) -> None:
    _check(tmp_path, random.Random(2).sample(list(cases(["uchar4", "float2", "int3", "char1"])), 150))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_operators_of_all_types(part: int, tmp_path: Path) -> None:
    chosen = list(cases(list(TYPES)[part::4]))
    assert len(chosen) > 3000
    _check(tmp_path, random.Random(part).sample(chosen, 1000 if EVERYTHING else 250))


def test_few_are_reported(tmp_path: Path) -> None:
    """Operators that HIP declares as templates, and those equal to HIP's, are right, not just reported."""
    plain = [case for case in cases(["uchar4", "float3"]) if "operator+(" in case.text or "operator-(" in case.text]
    assert not [case for case, _, outcome in outcomes(tmp_path, plain) if outcome.reported]
