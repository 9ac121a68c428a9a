"""Declarations read from a single C or C++ header."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.audit.headers import Declaration
from hipport.audit.headers.cpp import lex_header, parse_header, shared_macros
from hipport.audit.headers.folder import combine
from hipport.errors import HipportError
from hipport.mappings.entry import Kind

NAMES = st.from_regex(r"api[A-Z][a-z0-9]{1,8}", fullmatch=True)


def read(text: str) -> dict[str, Declaration]:
    lexed = lex_header(text.encode(), "api.h")
    return dict(combine([parse_header(lexed, shared_macros([lexed]))], frozenset({"api.h"})).names)


def kinds(text: str) -> dict[str, str]:
    return {name: declaration.kind.value for name, declaration in read(text).items()}


def members(text: str) -> dict[str, tuple[str, ...]]:
    lexed = lex_header(text.encode(), "api.h")
    return dict(combine([parse_header(lexed, shared_macros([lexed]))], frozenset()).members)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int apiMake(int a, char *b);", {"apiMake": ("function", 2)}),
        ("int apiMake(void);", {"apiMake": ("function", 0)}),
        ("int apiPrint(const char *format, ...);", {"apiPrint": ("function", None)}),
        ("void *apiAlloc(unsigned long size);", {"apiAlloc": ("function", 1)}),
        ("extern const char **apiNames(void);", {"apiNames": ("function", 0)}),
        ("int apiEach(void (*visit)(int, int), void *data);", {"apiEach": ("function", 2)}),
        ("static inline int apiTwice(int x) { return other(x) + x; }", {"apiTwice": ("function", 1)}),
        ("template <class T> T apiMax(T a, T b);", {"apiMax": ("function", 2)}),
        ("typedef int apiInt;", {"apiInt": ("type", None)}),
        ("typedef struct apiHandle_st *apiHandle;", {"apiHandle": ("type", None), "apiHandle_st": ("type", None)}),
        ("typedef void (*apiCallback)(int, void *);", {"apiCallback": ("type", None)}),
        (
            "typedef struct { int x; } apiPoint, *apiPointPtr;",
            {"apiPoint": ("type", None), "apiPointPtr": ("type", None)},
        ),
        ("using apiSize = unsigned long;", {"apiSize": ("type", None)}),
        ("enum apiMode { API_A, API_B = 1 << 2 };", {"apiMode": ("type", None), "API_B": ("enumerator", None)}),
        ("extern int apiCount;", {"apiCount": ("variable", None)}),
        ("const int apiTable[3] = {1, 2, 3};", {"apiTable": ("variable", None)}),
        ("#define API_VERSION 3", {"API_VERSION": ("macro", None)}),
        ("#define API_MAX(a, b) ((a) > (b) ? (a) : (b))", {"API_MAX": ("macro", None)}),
    ],
)
def test_one_declaration(text: str, expected: dict[str, tuple[str, int | None]]) -> None:
    found = read(text)
    assert {name: (found[name].kind.value, found[name].parameters) for name in expected} == expected


def test_enumerators_and_their_comments() -> None:
    found = kinds("enum { API_A, /* API_HIDDEN */ API_B = (API_A | 2), // API_ALSO_HIDDEN\n API_C };")
    assert found == {"API_A": "enumerator", "API_B": "enumerator", "API_C": "enumerator"}


def test_a_scoped_enumeration_keeps_its_enumerators() -> None:
    assert set(read("enum class apiMode { fast, slow };")) == {"apiMode", "apiMode::fast", "apiMode::slow"}


def test_macros_that_vanish_somewhere_carry_no_name() -> None:
    found = kinds(
        "#ifdef _WIN32\n#define APICALL __stdcall\n#define API_DEPRECATED(x) __declspec(deprecated(x))\n#else\n"
        "#define APICALL\n#define API_DEPRECATED(x)\n#endif\n"
        '#define API_EXPORT APICALL __attribute__((visibility("default")))\n'
        'API_DEPRECATED("use apiNew") int APICALL apiOld(int x);\nAPI_EXPORT int apiNew(int x);\n'
        "typedef void (APICALL *apiDone)(int);"
    )
    assert (found["apiOld"], found["apiNew"], found["apiDone"]) == ("function", "function", "type")


def test_default_arguments_by_macro() -> None:
    text = "#ifdef __cplusplus\n#define __dv(v) = v\n#else\n#define __dv(v)\n#endif\n"
    text += "int apiSync(int s __dv(0), int f __dv(0));"
    assert read(text)["apiSync"].parameters == 2


def test_macros_that_end_a_declaration() -> None:
    text = (
        "#if HOST\n#define END { }\n#else\n#define END ;\n#endif\nint apiA(int x) END\n\nint apiB(int x, int y) END\n"
    )
    found = read(text)
    assert (found["apiA"].parameters, found["apiB"].parameters) == (1, 2)


def test_a_macro_stands_for_a_function() -> None:
    found = read(
        "#define apiGet apiGet_v2\n#define apiGet_ptsz PER_THREAD(apiGet_v2)\nint apiGet_v2(int a, int b, int c);"
    )
    assert found["apiGet"].kind is Kind.FUNCTION
    assert found["apiGet"].parameters == found["apiGet_ptsz"].parameters == 3


def test_a_macro_renames_what_is_declared_under_its_name() -> None:
    assert kinds("#define apiGet apiGet_v2\nint apiGet(int a);")["apiGet_v2"] == "function"


def test_namespaces_by_macro() -> None:
    found = read(
        "#define API_DETAIL\n#define API_BEGIN namespace api { API_DETAIL\n#define API_END }\n"
        "API_BEGIN\ntemplate <int N> class Block { int hidden(); };\n"
        "namespace detail { int inner(); }\nAPI_END\nint outer();"
    )
    assert {"api::Block", "api::detail::inner", "outer"} <= set(found)
    assert "hidden" not in {declaration.name for declaration in found.values()}


def test_inline_namespaces_do_not_count() -> None:
    assert "api::Block" in read("namespace api { inline namespace v2 { struct Block; } }")


def test_both_sides_of_a_condition() -> None:
    assert {"apiOne", "apiTwo"} <= set(read("#if A\nint apiOne(int x\n);\n#else\nint apiTwo(void);\n#endif\n"))


def test_functions_inside_bodies_and_classes_are_not_the_headers() -> None:
    found = read(
        "struct apiS { int get(); void set(int); };\ninline int apiF() { int local = inner(1); return local; }"
    )
    assert set(found) == {"apiS", "apiF"}


def test_members() -> None:
    found = members(
        "typedef struct apiA_st { int x, *y[2]; union { float u; int v; }; struct { int w; } named; "
        "void (*f)(int); } apiA;\n"
        "typedef struct apiA_st apiAlias; struct apiEmpty {};"
    )
    assert found["apiA_st"] == found["apiA"] == found["apiAlias"] == ("x", "y", "u", "v", "named", "f")
    assert found["apiEmpty"] == ()


def test_a_record_inside_another_counts_as_in_c() -> None:
    assert "apiInner" in read("struct apiOuter { struct apiInner { int x; } one; };")


def test_cudas_own_words() -> None:
    text = "static __inline__ __device__ __host__ float apiAdd(float a, float b) { return a + b; }"
    assert read(text)["apiAdd"].parameters == 2


@pytest.mark.parametrize("opening", ["namespace a {", "struct {", "struct A {", "(", "extern _C_ {".replace("_", '"')])
def test_deep_nesting_is_read_or_refused(opening: str) -> None:
    try:
        read(opening * 3000)
    except HipportError as error:
        assert "nested too deeply" in str(error)


def test_a_long_macro_costs_little() -> None:
    started = time.monotonic()
    read("#define API_ODD __attribute__" + "(" * 50_000 + "\nint apiGet(void);")
    read("#define API_ODD " + "__declspec(" * 20_000 + "\nint apiGet(void);")
    assert time.monotonic() - started < 5


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    read(text)


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), st.data())
def test_all_of_many_declarations_are_found(names: list[str], data: st.DataObject) -> None:
    shapes = ["int {}(int, float);", "typedef int {};", "struct {} {{ int x; }};", "enum {{ {} }};", "#define {} 1"]
    texts = [data.draw(st.sampled_from(shapes)).format(name) for name in names]
    assert set(names) <= set(read("\n".join(texts)))
