"""Translation of asm statements: operands in place or copied, blocks, predicates, macros; robustness."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.translate.ptx.program import cases, source

_SIGNATURE = "unsigned a, unsigned b, unsigned d, unsigned* p, float f, unsigned long long w, unsigned& q"


def body(statement: str, tables: Tables, signature: str = _SIGNATURE) -> str:
    """Return the translation of one statement in a device function, without indentation."""
    text = f"__device__ void k({signature}) {{\n{statement}\n}}\n"
    data = convert_source(text.encode(), "a.cu", Context(tables)).data.decode()
    found = re.search(r"\) \{\n(.*)\n\}\n\Z", data, re.DOTALL)
    assert found
    return re.sub(r"\n\s+", "\n", found[1]).strip()


def test_one_instruction_is_one_assignment(tables: Tables) -> None:
    assert body('asm("add.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));', tables) == "d = a + b;"


def test_operands_get_the_type_of_the_instruction(tables: Tables) -> None:
    assert body('asm("add.u32 %0, %1, 1;" : "=r"(d) : "r"(p[0]));', tables) == "d = uint32_t(p[0]) + 1u;"
    assert body('asm("div.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));', tables) == "d = int32_t(a) / int32_t(b);"
    assert body('asm("mov.b32 %0, %1;" : "=r"(d) : "f"(f));', tables) == "d = __float_as_uint(f);"


def test_inputs_are_read_before_results_are_written(tables: Tables) -> None:
    statement = 'asm("add.u32 %0, %2, 1; add.u32 %1, %2, 2;" : "=r"(p[0]), "=r"(p[1]) : "r"(p[0]));'
    assert body(statement, tables).splitlines() == [
        "{",
        "const uint32_t in2 = p[0];",
        "p[0] = in2 + 1u;",
        "p[1] = in2 + 2u;",
        "}",
    ]


def test_references_may_be_the_same_variable(tables: Tables) -> None:
    statement = 'asm("add.u32 %0, %2, 1; add.u32 %1, %2, 2;" : "=r"(d), "=r"(a) : "r"(q));'
    assert "const uint32_t in2 = q;" in body(statement, tables)


def test_side_effects_of_operands_happen_once(tables: Tables) -> None:
    statement = 'asm("mul.lo.u32 %0, %1, %1; add.u32 %0, %0, %1;" : "=r"(d) : "r"(next()));'
    assert body(statement, tables).count("next()") == 1


def test_a_predicate_becomes_an_if(tables: Tables) -> None:
    statement = (
        'asm volatile("{ .reg .pred d; setp.lt.u32 d, %0, %1; @!d st.u32 [%2], %0; }" ::"r"(a), "r"(b), "l"(p));'
    )
    assert body(statement, tables).splitlines() == [
        "{",
        "const bool d = a < b;",
        "if (!d) {",
        "*(uint32_t*)p = a;",
        "}",
        "}",
    ]


def test_registers_do_not_hide_operands(tables: Tables) -> None:
    statement = 'asm("{ .reg .u32 a; add.u32 a, %1, 1; mul.lo.u32 %0, a, %1; }" : "=r"(d) : "r"(a));'
    assert "const uint32_t a_ = a + 1u;" in body(statement, tables)


def test_volatile_with_memory_clobber_makes_volatile_loads(tables: Tables) -> None:
    load = 'asm volatile("ld.global.u32 %0, [%1];" : "=r"(d) : "l"(p){});'
    assert body(load.format(' : "memory"'), tables) == "d = *(const volatile uint32_t*)p;"
    assert body(load.format(""), tables) == "d = *(const uint32_t*)p;"


def test_a_single_statement_after_if(tables: Tables) -> None:
    text = body('if (a) asm volatile("membar.gl;"); else asm volatile("bar.sync 0;");', tables)
    assert text == "if (a) __threadfence(); else __syncthreads();"


def test_comments_stay(tables: Tables) -> None:
    text = body('asm("add.u32 %0, %1, 1;"  // one more\n : "=r"(d) : "r"(a));', tables)
    assert text.splitlines() == ["// one more", "d = a + 1u;"]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_instruction_of_the_table_is_translated(case: object, tables: Tables) -> None:
    text = source(0, case).encode()  # type: ignore[arg-type]
    conversion = convert_source(text, "a.cu", Context(tables))
    assert b"asm" not in conversion.data
    assert {d.code for d in conversion.diagnostics} <= {"HP303"}


_NAMES = st.sampled_from(
    [
        *("add.u32", "add.cc.u32", "mov.b64", "mov.pred", "selp.f32", "setp.lt.s32", "lop3.b32", "cvt.rn.f16x2.f32"),
        *("shfl.sync.up.b32", "vote.sync.all.pred", "match.any.sync.b32", "elect.sync", "bar.sync", "bar.red.popc.u32"),
        *("ld.global.v4.f32", "st.shared.u32", "atom.add.u32", "red.global.max.s64", "cp.async.ca.shared.global"),
        *("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
        *("tex.2d.v4.f32.f32", "isspacep.shared", "prefetch.global.L2", "nanosleep.u32"),
    ]
)
_OPERANDS = st.sampled_from(
    [
        *("%0", "%1", "%2", "p", "r", "_", "{%0, %1}", "{r, r, r, r}", "[%2]", "[%1+4]", "[r]", "[-1]"),
        *("r|p", "!p", "1", "-1", "0.5", "0f7F800000", "%laneid", "%nothing"),
    ]
)
_LINES = st.builds("{} {};".format, _NAMES, st.lists(_OPERANDS, max_size=6).map(", ".join))


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(_LINES, min_size=1, max_size=3))
def test_any_instructions_are_translated_or_reported(lines: list[str], tables: Tables) -> None:
    text = "{ .reg .pred p; .reg .b32 r; " + " ".join(lines) + " }"
    statement = f'asm volatile("{text}" : "+r"(d) : "r"(a), "l"(p));'
    unit = f"__device__ void k({_SIGNATURE}) {{ {statement} }}\n".encode()
    conversion = convert_source(unit, "a.cu", Context(tables))
    reported = {d.code for d in conversion.diagnostics} & {"HP301", "HP302"}
    assert (statement.encode() in conversion.data) == bool(reported)


_STATEMENTS = ("mov.u32 %0, %1;", "add.f64 %0, %1, %1;", "st.global.u32 [%0], %1;", "mov.b64 {%0, %1}, %1;")


@pytest.mark.parametrize("output", ["0", "+0", "=0", "=n", "+n", "r", "n", "=", "=&", "=x", "²", "٣", "-1", "9"])
@pytest.mark.parametrize("text", _STATEMENTS)
def test_an_output_that_nvcc_rejects_is_an_error(tables: Tables, text: str, output: str) -> None:
    assert codes(f'asm("{text}" : "{output}"(d) : "r"(a));', tables) == {"HP302"}


@pytest.mark.parametrize("given", ["1", "9", "99999", "=r", "+r", "=n", "&", "x", "²", "٣", "-1", "rr"])
@pytest.mark.parametrize("text", _STATEMENTS)
def test_an_input_that_nvcc_rejects_is_an_error(tables: Tables, text: str, given: str) -> None:
    assert codes(f'asm("{text}" : "=r"(d) : "{given}"(a));', tables) == {"HP302"}


@pytest.mark.parametrize(("output", "given"), [("=r", "0"), ("=&r", "r"), ("+r", "r"), ("=r", "n")])
def test_what_nvcc_accepts_stays_accepted(tables: Tables, output: str, given: str) -> None:
    assert codes(f'asm("mov.u32 %0, %1;" : "{output}"(d) : "{given}"(7));', tables) == set()


def codes(statement: str, tables: Tables) -> set[str]:
    text = f"__device__ void k({_SIGNATURE}) {{\n{statement}\n}}\n"
    return {found.code for found in convert_source(text.encode(), "a.cu", Context(tables)).diagnostics}
