"""Enumerators whose numbers differ in HIP (HP510)."""

from __future__ import annotations

import re

import pytest

from hipport.mappings.loader import Tables, load
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.passes.enum_zeros import ATTRIBUTES, zero_of
from hipport.translate.passes.enumerators import ALIASES, TYPES, UNTIL

_OP = "#include <cublas_v2.h>\nconst char* names[9]; bool flags[9];\n"
_KINDS = {
    "index": "names[{e}];",
    "sum": "int n = {e} + 1;",
    "size": "int counts[{e}];",
    "designated": "int rows[] = {{[{e}] = 1}};",
    "letter": "int n = 'N' - {e};",
    "bits": "int n = 1 << {e};",
    "mask": "unsigned n = {e} & 1;",
    "cast": "names[(int){e}];",
    "static cast": "names[static_cast<int>({e})];",
    "parentheses": "names[(({e}))];",
    "arms": "names[n ? {e} : {e}];",
}
_NOTES = {
    "stored": "int kept = {e};",
    "table": "const int kept[] = {{1, {e}}};",
    "assigned": "n = {e};",
    "printed": 'printf("%d", {e});',
    "stream": "std::cout << {e};",
    "text": "std::to_string({e});",
    "own": "long kept = (long){e};",
}
_FINE = {
    "passed": "take({e});",
    "variable": "auto v = {e};",
    "compared": "if (v == {e}) take(v);",
    "case": "switch (v) {{ case {e}: break; default: break; }}",
    "map": "std::map<{t}, int> m; m[{e}] = 1;",
    "member": "s.op = {e};",
    "array": "{t} all[] = {{{e}}};",
    "arms": "take(n ? {e} : {e});",
    "cast": "take(({t}){e});",
    "name": 'puts("{e}");',
    "comment": "/* names[{e}] */",
}


def _one(type_: str) -> str:
    """Return an enumerator of a type that has another number in HIP."""
    return next(name for name, (cuda, _, hip) in TYPES[type_].items() if cuda != hip)


def found(body: str, tables: Tables, head: str = _OP) -> list[str]:
    result = convert_source(f"{head}void f(int n, bool b) {{\n{body}\n}}\n".encode(), "a.cu", Context(tables))
    return [each.severity.value for each in result.diagnostics if each.code == "HP510"]


def translated(body: str, tables: Tables, head: str = _OP) -> str:
    result = convert_source(f"{head}void f(int n) {{\n{body}\n}}\n".encode(), "a.cu", Context(tables))
    assert not [each for each in result.diagnostics if each.code == "HP510"]
    return result.data.decode().partition("{\n")[2].partition("\n}")[0]


def test_the_table_has_the_known_differences() -> None:
    assert TYPES["cublasOperation_t"]["CUBLAS_OP_N"] == (0, "HIPBLAS_OP_N", 111)
    assert TYPES["cublasFillMode_t"]["CUBLAS_FILL_MODE_LOWER"] == (0, "HIPBLAS_FILL_MODE_LOWER", 122)
    assert "cusparseOperation_t" not in TYPES
    assert "cudaMemcpyKind" not in TYPES
    assert TYPES["cudaMemoryType"]["cudaMemoryTypeHost"] == (1, "hipMemoryTypeHost", 0)
    assert set(UNTIL) <= set(TYPES)
    assert all(any(cuda != hip for cuda, _, hip in rows.values()) for rows in TYPES.values())
    assert set(ALIASES.values()) <= set(TYPES)


def test_the_counterparts_are_those_of_the_tables(tables: Tables) -> None:
    for rows in TYPES.values():
        for name, (_, hip, _) in rows.items():
            entry = tables.names[name]
            assert entry.hip is None or entry.hip.name == hip or not entry.hip.name.startswith("HIP"), name


_ALWAYS = sorted(TYPES.keys() - UNTIL.keys())


@pytest.mark.parametrize("type_", sorted(UNTIL))
def test_types_that_differ_in_early_releases(type_: str) -> None:
    body = _KINDS["index"].format(e=_one(type_))
    for rocm, expected in (("5.2", ["warning"]), ("6.0", []), ("7.0", [])):
        assert found(body, load(rocm=rocm)) == expected


@pytest.mark.parametrize("type_", _ALWAYS)
@pytest.mark.parametrize("kind", _KINDS)
def test_uses_as_numbers_are_reported(kind: str, type_: str, tables: Tables) -> None:
    name = _one(type_)
    assert set(found(_KINDS[kind].format(e=name), tables)) == {"warning"}
    assert set(found(f"{type_} v; {_KINDS[kind].format(e='v')}", tables)) == {"warning"}


@pytest.mark.parametrize("type_", _ALWAYS)
@pytest.mark.parametrize("kind", _NOTES)
def test_numbers_that_are_kept_are_noted(kind: str, type_: str, tables: Tables) -> None:
    expected = [] if type_.endswith("Status_t") else ["note"]
    assert found(_NOTES[kind].format(e=_one(type_)), tables) == expected


@pytest.mark.parametrize("type_", sorted(TYPES))
@pytest.mark.parametrize("kind", _FINE)
def test_values_that_stay_enumerators_are_not(kind: str, type_: str, tables: Tables) -> None:
    head = f"{_OP}struct S {{ {type_} op; }} s; void take({type_});\n"
    assert not found(f"{type_} v; {_FINE[kind].format(e=_one(type_), t=type_)}", tables, head)


@pytest.mark.parametrize(
    "name", ["CUSPARSE_OPERATION_TRANSPOSE", "CUBLAS_POINTER_MODE_DEVICE", "cudaMemcpyHostToDevice"]
)
@pytest.mark.parametrize("kind", _KINDS)
def test_enumerators_with_the_same_number_are_not(kind: str, name: str, tables: Tables) -> None:
    assert not found(_KINDS[kind].format(e=name), tables)


@pytest.mark.parametrize(
    "cast",
    ["({t})n", "static_cast<{t}>(n)", "{t}(n)", "({t})(n + 1)", "({t})s.number", "::{t}(n)", "({t})'N'", "({t})g()"],
)
@pytest.mark.parametrize("type_", ["cublasOperation_t", "cusolverEigMode_t", "cudaDeviceAttr", "Alias", "NAMED"])
def test_numbers_that_become_values_are_reported(type_: str, cast: str, tables: Tables) -> None:
    names = "using Alias = cublasFillMode_t;\n#define NAMED cublasSideMode_t\n"
    head = f"{_OP}{names}struct S {{ int number; }} s; int g();\n"
    assert found(f"take({cast.format(t=type_)});", tables, head) == ["warning"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("take((cublasOperation_t)0);", "take((hipblasOperation_t)HIPBLAS_OP_N);"),
        ("take(static_cast<cublasOperation_t>(0x1u));", "take(static_cast<hipblasOperation_t>(HIPBLAS_OP_T));"),
        ("take((enum cudaDeviceAttr)10);", "take((enum hipDeviceAttribute_t)hipDeviceAttributeWarpSize);"),
        ("take(cublasSideMode_t(1));", "take(hipblasSideMode_t(HIPBLAS_SIDE_RIGHT));"),
        (
            "take((cublasOperation_t)(n ? 1 : 0));",
            "take((hipblasOperation_t)(n ? HIPBLAS_OP_T : HIPBLAS_OP_N));",
        ),
        ("if (op == 1) g();", "if (op == HIPBLAS_OP_T) g();"),
        ("if ((int)op != 2) g();", "if ((int)op != HIPBLAS_OP_C) g();"),
        ("if (0 == s->op) g();", "if (HIPBLAS_OP_N == s->op) g();"),
        (
            "switch (op) { case 0: switch (n) { case 1: g(); } case (1): g(); }",
            "switch (op) { case HIPBLAS_OP_N: switch (n) { case 1: g(); } case (HIPBLAS_OP_T): g(); }",
        ),
        ("if (status == 13) g();", "if (status == HIPBLAS_STATUS_EXECUTION_FAILED) g();"),
        ("if (status != 0 || status) g();", "if (status != 0 || status) g();"),
        ("if (n == 1) g();", "if (n == 1) g();"),
    ],
)
def test_literals_become_enumerators(body: str, expected: str, tables: Tables) -> None:
    head = f"{_OP}struct S {{ cublasOperation_t op; }} *s; cublasOperation_t op; cublasStatus_t status;\n"
    assert translated(body, tables, head) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (op) g();", ["warning"]),
        ("while (!op) g();", ["warning"]),
        ("b = op && n;", ["warning"]),
        ("if (op == n) g();", ["warning"]),
        ("if (op == 'N') g();", ["warning"]),
        ("if (op == 112) g();", ["warning"]),
        ("if (op == 7) g();", []),
        ("if (op < CUBLAS_OP_C) g();", []),
        ("if (fill < CUBLAS_FILL_MODE_UPPER) g();", ["warning"]),
        ("if (op < 2) g();", ["warning"]),
        ("for (int i = CUBLAS_OP_N; i <= CUBLAS_OP_C; ++i) g();", ["note", "warning"]),
        ("for (auto i : {CUBLAS_OP_N, CUBLAS_OP_T}) take(i);", []),
        ("names[of('N')];", ["warning"]),
        ("names[SHORT];", ["warning"]),
        ("auto a = CUBLAS_OP_T; names[a];", ["warning"]),
        ("int op = 1; names[op]; if (op == 1) g();", []),
        ("struct B { cublasOperation_t op : 2; };", ["warning"]),
        ("struct B { cublasOperation_t op : 8; };", []),
        ("take((cublasOperation_t)fill);", ["warning"]),
        ("int code = run(); show((cublasStatus_t)code);", []),
        ("int code = run(); if (code == CUBLAS_STATUS_INVALID_VALUE) g();", []),
        ("int code = run(); if (code == CUBLAS_OP_T) g();", ["warning"]),
        ("Own own; take((cublasOperation_t)own);", []),
        ("take((cublasOperation_t*)p);", []),
        ("names[CUBLAS_OP_N]; // hipport: ignore[HP510] test", []),
    ],
)
def test_what_depends_on_the_numbers(body: str, expected: list[str], tables: Tables) -> None:
    head = (
        f"{_OP}#define SHORT CUBLAS_OP_N\nenum Own {{ kNo = CUBLAS_OP_N, kYes = CUBLAS_OP_T }};\n"
        "cublasOperation_t op; cublasFillMode_t fill; cublasOperation_t of(char c);\n"
    )
    assert found(body, tables, head) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("using Mode = cublasOperation_t;", "using Mode = cublasSideMode_t;"),
        ("typedef cublasOperation_t Mode;", "typedef cublasSideMode_t Mode;"),
        ("#define Mode cublasOperation_t", "#undef Mode\n#define Mode cublasSideMode_t"),
    ],
)
def test_a_name_has_the_last_meaning(first: str, second: str, tables: Tables) -> None:
    source = f"namespace a {{\n{first}\nauto x = (Mode)1;\n}}\nnamespace b {{\n{second}\nauto x = (Mode)1;\n}}\n"
    lines = convert_source(source.encode(), "a.cu", Context(tables)).data.decode().splitlines()
    assert [line for line in lines if "auto" in line] == [
        "auto x = (Mode)HIPBLAS_OP_T;",
        "auto x = (Mode)HIPBLAS_SIDE_RIGHT;",
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One one; if (one.mode == 1) g();", "if (one.mode == HIPBLAS_OP_T) g();"),
        ("Two two; if (two.mode == 1) g();", "if (two.mode == HIPBLAS_SIDE_RIGHT) g();"),
        ("const Three* three; if (three->mode == 1) g();", "if (three->mode == 1) g();"),
        ("int mode; if (mode == 1) g();", "if (mode == 1) g();"),
    ],
)
def test_members_of_one_name_in_several_classes(body: str, expected: str, tables: Tables) -> None:
    head = (
        "struct One { cublasOperation_t mode; };\nstruct Two { cublasSideMode_t mode; };\nstruct Three { int mode; };\n"
        "template <cublasFillMode_t mode> struct Four {};\n"
    )
    assert translated(body, tables, head).endswith(expected)


@pytest.mark.parametrize(
    "source",
    [
        "void f(cublasOperation_t op) {}\nvoid Other::g() { if (op == 1) h(); names[op]; }\n",
        "void f(cublasOperation_t op);\nvoid g(int n) { if (op == 1) h(); }\n",
        "void f() { cublasOperation_t op; }\nvoid g(Other* other) { if (other->op == 1) h(); }\n",
        "cublasOperation_t op;\nvoid g(int op) { if (op == 1) h(); { names[op]; } }\n",
        "cublasOperation_t op;\nvoid g() { for (int op = 0; op == 1;) names[op]; }\n",
        "template <cublasOperation_t op> void f();\ntemplate <int op> int g() { return op == 1; }\n",
        "cublasOperation_t op;\n#define NAME(op) (names[op] + (op == 1))\n",
    ],
)
def test_other_variables_of_the_same_name(source: str, tables: Tables) -> None:
    result = convert_source(source.encode(), "a.cu", Context(tables))
    assert not [each for each in result.diagnostics if each.code == "HP510"]
    assert "HIPBLAS" not in result.data.decode()


@pytest.mark.parametrize(
    "source",
    [
        "struct S { cublasOperation_t op; void f(); };\nvoid S::f() { if (op == 1) h(); }\n",
        "struct S { void f() { if (op == 1) h(); } cublasOperation_t op; };\n",
        "void f(int n) { auto g = [](cublasOperation_t op) { if (op == 1) h(); }; }\n",
        "template <class T> int f(T t, cublasOperation_t op) { { return op == 1; } }\n",
        "namespace a { cublasOperation_t op; }\nint g() { return a::op == 1; }\n",
    ],
)
def test_variables_are_found_where_they_are_visible(source: str, tables: Tables) -> None:
    assert "op == HIPBLAS_OP_T" in convert_source(source.encode(), "a.cu", Context(tables)).data.decode()


def test_names_of_the_project_are_left_alone(tables: Tables) -> None:
    head = "enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };\nconst char* names[2];\n"
    assert not found("names[CUBLAS_OP_N]; auto op = (cublasOperation_t)n; if (op == 1) f();", tables, head)


def test_messages_have_both_numbers(tables: Tables) -> None:
    result = convert_source(f"{_OP}auto x = names[CUBLAS_OP_T];\n".encode(), "a.cu", Context(tables))
    (message,) = (each.message for each in result.diagnostics if each.code == "HP510")
    assert re.search(r"CUBLAS_OP_T is 1, HIPBLAS_OP_T is 112", message)


_ZEROS = sorted(type_ for type_ in _ALWAYS if zero_of(type_))
_EMPTY = (
    "{t} v{{@}};",
    "{t} v = {{@}};",
    "const {t} v{{@}}, w = {{@}};",
    "struct S {{ {t} v{{@}}; int n = 0; {t} w = {{@}}; }};",
    "auto v = {t}{{@}};",
    "take({t}{{@}});",
    "v = {t}(@);",
    "auto f = [] {{ return {t}(@); }};",
)
_NOT_VALUES = (
    "std::function<{t}()> f;",
    "auto f = []() -> {t} {{ return g(); }};",
    "{t} f();",
    "{t} v;",
    "sizeof({t});",
)


@pytest.mark.parametrize("form", _EMPTY)
@pytest.mark.parametrize("type_", _ZEROS)
def test_empty_brackets_get_the_enumerator_that_is_zero(type_: str, form: str, tables: Tables) -> None:
    entry = tables.names[zero_of(type_)]
    made = translated(form.format(t=type_).replace("@", ""), tables)
    if entry.hip is None:
        return
    hip = tables.names[type_].hip
    assert made == form.format(t=hip.name if hip is not None else type_).replace("@", entry.hip.name)


@pytest.mark.parametrize("form", _NOT_VALUES)
def test_other_brackets_are_left(form: str, tables: Tables) -> None:
    made = translated(form.format(t="cublasOperation_t"), tables)
    assert made == form.format(t="hipblasOperation_t")


@pytest.mark.parametrize("attribute", sorted(ATTRIBUTES))
@pytest.mark.parametrize("given", ["&x", "(void*)&x", "(const void *)&x"])
@pytest.mark.parametrize("kind", ["int", "int32_t", "uint32_t", "unsigned"])
def test_integers_that_are_read_as_enumerators_are_reported(
    kind: str, given: str, attribute: str, tables: Tables
) -> None:
    head = "#include <cublasLt.h>\n"
    call = f"{kind} x = 1; cublasLtMatmulDescSetAttribute(d, {attribute}, {given}, sizeof x);"
    assert found(call, tables, head) == ["warning"]
    assert not found(call.replace(kind, ATTRIBUTES[attribute], 1).replace("= 1", ""), tables, head)


_CALLS = {"cublasStatus_t": "cublasCreate(&h)", "cusolverStatus_t": "cusolverDnCreate(&s)"}
_HANDLES = "#include <cublas_v2.h>\n#include <cusolverDn.h>\nvoid g(int); cublasHandle_t h; cusolverDnHandle_t s;\n"
_RESULTS = {
    "compared": "if ({call} == {n}) g(1);",
    "in front": "if ({n} != {call}) g(1);",
    "switch": "switch ({call}) {{ case {n}: g(1); }}",
    "auto": "auto r = {call}; if (r == {n}) g(1);",
    "constant": "const auto r = ::{call}; if (r != {n}) g(1);",
    "assigned": "auto r = {call}; if ((r = {call}) == {n}) g(1);",
    "cast": "if ((int){call} == {n}) g(1);",
}
_KEPT = {
    "initialized": "int code = {call}; if (code == {n}) g(1);",
    "assigned": "int code; code = (int){call}; if ({n} == code) g(1);",
    "switch": "long code = {call}; switch (code) {{ case {n}: g(1); }}",
    "twice": "{{ int code = {call}; g(code); }} int code = {call}; code = {call}; if (code == {n}) g(1);",
}


def _differing(type_: str) -> list[tuple[int, str]]:
    numbers = dict[int, str]()
    for cuda, name, hip in TYPES[type_].values():
        if cuda != hip:
            numbers.setdefault(cuda, name)
    assert numbers
    return sorted(numbers.items())


@pytest.mark.parametrize("type_", _CALLS)
@pytest.mark.parametrize("way", _RESULTS)
def test_results_of_calls_are_compared_with_enumerators(type_: str, way: str, tables: Tables) -> None:
    for number, name in _differing(type_):
        body = _RESULTS[way].format(call=_CALLS[type_], n=number)
        hip = re.sub(r"cublasCreate|cusolverDnCreate", lambda name: name[0].replace("cu", "hip", 1), body)
        assert translated(body, tables, _HANDLES) == re.sub(rf"\b{number}\b", name, hip)


@pytest.mark.parametrize("type_", _CALLS)
@pytest.mark.parametrize("way", _KEPT)
def test_kept_results_that_are_compared_with_numbers(type_: str, way: str, tables: Tables) -> None:
    for number, _ in _differing(type_):
        body = _KEPT[way].format(call=_CALLS[type_], n=number)
        assert found(body, tables, _HANDLES) == ["warning"], body
        assert found(body.replace(str(number), "0"), tables, _HANDLES) == []


@pytest.mark.parametrize(
    "body",
    [
        "int code = cublasCreate(&h); { int code = 7; if (code == 7) g(1); }",
        "{ int code = cublasCreate(&h); g(code); } int code = 7; if (code == 7) g(1);",
        "if (cublasCheck(h) == 7) g(1);",
        "auto text = cublasGetStatusString(CUBLAS_STATUS_SUCCESS); if (cublasLtGetVersion() == 7) g(1);",
        "if (cublasCreate(&h)) g(1); while (cusolverDnCreate(&s) != 0) g(2);",
        "auto bad = cublasCreate(&h) != CUBLAS_STATUS_SUCCESS; if (bad == 7) g(1); int all[9]; g(all[bad]);",
    ],
)
def test_other_numbers_beside_results(body: str, tables: Tables) -> None:
    head = f"{_HANDLES}int cublasCheck(cublasHandle_t);\n"
    assert found(body, tables, head) == []
    assert "HIPBLAS_STATUS_INVALID_VALUE" not in translated(body, tables, head)


def test_functions_of_the_older_cublas_return_results(tables: Tables) -> None:
    body = "if (cublasIsamax(n, x, 1) == 7) g(1); auto i = cublasIsamax(n, x, 1); if (i == 7) g(2);"
    assert found(body, tables, "#include <cublas.h>\nfloat* x;\n") == []
    assert "== 7) g(1)" in translated(body, tables, "#include <cublas.h>\nfloat* x;\n")
