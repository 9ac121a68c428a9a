"""The texts of facts that files tell each other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.files.facts import INCLUSION, Fact, Kind, facts_of, question, read

WORD = st.from_regex(r"[A-Za-z_$][A-Za-z0-9_$]{0,8}", fullmatch=True)
BIT = st.sampled_from("01")
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=20)
VALUES = {
    Kind.SCOPED: WORD,
    Kind.BROUGHT: WORD,
    Kind.CONSTANT: st.integers(-(1 << 63), 1 << 64).map(str),
    Kind.DECISION: st.builds(lambda number, bit: f"{number}={bit}", st.integers(0, 10**6), BIT),
    Kind.VERSION: st.builds(lambda kind, *bits: ":".join((kind, *bits)), WORD.filter(str.isidentifier), BIT, BIT, BIT),
    Kind.HANDED: TEXT,
    Kind.OBJECT: st.sampled_from(["texture", "surface"]),
    Kind.SIDES: st.builds(lambda types, words: f"{types};{words}", TEXT.map(lambda text: text.replace(";", "")), TEXT),
    Kind.EXTERNAL: TEXT,
    Kind.OVERLOADS: st.just("app;check CUresult;check hipError_t"),
    Kind.SAYS: TEXT.map("using namespace {};".format),
    Kind.LATER: st.just("Box::get,const,int;APP_HD"),
    Kind.STANDS_FOR: st.sampled_from(["__host__ __device__", "__device__"]),
    Kind.HOME: st.sampled_from(["", "app", "app::in"]),
    Kind.STD_NAME: st.sampled_from(["type", "variable"]),
    Kind.NUMBERED: st.from_regex(r"(?:type|variable)\.[A-Za-z]\w{0,5}|member(?:\.[A-Za-z]\w{0,5}){2}", fullmatch=True),
    Kind.BRINGS: st.sampled_from(["complex", "much"]),
    Kind.OPENS: st.sampled_from(["", "app", "app.cudaFree", ".cudaFree"]),
    Kind.ALIAS: WORD.filter(str.isidentifier),
    Kind.PASTED: WORD.filter(str.isidentifier),
    Kind.SIGN: TEXT,
    Kind.CALL: WORD,
    Kind.SHAPE: TEXT,
    Kind.LAUNCHES: st.sampled_from(["function", "constructor"]),
    Kind.FIXED: st.sampled_from(["grid", "block"]),
    Kind.DIFFERS: st.sampled_from(["?:?", "-:4", "4:8", "+:-"]),
    **dict.fromkeys(INCLUSION, st.just("") | TEXT),
}


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    kind = draw(st.sampled_from(Kind))
    subject = "" if kind in INCLUSION else draw(WORD | st.just("hip/hip_runtime.h"))
    return Fact(kind, subject, draw(VALUES.get(kind, st.just(""))))


@settings(max_examples=600, deadline=None)
@given(facts())
def test_facts_of_every_kind_are_read_as_they_were_written(fact: Fact) -> None:
    assert read(str(fact)) == fact


@settings(max_examples=300, deadline=None)
@given(facts(), facts())
def test_different_facts_have_different_texts(one: Fact, other: Fact) -> None:
    assert (str(one) == str(other)) == (one == other)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30) | st.text("aZ_1$@=#<>(){}: /.\n", max_size=12))
def test_any_text_is_read(text: str) -> None:
    assert str(read(text)).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "kind", "asked"),
    [
        ("cudaFree", Kind.NAME, "cudaFree"),
        ("cudaFree@mine", Kind.SCOPED, "cudaFree"),
        ("cudaFree@=mine", Kind.BROUGHT, "cudaFree"),
        ("WARP=32", Kind.CONSTANT, "WARP"),
        ("CUDART_VERSION#11000=1", Kind.DECISION, "CUDART_VERSION#11000"),
        ("NEW#version=platform:1:1:0", Kind.VERSION, "NEW#version"),
        ("cudaFree<a=b@c.h", Kind.HANDED, ""),
        ("sum()@", Kind.DECLARED, "sum()"),
        ("sum()=32:exchanges:sum:a>b.cuh:7", Kind.SIGN, "sum()"),
        ("sum()>lane()", Kind.CALL, "sum()"),
        ("Vote{:}=class:mask vector<int>", Kind.SHAPE, "Vote{:}"),
        ("votes{}=ballot", Kind.BALLOT, "votes{}"),
        ("Tile~=4:8", Kind.DIFFERS, "Tile~"),
        ("hip/hip_runtime.h=included", Kind.INCLUDED, "hip/hip_runtime.h"),
        ("tex=object:surface", Kind.OBJECT, "tex"),
        ("op=numbered:member.cublasOperation_t.Desc", Kind.NUMBERED, "=numbered"),
        ("op_t=numbered:type.cublasOperation_t", Kind.NUMBERED, "=numbered"),
        ("has_plus=detects", Kind.DETECTS, "has_plus"),
        ("Zq=initializes", Kind.INITIALIZES, "Zq"),
        ("cmplx=alias:complex", Kind.ALIAS, "cmplx=alias"),
        ("mine=opened-in:app.cudaFree", Kind.OPENS, "mine=opened"),
        ("each=queries", Kind.QUERIES, "each=queries"),
        ("real=std-name:type", Kind.STD_NAME, "real=std-name"),
        ("std=directive", Kind.DIRECTIVE, "std=directive"),
        ("std=brings:much", Kind.BRINGS, "std=brings"),
        ("APP_D=device-only", Kind.DEVICE_ONLY, "APP_D"),
        ("get()sides=Box::get,const,int;__device__", Kind.SIDES, "get()sides"),
        ("copy()external=copy,,int", Kind.EXTERNAL, "copy()external"),
        ("Box()later=Box::get,const,int;APP_HD", Kind.LATER, "Box()later"),
        ("APP_ANY=stands-for:__host__ __device__", Kind.STANDS_FOR, "=stands-for"),
        ("Box=home:app::in", Kind.HOME, "Box=home"),
        ("Box=home:", Kind.HOME, "Box=home"),
        ("Value=typename", Kind.TYPENAME, "Value=typename"),
        ("INVALID=hides", Kind.HIDES, "INVALID=hides"),
        ("vector=lacks", Kind.LACKS, "vector=lacks"),
        ("std=has", Kind.HAS, "std=has"),
        ("weight()of-device", Kind.OF_DEVICE, "weight()of-device"),
        ("WAVE=wave-size", Kind.WAVE_SIZE, "WAVE"),
        ("Pool=launches:constructor", Kind.LAUNCHES, "Pool=launches"),
        ("rows()counts", Kind.COUNTS, "rows()"),
        ("rows()fixed=block", Kind.FIXED, "rows()fixed"),
        ("#in-code a=1.def", Kind.IN_CODE, ""),
        ("#once", Kind.ONCE, ""),
    ],
)
def test_kinds_and_questions(text: str, kind: Kind, asked: str) -> None:
    assert (read(text).kind, read(text).question) == (kind, asked)


def test_every_kind_is_tested_above() -> None:
    assert set(VALUES) | {
        Kind.NAME,
        Kind.DECLARED,
        Kind.BALLOT,
        Kind.INCLUDED,
        Kind.DEVICE_ONLY,
        Kind.OF_DEVICE,
        Kind.WAVE_SIZE,
        Kind.COUNTS,
        Kind.HIDES,
        Kind.DETECTS,
        Kind.INITIALIZES,
        Kind.QUERIES,
        Kind.DIRECTIVE,
        Kind.LACKS,
        Kind.HAS,
        Kind.TYPENAME,
    } == set(Kind)


def test_questions_differ_by_what_is_asked() -> None:
    asked = [question(kind, "f") for kind in (Kind.NAME, Kind.SIGN, Kind.SHAPE, Kind.BALLOT, Kind.VERSION)]
    assert len(set(asked)) == len(asked)
    assert [fact.value for fact in facts_of(("()=32", "x()=0"), Kind.SIGN)] == ["32", "0"]
