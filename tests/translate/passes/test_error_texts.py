"""Names and texts of errors that are compared (HP509)."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

NAMES = {
    "cudaErrorInvalidValue": "hipErrorInvalidValue",
    "cudaErrorMemoryAllocation": "hipErrorOutOfMemory",
    "cudaSuccess": "hipSuccess",
}
COMPARISONS = (
    'strcmp(@, "$") == 0',
    '!std::strcmp("$", @)',
    'std::string(@) == "$"',
    '"$" == std::string_view{@}',
    '@ == std::string("$")',
    'EXPECT_STREQ(@, "$")',
    'EXPECT_EQ(std::string("$"), @)',
    'std::string(@).compare("$")',
    'std::string(@).find("$") != npos',
    'strncmp(@, "$", strlen("$"))',
)
HELD = (
    "const char* name = cudaGetErrorName(e);",
    "std::string name{cudaGetErrorName(e)};",
    "auto name = std::string(::cudaGetErrorName(e));",
)


def translated(source: str, tables: Tables) -> tuple[str, list[int]]:
    """Return the translation, and the lines with a finding."""
    done = convert_source(source.encode(), "a.cu", Context(tables))
    return done.data.decode(), [each.line for each in done.diagnostics if each.code == "HP509"]


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_names_compared_with_what_the_function_returns(comparison: str, tables: Tables) -> None:
    for (cuda, hip), held in itertools.product(NAMES.items(), ("", *HELD)):
        value = "name" if held else "cudaGetErrorName(e)"
        given = f"void f(cudaError_t e) {{ {held} use({comparison.replace('@', value).replace('$', cuda)}); }}"
        data, lines = translated(given, tables)
        assert f'"{hip}"' in data, data
        assert f'"{cuda}"' not in data, data
        assert not lines


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_names_compared_with_another_string_are_reported(comparison: str, tables: Tables) -> None:
    line = f"void f(const char* s) {{ use({comparison.replace('@', 's').replace('$', 'cudaErrorInvalidValue')}); }}"
    data, lines = translated(f"{line}\n", tables)
    assert '"cudaErrorInvalidValue"' in data
    assert {*lines} == {1}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('bool f(CUresult e) { const char* n; cuGetErrorName(e, &n); return !strncmp(n, "CUDA_ERROR_", 11); }', True),
        (
            'bool f(cudaError_t e) { return !strcmp(cudaGetErrorString(e), "no CUDA-capable device is detected"); }',
            True,
        ),
        ('bool f(cudaError_t e) { std::string s = cudaGetErrorString(e); return s.find("ECC") != s.npos; }', True),
        ('bool f(cudaError_t e) { return !strcmp(cudaGetErrorString(e), "out of memory"); }', False),
        ('std::map<std::string, int> m{{"cudaErrorNotReady", 1}}; int f(E e) { return m[cudaGetErrorName(e)]; }', True),
        ('std::map<std::string, int> m{{"cudaErrorNotReady", 1}};', False),
        ('#define IS(e, n) (!strcmp(cudaGetErrorName(e), n))\nbool b = IS(e, "cudaErrorNotReady");', False),
        ('struct R { cudaError_t e; std::string n; } r[] = {{cudaErrorNotReady, "cudaErrorNotReady"}};', False),
        ('void f(cudaError_t e) { printf("%s %s", cudaGetErrorName(e), "cudaSuccess"); std::string s; }', False),
        ('void f(cudaError_t e) { throw std::string("cudaMalloc failed: ") + cudaGetErrorString(e); }', False),
        ('bool f(std::string s) { return s == "cuda"; }', False),
        ('bool f(std::string s) { return s == "cudaErrorOfMine"; }', False),
        ('bool f(std::string s) { return s == "float4" || s == "warpSize"; }', False),
        ('#include <hip/hip_runtime.h>\nbool f(std::string s) { return s == "cudaErrorNotReady"; }', False),
        (
            'const char* n(cudaError_t e) { switch (e) { case cudaSuccess: return "cudaSuccess"; } }\n'
            'bool f(std::string s) { return s == "cudaSuccess"; }',
            False,
        ),
    ],
)
def test_near_misses(code: str, found: bool, tables: Tables) -> None:
    data, lines = translated(code + "\n", tables)
    assert bool(lines) is found, data


@pytest.mark.parametrize("made", ["name_of(cudaErrorInvalidValue)", "STRING(cudaErrorInvalidValue)"])
@pytest.mark.parametrize("compared", ['strcmp(@, "$")', 'std::string(@) == "$"', 'same(@, "$")', 'streq("$", @)'])
def test_an_error_beside_its_name_in_a_comparison_is_no_table(made: str, compared: str, tables: Tables) -> None:
    line = compared.replace("@", made).replace("$", "cudaErrorInvalidValue")
    assert translated(
        f"#include <cstring>\nint f() {{ return {line}; }}\nint (*g)(const char*, const char*) = strcmp;\n", tables
    )[1] == [2]
    case = 'case cudaErrorInvalidValue: return "cudaErrorInvalidValue";'
    own = f"const char* name_of(cudaError_t e) {{ switch (e) {{ {case} }} }}"
    assert translated(f"#include <cstring>\nint f() {{ return strcmp({line}, 0); }}\n{own}\n", tables)[1] == []


STRINGIFIED = {
    "aggregate": "struct Entry { std::string n; }; static Entry made{TEXT(cudaFree)};",
    "constructor": "struct Entry { std::string n; Entry(const char* t) : n(t) {} }; static Entry made(TEXT(cudaFree));",
    "braces": "struct Entry { std::string n; }; static Entry made = ENTRY(cudaFree);",
    "exception": "struct Entry { std::string n; }; static Entry made; void t() { made = Entry{TEXT(cudaFree)}; }",
}
BEHIND = (
    'made.n == "cudaFree"',
    '"cudaFree" != made.n',
    'made.n.compare("cudaFree") == 0',
    'made.n.find("cudaFree") == 0',
    'strcmp(made.n.c_str(), "cudaFree")',
    'std::string("cudaFree") == made.n',
)


@pytest.mark.parametrize("around", ["", " CHECK(", " ok = "])
@pytest.mark.parametrize("kind", STRINGIFIED)
def test_stringified_names_behind_constructors_are_reported(kind: str, around: str, tables: Tables) -> None:
    head = "#include <string>\n#define TEXT(f) #f\n#define ENTRY(f) Entry{#f}\n"
    for comparison in BEHIND:
        close = ");" if "(" in around else ";"
        same_line = f"{STRINGIFIED[kind]} bool ok; void g() {{{around or ' ok |= '}{comparison}{close} }}"
        assert translated(f"{head}{same_line}\n", tables)[1] == [4], same_line
        twice = f"{STRINGIFIED[kind]}\nbool ok;\nvoid g() {{ ok = {comparison};\nok = {comparison}; }}\n"
        assert translated(head + twice, tables)[1] == [6, 7], twice
