"""The PTX parser: accepted and rejected text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.translate.ptx.parser import parse
from hipport.translate.ptx.tree import (
    Address,
    Argument,
    Block,
    Declaration,
    Guard,
    Instruction,
    Integer,
    Label,
    Negated,
    Pair,
    PtxSyntaxError,
    Real,
    Register,
    Special,
    Vector,
)


def parsed(text: str) -> tuple[object, ...]:
    return parse(text, lambda token: int(token[1:])).items


def test_instruction_with_modifiers_and_operands() -> None:
    assert parsed("ld.global.L2::128B.v2.f32 {%0, _}, [%1+4];") == (
        Instruction(
            "ld.global.L2::128B.v2.f32",
            (Vector((Argument(0), Register("_"))), Address(Argument(1), Integer("4"))),
        ),
    )


def test_predicates_labels_and_pairs() -> None:
    assert parsed("L1: @!p shfl.sync.up.b32 r|q, a, -1, 0x1f;") == (
        Label("L1"),
        Instruction(
            "shfl.sync.up.b32",
            (Pair(Register("r"), Register("q")), Register("a"), Integer("-1"), Integer("0x1f")),
            Guard(Register("p"), True),
        ),
    )


def test_declarations_in_blocks() -> None:
    text = "{ .reg .pred %p, q; .reg .b32 t<2>; not.pred q, !%p; }"
    assert parsed(text) == (
        Block(
            (
                Declaration("pred", ("p", "q")),
                Declaration("b32", ("t0", "t1")),
                Instruction("not.pred", (Register("q"), Negated(Register("p")))),
            )
        ),
    )


def test_special_registers_are_told_from_declared_ones() -> None:
    assert parsed(".reg .u32 %r1; mov.u32 %r1, %tid.x;")[1] == Instruction(
        "mov.u32", (Register("r1"), Special("tid.x"))
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [("0f3F800000", 1.0), ("0dC000000000000000", -2.0), ("1.5", 1.5), ("-2.5e1", -25.0)],
)
def test_floating_point_constants(text: str, value: float) -> None:
    (instruction,) = parsed(f"mov.f32 %0, {text};")
    constant = instruction.operands[1]  # type: ignore[attr-defined]
    assert isinstance(constant, Real)
    assert constant.value == value


@pytest.mark.parametrize(("text", "value"), [("0x1F", 31), ("-7", -7), ("0b101", 5), ("017", 15), ("42U", 42)])
def test_integer_constants(text: str, value: int) -> None:
    (instruction,) = parsed(f"mov.u32 %0, {text};")
    constant = instruction.operands[1]  # type: ignore[attr-defined]
    assert isinstance(constant, Integer)
    assert constant.value == value


def test_comments_are_no_code() -> None:
    assert parsed("// nothing;\n/* ret; */ trap;") == (Instruction("trap", ()),)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("add.u32 %0, %1", None),
        ("add.u32 %0 %1;", "',' is missing before '%1'"),
        ("ld.u32 %0, [%1;", "']' is missing before ';'"),
        ("{ add.u32 %0, %1, %2;", "it ends in the middle"),
        (".reg a;", "declared without a type"),
        (".reg .b32 r<1000>;", "1000 registers"),
        ("mov.u32 %0, #1;", "'#1;' is not understood"),
        ("{" * 100, "nested too deeply"),
        ("mov.u32 %0, " + "-" * 100 + "1;", "nested too deeply"),
    ],
)
def test_what_is_refused(text: str, complaint: str | None) -> None:
    if complaint is None:
        assert parsed(text)
        return
    with pytest.raises(PtxSyntaxError, match=complaint):
        parsed(text)


PIECES = st.sampled_from(
    [
        "add.u32",
        ".reg",
        ".pred",
        "%0",
        "%laneid",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        "@",
        "!",
        "p",
        "|",
        "-",
        "1",
        "0f00000000",
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map(" ".join)))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        assert isinstance(parsed(text), tuple)
    except PtxSyntaxError as error:
        assert str(error)
