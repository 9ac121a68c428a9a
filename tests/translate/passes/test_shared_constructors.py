"""HP136 where the class is in another file."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source, definitions

KERNEL = b"__global__ void k(int* p) { __shared__ math::Zq z[4]; p[0] = z[0].v; }\n"
CLASS = b"struct Zq { __device__ constexpr Zq() : v(0) {} int v; };\n"


@pytest.mark.parametrize(
    ("header", "found"),
    [(CLASS, ["HP136"]), (CLASS.replace(b": v(0) {}", b"{}"), []), (CLASS.replace(b"Zq", b"Other"), [])],
)
def test_of_another_file(header: bytes, found: list[str], tables: Tables) -> None:
    told = definitions(header, "zq.h", Context(tables)).defines
    converted = convert_source(KERNEL, "a.cu", Context(tables, foreign=told))
    assert [each.code for each in converted.diagnostics if each.code == "HP136"] == found
    assert "Zq" in convert_source(KERNEL, "a.cu", Context(tables)).uses


@pytest.mark.parametrize(
    "members",
    [
        "int v = 0;",
        "int v{1};",
        "float a; const int v = 2, w = 3;",
        "float a[2] = {1, 2};",
        "Zq() = default; int f() { return 1; } unsigned long v = f();",
        "int f(int x = 1); std::pair<int, float> v = {1, 2};",
        "struct Inner { int i; }; Inner* v = nullptr;",
        "Made v;",
        "float a; Made v[2], w;",
    ],
)
def test_members_with_values_count(members: str, tables: Tables) -> None:
    assert _found(f"struct Made {{ __device__ Made() : v(1) {{}} int v; }};\nstruct Zq {{ {members} }};\n", tables)


@pytest.mark.parametrize("bases", ["Made", "public Made", "Other, private ns::Made"])
def test_bases_count(bases: str, tables: Tables) -> None:
    assert _found(f"struct Made {{ int v = 1; }};\nstruct Zq : {bases} {{ int w; }};\n", tables)


@pytest.mark.parametrize(
    "members",
    [
        "int v;",
        "static const int v = 1; static constexpr int w{2};",
        "enum Kind { one = 1 }; Kind v;",
        "using type = int; type v; typedef int other;",
        "int f(int x = 1) { int local = 1; return local; }",
        "bool operator==(const Zq& other) const { return v == other.v; } int v;",
        "Zq() = default; Zq(const Zq&) = delete; virtual int f() = 0;",
        "Made* v; static Made w;",
        "template <class T = int> void f(); int v : 3;",
    ],
)
def test_other_members_do_not(members: str, tables: Tables) -> None:
    assert not _found(f"struct Made {{ __device__ Made() : v(1) {{}} int v; }};\nstruct Zq {{ {members} }};\n", tables)


def _found(classes: str, tables: Tables) -> bool:
    source = f"{classes}__global__ void k(int* p) {{ __shared__ Zq z[4]; p[0] = sizeof(z); }}\n"
    converted = convert_source(source.encode(), "a.cu", Context(tables))
    reported = any(each.code == "HP136" for each in converted.diagnostics)
    assert reported == (b"z_bytes[sizeof(Zq[4])]" in converted.data)
    return reported


MACRO = b"#ifdef __CUDACC__\n#define LOCAL_MEM __shared__\n#else\n#define LOCAL_MEM\n#endif\n"
BY_MACRO = KERNEL.replace(b"__shared__", b"LOCAL_MEM")


def test_macro_of_another_file_stands_for_shared(tables: Tables) -> None:
    told = [definitions(text, "zq.h", Context(tables)).defines for text in (CLASS, MACRO)]
    context = Context(tables, foreign=frozenset().union(*told))
    converted = convert_source(
        BY_MACRO.replace(b"__global__", b"#ifdef __CUDACC__\n#endif\n__global__"), "a.cu", context
    )
    text = converted.data.decode()
    assert [each.code for each in converted.diagnostics if each.code == "HP136"] == ["HP136"]
    assert "#ifdef __HIPCC__\nLOCAL_MEM __align__(alignof(math::Zq)) unsigned char z_bytes" in text
    assert "#else\nLOCAL_MEM math::Zq z[4];\n#endif" in text


@pytest.mark.parametrize("body", [b"", b"static", b"__constant__", b"__shared__ int"])
def test_other_macros_do_not(body: bytes, tables: Tables) -> None:
    told = [definitions(text, "zq.h", Context(tables)).defines for text in (CLASS, MACRO.replace(b"__shared__", body))]
    context = Context(tables, foreign=frozenset().union(*told))
    source = BY_MACRO.replace(b"__global__", b"#ifdef __CUDACC__\n#endif\n__global__")
    assert "LOCAL_MEM math::Zq z[4]; p[" in convert_source(source, "a.cu", context).data.decode()


def test_file_asks_what_its_macros_mean(tables: Tables) -> None:
    assert "LOCAL_MEM=alias" in convert_source(BY_MACRO + b"#ifdef __CUDACC__\n#endif\n", "a.cu", Context(tables)).uses


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("    unsigned limb{};\n    Zq() = default;\n", True),
        ("    int first, second;\n    int *next = nullptr;\n", True),
        ("    std::array<int, 2> parts{1, 2};\n", True),
        ("    APP_HD int get() { int n = 2; return n; }\n    int value;\n", False),
        ("    static constexpr int size = 4;\n    int value;\n", False),
    ],
)
def test_a_member_with_a_value_is_told_by_headers_without_cuda_words(tables: Tables, body: str, is_told: bool) -> None:
    told = definitions(f"struct Zq {{\n{body}}};\n".encode(), "zq.h", Context(tables)).defines
    assert ("Zq=initializes" in told) is is_told
