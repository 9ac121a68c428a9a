"""Finding and parsing `asm` statements."""

from __future__ import annotations

import pytest

from hipport.source import SourceFile
from hipport.translate.ptx.recognize import is_ptx, is_unknown_for_gpus
from hipport.translate.ptx.statement import AsmStatement, asm_statements
from hipport.translate.syntax.unit import Unit, parse


def unit_of(text: str) -> Unit:
    return parse(SourceFile("a.cu", text.encode()))


def only(text: str) -> AsmStatement:
    (statement,) = asm_statements(unit_of(text))
    return statement


def test_operands_clobbers_and_text() -> None:
    text = 'void f() { asm volatile("add.u32 %0, " "%1;\\n" : "=r"(x[f(1, 2)]) : "r"(a ? b : c::d) : "memory"); }'
    statement = only(text)
    assert statement.text == "add.u32 %0, %1;\n"
    assert statement.volatile
    assert [o.constraint for o in statement.operands] == ["=r", "r"]
    assert [text[o.expression.start : o.expression.end] for o in statement.operands] == ["x[f(1, 2)]", "a ? b : c::d"]
    assert statement.clobbers == ("memory",)
    assert text[statement.span.end - 1] == ";"


@pytest.mark.parametrize("word", ["asm", "__asm__", "asm volatile", "__asm__ __volatile__", "asm __volatile__"])
def test_spellings(word: str) -> None:
    assert only(f'void f() {{ {word}("trap;"); }}').text == "trap;"


@pytest.mark.parametrize("constraint", ['"="#r', '"=" REGISTER', "#r", '"=" "r"'])
def test_a_constraint_that_is_put_together_makes_the_statement_unreadable(constraint: str) -> None:
    statement = only(f'void f() {{ asm("mov.u32 %0, %1;" : {constraint}(x) : "r"(y)); }}')
    assert statement.text is None
    assert [o.constraint for o in statement.operands] == ["", "r"]


def test_double_colons_are_two_sections() -> None:
    statement = only('void f() { asm("st.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory"); }')
    assert statement.outputs == ()
    assert [o.constraint for o in statement.inputs] == ["l", "r"]


def test_operands_without_commas() -> None:
    statement = only('void f() { asm("st.u8 [%1], %0;" ::"r"(v) "l"(p)); }')
    assert [o.constraint for o in statement.inputs] == ["r", "l"]


def test_named_operands_and_raw_strings() -> None:
    statement = only('void f() { asm(R"(mov.u32 %[to], %[from];)" : [to] "=r"(a) : [from] "r"(b)); }')
    assert statement.text == "mov.u32 %[to], %[from];"
    assert [o.name for o in statement.operands] == ["to", "from"]


def test_macro_bodies_with_continued_lines() -> None:
    statement = only('#define M(d) \\\n  asm("mov.u32 %0, " \\\n      "1;" : "=r"(d))\n')
    assert statement.in_macro
    assert not statement.closed
    assert statement.text == "mov.u32 %0, 1;"


def test_text_from_macros_is_unknown() -> None:
    assert only('void f() { asm(PREFIX "add.u32 %0, %0, 1;" : "+r"(a)); }').text is None


_HINTS = '#if NEW\n#define HINT(size) ".L2::" #size "B"\n#else\n#define HINT(size)\n#endif\n'


def test_every_definition_gives_a_text() -> None:
    defined = '#if A\n#define L "ld.global"\n#else\n#define L "ld.volatile"\n#endif\n'
    statement = only(f'{defined}void f() {{ asm(L ".u32 %0, [%1];" : "=r"(a) : "l"(p)); }}')
    assert statement.text == "ld.global.u32 %0, [%1];"
    assert statement.others == ("ld.volatile.u32 %0, [%1];",)


@pytest.mark.parametrize(
    ("defined", "written", "text"),
    [
        ('#define OP "add.u32"', 'OP " %0, %0, 1;"', "add.u32 %0, %0, 1;"),
        ('#define OP(type) "add." \\\n  #type', 'OP(u32) " %0, %0, 1;"', "add.u32 %0, %0, 1;"),
        (_HINTS, '"ld.global" HINT(128) ".u32 %0, [%1];"', "ld.global.L2::128B.u32 %0, [%1];"),
        # The compiler chooses between two definitions.
        ('#define A "add"\n#undef A\n#define A "sub"', 'A ".u32 %0, %0, 1;"', "add.u32 %0, %0, 1;"),
        ("#define W 32\n#define S(x) #x\n#define X(x) S(x)", '"add.u" X(W) " %0, %0, 1;"', "add.u32 %0, %0, 1;"),
        ('#define OP "add." TYPE\n#define TYPE "u32"', 'OP " %0, %0, 1;"', "add.u32 %0, %0, 1;"),
        ('#define A A "add"', 'A ".u32 %0, %0, 1;"', None),
        ("#define A OTHER", 'A ".u32 %0, %0, 1;"', None),
        ("#define A(x) #y", 'A(1) ".u32 %0, %0, 1;"', None),
        ('#define A(x) "add"', 'A ".u32 %0, %0, 1;"', None),
    ],
)
def test_macros_of_the_file_are_text(defined: str, written: str, text: str | None) -> None:
    assert only(f"{defined}\nvoid f() {{ asm({written}); }}").text == text


@pytest.mark.parametrize(
    "text",
    ['// asm("trap;");', 'const char* s = "asm(1)";', "int asm_count;", "#if asm\n#endif", 'void f() { asm("trap;"'],
)
def test_what_is_no_statement(text: str) -> None:
    assert list(asm_statements(unit_of(text))) == []


@pytest.mark.parametrize(
    "statement",
    [
        'asm("trap;");',
        'asm volatile("membar.gl;" ::: "memory");',
        'asm volatile("ret.uni;");',
        'asm("mov.u32 %0, %%laneid;" : "=r"(x));',
        'asm("{ .reg .pred p; @p bra L; }");',
        'asm volatile("frobnicate.u32 %0;" : "=r"(x));',
        'asm(TEXT "mov.u32 %0, 1;" : "=r"(x));',
    ],
)
def test_ptx_is_recognized(statement: str) -> None:
    unit = unit_of(f"void f() {{ {statement} }}")
    (found,) = asm_statements(unit)
    assert is_ptx(found, unit.original(found.span))


@pytest.mark.parametrize(
    "statement",
    [
        'asm volatile("pause");',
        'asm volatile("" ::: "memory");',
        'asm volatile("rdtsc" : "=a"(low), "=d"(high));',
        'asm("movl %1, %0" : "=r"(x) : "r"(y));',
        'asm("add %w0, %w1, %w2" : "=r"(x) : "r"(y), "r"(z));',
        'asm volatile("s_waitcnt vmcnt(0)");',
        'asm("v_add_f32 %0, %1, %2" : "=v"(x) : "v"(y), "v"(z));',
        'asm("mov %%eax, %0" : "=m"(x));',
        'asm volatile("mov.m.x m0, x0, 0xFF");',
        'asm volatile("vxor.vv v28, v28, v28\\n\\tvadd.vx v1, v2, %0" :: "r"(x));',
        'asm volatile("fcvt.ps.f16 f15, f15" ::: "f15");',
        'asm volatile("vadd.s32 q0, q0, q1" ::: "q0", "memory");',
    ],
)
def test_other_assembly_is_not_ptx(statement: str) -> None:
    unit = unit_of(f"void f() {{ {statement} }}")
    (found,) = asm_statements(unit)
    assert not is_ptx(found, unit.original(found.span))


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (
            "#define OP(T, c, op) __device__ T f(T a) { T r; ",
            ' asm(op " %0, %1;" : "=" c(r) : c(a)); return r; }',
            True,
        ),
        ("#define OP(op) ", 'asm volatile(op " {%0, %1}, %2;" : "=r"(a), "=r"(b) : "r"(c))', True),
        ("#define OP(T, c, op) inline T f(T a) { T r; ", 'asm(op " %0, %1;" : "=" c(r) : c(a)); return r; }', False),
        ("#define OP(op) __host__ __device__ int f() { int r; ", 'asm(op " %0" : "=r"(r)); return r; }', False),
        ("#define OP(op) __device__ void f() { ", 'asm(op "_b32 %0, 1" : "=v"(r)); }', False),
    ],
)
def test_instructions_that_macros_are_given(head: str, body: str, expected: bool) -> None:
    use = "__device__ void g() { OP(x); }" if "f(" not in head else "OP(int, x, y)"
    unit = unit_of(f"{head}{body}\n{use}\n")
    (found,) = asm_statements(unit)
    assert (is_ptx(found, unit.original(found.span)) or is_unknown_for_gpus(unit, found)) == expected


_TEXTS = ('op " %0, %1;"', 'OTHER(t) " %0, %1;"', "OTHER(op)", "TEXT", '"add" op " %0, %1;"', '"add" #t " %0, %1;"')
_CONSTRAINTS = ('"=r"', '"=" c', '"=" #t', "c", "OUTPUT")


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize("constraint", _CONSTRAINTS)
@pytest.mark.parametrize(
    ("side", "expected"), [("__device__", True), ("__global__", True), ("", False), ("__host__ __device__", False)]
)
def test_texts_and_constraints_that_macros_make_up(text: str, constraint: str, side: str, expected: bool) -> None:
    macro = f"#define DEFINE(f, op, t, c) {side} void f(int a, int& r) {{ asm({text} : {constraint}(r) : c(a)); }}"
    unit = unit_of(f'{macro}\nDEFINE(g, "abc", xyz, "r")\n')
    (found,) = asm_statements(unit)
    assert (is_ptx(found, unit.original(found.span)) or is_unknown_for_gpus(unit, found)) == expected
