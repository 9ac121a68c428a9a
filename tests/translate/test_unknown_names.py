"""Names like CUDA's that nobody declares are reported (HP112); those that a project declares are not."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.loader import Tables, load
from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run, run_on_bytes
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source, convert_source
from hipport.translate.unknown_names import _LIKE_CUDA, undeclared

HEADERS = Path(__file__).parents[2] / "mappings" / "known" / "cuda-13.0.txt"


def found(text: str, tables: Tables) -> dict[str, Diagnostic]:
    """The findings of a file alone, by name."""
    made = convert_source(text.encode(), "a.cu", Context(tables))
    kept = {*undeclared(made.unknown, made.declares, tables)}
    assert check_source(text.encode(), "a.cu", Context(tables)).unknown == made.unknown
    return {finding.message.split()[0]: finding for finding in kept}


def misspelled(name: str, chance: random.Random) -> str:
    """A name with a letter more, a letter less, or two letters exchanged; not at its beginning."""
    at = chance.randrange(6, len(name) - 1)
    return chance.choice([
        name[:at] + name[at] + name[at:],
        name[:at] + name[at + 1 :],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    ])  # fmt: skip


def _is_wrong(name: str, tables: Tables) -> bool:
    known = name in tables.known or name in tables.members
    return not known and _LIKE_CUDA.fullmatch(name) is not None


def test_misspelled_names_are_reported_with_the_right_one(tables: Tables) -> None:
    chance = random.Random(1)
    known = [name for name in sorted(tables.known) if len(name) > 8 and _LIKE_CUDA.fullmatch(name)]
    wrong = {misspelled(name, chance): name for name in chance.sample(known, 400)}
    wrong = {name: right for name, right in wrong.items() if _is_wrong(name, tables)}
    assert len(wrong) > 350
    reported = found("".join(f"void f{i}() {{ {name}(1); }}\n" for i, name in enumerate(wrong)), tables)
    assert reported.keys() == wrong.keys()
    right = sum(reported[name].advice == f"Did you mean {wrong[name]}?" for name in wrong)
    assert right > 0.8 * len(wrong)


def test_no_function_of_the_headers_passes_in_silence(tables: Tables) -> None:
    """Every name of CUDA's headers is in the tables or reported."""
    names = {line.split()[0] for line in HEADERS.read_text().splitlines() if line.strip() and not line.startswith("#")}
    like = sorted(name for name in names if _LIKE_CUDA.fullmatch(name) and name not in tables.members)
    assert len(like) > 5000
    text = "".join(f"void f{i}() {{ {name}(1); }}\n" for i, name in enumerate(like))
    reported = dict(convert_source(text.encode(), "a.cu", Context(tables)).unknown)
    assert set(like) - tables.known == reported.keys()


USES = (
    "void f() { cudaFooBar(1); }",
    "int x = 3 * cudaFooBar(4);",
    "void f() { if (1) cudaFooBar(); else return cudaFooBar(); }",
    "void f() { CHECK(cudaFooBar(p)); }",
    "cudaFooBar_t* f();",
    "void f(const cudaFooBar &x);",
    "void f(cudaFooBar x[3]);",
    "std::vector<cudaFooBar> list;",
    "void f() { ::cudaFooBar(); }",
    "#define CALL(x) cudaFooBar(x)",
    "#define ALLOCATE cudaMallocc",
    "void f() { a = b * cudaFooBar(1) > cudaFooBar(2); }",
    "void f() { g(a, *cudaFooBar(1)); }",
    "void f() { cudaFooBar<int><<<1, 2>>>(3); }",
    "int y = cudaFooBar;",
    "void f() { switch (x) { case cudaFooBar: break; } }",
    "auto z = x ? cudaFooBar : 0;",
    "__device__ void f() { __nv_foobar(1); }",
    "#define CALL(FooBar) other##FooBar()\nvoid f() { cudaFooBar(1); }",
    "#define CALL(cudaFoo, x) cudaFoo##x()\nvoid f() { cudaFooBar(1); }",
    "void f() { cublasFooBar(h); }",
    "template <> struct S<cudaFooBar> {};",
    "void f() { sizeof(cudaFooBar); }",
)


@pytest.mark.parametrize("text", USES)
def test_uses(text: str, tables: Tables) -> None:
    (name,) = found(text, tables)
    assert name.removesuffix("_t") in ("cudaFooBar", "__nv_foobar", "cublasFooBar", "cudaMallocc")


DECLARATIONS = (
    "void cudaFooBar(int);",
    'extern "C" int cudaFooBar(int);',
    "extern int cudaFooBar;",
    "static int *cudaFooBar = 0;",
    "int a, cudaFooBar[3];",
    "void g(int cudaFooBar);",
    "void g(int *cudaFooBar, int);",
    "struct cudaFooBar;",
    "class cudaFooBar {};",
    "enum cudaFooBar { a };",
    "enum { cudaFooBar, b };",
    "typedef int cudaFooBar;",
    "typedef int (API *cudaFooBar)(int);",
    "typedef struct { int x; } cudaFooBar;",
    "using cudaFooBar = int;",
    "using other::cudaFooBar;",
    "namespace cudaFooBar {}",
    "#define cudaFooBar(x) x",
    "template <class cudaFooBar> void h();",
    "struct T { int cudaFooBar; };",
    "struct T { int cudaFooBar(); };",
    "void g() { for (auto cudaFooBar : list) {} }",
    "void g() { auto [a, cudaFooBar] = pair(); }",
    "void g() { cudaFooBar: goto cudaFooBar; }",
    "#define DECLARE(x) int cudaFoo##x;\nDECLARE(Bar)",
    "void cudaFooBar(int) { }",
    "__global__ void cudaFooBar() { }",
    "auto cudaFooBar = [](int x) { return x; };",
    "void (*cudaFooBar)(int);",
    "cudaError_t cudaFooBar = cudaSuccess;",
)


@pytest.mark.parametrize("text", DECLARATIONS)
def test_declarations(text: str, tables: Tables) -> None:
    assert found(f"{text}\nvoid use() {{ cudaFooBar(1); }}\n", tables) == {}


TEMPLATES = ("", "template <class T> ", "template <template <typename> typename Red, typename T>\n",
    "template <template <int> typename F, typename... A>\n", "template <typename T, int N = sizeof(T)> ")  # fmt: skip
SPECIFIERS = ("", "INLINE ", "__device__ __forceinline__ ", "INLINE static ", "INLINE constexpr ", "EXPORT(1) inline ")
RETURNED = ("void", "Pair<int>", "Pair<Pair<int>, 3>*", "T const&", "decltype(auto)", "ns::Type", "struct Tag*")
PARAMETERS = ("()", "(int)", "(Pair<T> const&, Handle)", "(T&& t, A&&... rest)", "(Args<A>& a, T* b = nullptr)")


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("specifiers", SPECIFIERS)
def test_declarations_that_the_grammar_may_not_follow(template: str, specifiers: str, tables: Tables) -> None:
    for returned, parameters, end in itertools.product(RETURNED, PARAMETERS, (";", " { return g(); }")):
        text = f"{template}{specifiers}{returned} cudaFooBar{parameters}{end}"
        assert found(f"{text}\nvoid use() {{ cudaFooBar(1); }}\n", tables) == {}, text


@pytest.mark.parametrize(
    "text",
    [
        "typedef struct cudaFooBar* Handle;\nvoid f(cudaFooBar* p);",
        "#define PLUGIN_SYMBOL cudaFooBarTable_v14",
        "// cudaFooBar(1);",
        'const char* s = "cudaFooBar";',
        "void f() { s.cudaFooBar = 1; p->cudaFooBar(); }",
        "void f() { mine::cudaFooBar(); }",
        "#ifdef cudaFooBar\n#endif",
        "#define CALL(x) cuda##FooBar(x)",
        "void f() { cuda_foo_bar(); cuda::foo(); CUDA_FOO(1); cutlassFoo(); cublas_foo(); custom(); cuteFoo(); }",
        "IDENTIFIER(cudaFooBar)",
        "void f() { cudaFooBar(1); } // hipport: ignore[HP112] ours",
        "#ifdef __HIP_PLATFORM_NVIDIA__\nvoid f() { cudaFooBar(1); }\n#endif",
    ],
)
def test_near_misses(text: str, tables: Tables) -> None:
    assert found(text, tables) == {}


def test_one_finding_for_each_name_at_its_first_use(tables: Tables) -> None:
    reported = found("void f() {\n  cudaFooBar(1);\n  cudaFooBar(2); cudaBar2(3); }\n", tables)
    assert {name: (each.line, each.column) for name, each in reported.items()} == {
        "cudaFooBar": (2, 3),
        "cudaBar2": (3, 18),
    }


@pytest.mark.parametrize("name", ["nppiFilterBoxBorder_8u_C1R_Ctx", "nppsSum_32f_Ctx", "nppiLUT_Linear_8u_C1R"])
def test_functions_of_a_library_that_rocm_lacks_have_its_reason(name: str, tables: Tables) -> None:
    reported = found(f"void f() {{ {name}(1); }}", tables)[name]
    assert (reported.code, reported.severity) == ("HP101", Severity.ERROR)
    assert reported.message == f"{name} has no counterpart in HIP: ROCm has no NPP"
    assert "RPP" in reported.advice
    assert found(f"void {name}(int);\nvoid f() {{ {name}(1); }}", tables) == {}


def check(*paths: Path, mode: Mode = Mode.CHECK, folder: Path | None = None) -> list[str]:
    request = ConvertRequest(tuple(map(str, paths)), mode, Options(), folder=str(folder) if folder else None, jobs=1)
    report = run(request, lambda done, total: None)
    return [f"{Path(each.path).name}:{each.message.split()[0]}" for each in report.diagnostics if each.code == "HP112"]


def test_another_file_of_the_tree_may_declare_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.cu").write_text("void f() { cudaMine(1); cudaOther(2); }\n")
    (tmp_path / "sub" / "mine.h").write_text("void cudaMine(int);\n")
    assert check(tmp_path) == ["a.cu:cudaOther"]
    assert check(tmp_path / "a.cu") == ["a.cu:cudaMine", "a.cu:cudaOther"]
    (tmp_path / "a.cu").write_text('#include "sub/mine.h"\nvoid f() { cudaMine(1); cudaOther(2); }\n')
    assert check(tmp_path / "a.cu") == ["a.cu:cudaOther"]


def test_unchanged_files_are_recalled_with_what_others_declare_now(tmp_path: Path) -> None:
    tree, out = tmp_path / "in", tmp_path / "out"
    tree.mkdir()
    (tree / "a.cu").write_text("void f() { cudaMine(1); }\n")
    (tree / "mine.h").write_text("void cudaMine(int);\n")
    assert check(tree, mode=Mode.OUTPUT, folder=out) == []
    (tree / "mine.h").write_text("void cudaYours(int);\n")
    for _ in range(2):
        assert check(tree, mode=Mode.OUTPUT, folder=out) == ["a.cu:cudaMine"]
    (tree / "mine.h").write_text("void cudaMine(int);\n")
    assert check(tree, mode=Mode.OUTPUT, folder=out) == []


def test_text_from_standard_input() -> None:
    report = run_on_bytes(b"void f() { cudaMemcpyy(1); }", "stdin.cu", Options())
    assert [each.advice for each in report.diagnostics] == ["Did you mean cudaMemcpy?"]


def test_an_overlay_makes_a_name_known(tables: Tables) -> None:
    assert load().known == tables.known and "cudaFooBar" not in tables.known


@pytest.mark.parametrize(
    "declaration",
    [
        "API(Event_t) cudaMineStart;",
        "API(Event_t) cudaOther, cudaMineStart;",
        "API(Event_t) *cudaMineStart = nullptr, cudaOther;",
        "API(Event_t) cudaMineStart[2];",
    ],
)
def test_a_macro_may_make_the_type_of_variables(declaration: str, tables: Tables) -> None:
    text = "#define API(name) cuda##name\nvoid f() {{ {} use(cudaMineStart); }}\n"
    assert not found(text.format(declaration), tables)
    assert [*found(text.format("API(DeviceSynchronize)();"), tables)] == ["cudaMineStart"]
