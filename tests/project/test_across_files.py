"""A declaration in one file of a tree decides what another file becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run
from hipport.translate.context import Options


def _quiet(done: int, total: int) -> None:
    """Show no progress."""


class Tree:
    """Converts a tree, given as names and texts of its files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.texts: dict[str, str] = {}
        self.findings: list[tuple[str, int, str]] = []

    def convert(self, files: dict[str, str]) -> Tree:
        tree, out = self._folder / "in", self._folder / "out"
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        choice = NameChoice(rocm="6.4")
        result = run(ConvertRequest((str(tree),), Mode.OUTPUT, Options(), choice, folder=str(out), jobs=1), _quiet)
        self.findings = [(Path(each.path).name, each.line, each.code) for each in result.diagnostics]
        named = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
        self.texts = {name: path.read_text() for name, path in named.items() if not name.startswith(".hipport")}
        return self

    def codes(self, code: str) -> list[tuple[str, int]]:
        return [(name, line) for name, line, found in self.findings if found == code]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


_COMPLEX = """#pragma once
#include <cuda_runtime.h>
namespace gcmplx {
template <class T> class complex;
template <> class complex<double> {
 public:
  __host__ __device__ complex(double re = 0.0, double im = 0.0) : re_(re), im_(im) {}
  double re_, im_;
};
}
"""
_USE = '#include "global.h"\n__global__ void k(double* p) { __shared__ cmplx z[4]; p[0] = z[0].re_; }\n'


@pytest.mark.parametrize(
    "alias",
    [
        "typedef gcmplx::complex<double> cmplx;",
        "using cmplx = gcmplx::complex<double>;",
        "using cmplx = ::gcmplx::complex<double>;",
        "#define cmplx gcmplx::complex<double>",
        "using first = gcmplx::complex<double>;\ntypedef first cmplx;",
        "namespace app { using cmplx = gcmplx::complex<double>; }\nusing app::cmplx;",
        'extern "C++" {\ntypedef gcmplx::complex<double> cmplx;\n}',
    ],
)
def test_aliases_of_classes_that_initialize(alias: str, tree: Tree) -> None:
    header = f'#pragma once\n#include "complex.h"\n{alias}\n'
    tree.convert({"complex.h": _COMPLEX, "global.h": header, "a.cu": _USE})
    assert tree.codes("HP136") == [("a.cu", 2)]


def test_aliases_of_aliases_in_several_headers(tree: Tree) -> None:
    between = '#pragma once\n#include "complex.h"\ntypedef gcmplx::complex<double> first;\n'
    header = '#pragma once\n#include "between.h"\nusing cmplx = first;\n'
    tree.convert({"complex.h": _COMPLEX, "between.h": between, "global.h": header, "a.cu": _USE})
    assert tree.codes("HP136") == [("a.cu", 2)]


@pytest.mark.parametrize(
    ("inside", "behind"),
    [
        ("__device__ complex(double re = 0.0) { re_ = re; }", ""),
        ("__device__ constexpr complex(double re = 0., double im = f(1, 2)) noexcept : re_(re), im_(im) {}", ""),
        ("__device__ complex(double re = 0.0);", "__device__ gcmplx::complex::complex(double re) : re_(re) {}"),
        ("__device__ complex();\n__device__ complex(int);", "__device__ gcmplx::complex::complex() { re_ = 0; }"),
    ],
)
def test_constructors_whose_parameters_have_defaults(inside: str, behind: str, tree: Tree) -> None:
    own = f"namespace gcmplx {{ class complex {{ public:\n{inside}\ndouble re_, im_; }}; }}\n{behind}\n"
    header = f"#pragma once\n#include <cuda_runtime.h>\n{own}using cmplx = gcmplx::complex;\n"
    tree.convert({"global.h": header, "a.cu": _USE})
    assert tree.codes("HP136") == [("a.cu", 2)]


def test_other_constructors_behind_the_class(tree: Tree) -> None:
    own = "struct cmplx { __device__ cmplx() {} __device__ cmplx(int i); double re_; };\n"
    behind = "__device__ cmplx::cmplx(int i) : re_(i) {}\nstruct more : cmplx { more(int i) : cmplx() { re_ = 1; } };\n"
    tree.convert({"global.h": f"#pragma once\n#include <cuda_runtime.h>\n{own}{behind}", "a.cu": _USE})
    assert tree.codes("HP136") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("double re = 0.0, double im = 0.0", "double re, double im = 0.0"),  # no default constructor
        (": re_(re), im_(im) {}", "{}"),
        ("complex(double re = 0.0, double im = 0.0) : re_(re), im_(im) {}", "complex() = default;"),
        ("complex(double re = 0.0, double im = 0.0) : re_(re), im_(im) {}", "double f(double re = 0.0) { return re; }"),
        ("__host__ __device__ complex(", "complex() = default; __host__ __device__ complex(int i, "),
    ],
)
def test_classes_that_do_not_initialize(old: str, new: str, tree: Tree) -> None:
    assert old in _COMPLEX
    header = '#pragma once\n#include "complex.h"\ntypedef gcmplx::complex<double> cmplx;\n'
    tree.convert({"complex.h": _COMPLEX.replace(old, new), "global.h": header, "a.cu": _USE})
    assert tree.codes("HP136") == []


@pytest.mark.parametrize(
    "alias",
    [
        "using cmplx = thrust::complex<double>;",  # trivial, and called like the project's
        "using other = gcmplx::complex<double>;\nstruct cmplx { double re_; };",
        "struct Traits { using cmplx = gcmplx::complex<double>; };\nstruct cmplx { double re_; };",
    ],
)
def test_aliases_of_other_types(alias: str, tree: Tree) -> None:
    header = f'#pragma once\n#include "complex.h"\n#include <thrust/complex.h>\n{alias}\n'
    tree.convert({"complex.h": _COMPLEX, "global.h": header, "a.cu": _USE})
    assert tree.codes("HP136") == []


def test_aliases_of_headers_that_are_not_included(tree: Tree) -> None:
    header = '#pragma once\n#include "complex.h"\ntypedef gcmplx::complex<double> cmplx;\n'
    files = {"complex.h": _COMPLEX, "global.h": "#pragma once\nstruct cmplx { double re_; };\n", "other.h": header}
    assert tree.convert({**files, "a.cu": _USE}).codes("HP136") == []


_LIBRARY = {
    "cusp/config.h": "#pragma once\n#define ROOT cusp/system/__THRUST_DEVICE_SYSTEM_NAMESPACE\n",
    "cusp/multiply.h": "#include <cusp/config.h>\n#define HEADER <ROOT/multiply.h>\n#include HEADER\n",
}
_FOR_CUDA = {"cusp/system/cuda/multiply.h": "#pragma once\n#include <cusp/system/cuda/detail.h>\n"}


def test_folders_that_thrust_names(tree: Tree) -> None:
    tree.convert(_LIBRARY | _FOR_CUDA)
    assert tree.texts["cusp/config.h"].splitlines() == [
        "#pragma once",
        "#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_HIP",
        "#define ROOT cusp/system/cuda",
        "#else",
        "#define ROOT cusp/system/__THRUST_DEVICE_SYSTEM_NAMESPACE",
        "#endif",
    ]
    assert tree.texts["cusp/system/cuda/multiply.h"] == _FOR_CUDA["cusp/system/cuda/multiply.h"]


def test_folders_that_thrust_names_are_named_once(tmp_path: Path) -> None:
    first = Tree(tmp_path / "first").convert(_LIBRARY | _FOR_CUDA).texts
    assert Tree(tmp_path / "second").convert(first).texts["cusp/config.h"] == first["cusp/config.h"]


@pytest.mark.parametrize(
    "files",
    [
        _LIBRARY | _FOR_CUDA | {"cusp/system/hip/multiply.h": "#pragma once\n"},  # the project has it for HIP
        _LIBRARY,  # nothing to find
        _LIBRARY | {"other/system/cuda/multiply.h": "#pragma once\n"},
        _FOR_CUDA | {"cusp/config.h": "#define ROOT thrust/system/__THRUST_DEVICE_SYSTEM_NAMESPACE\n"},
        _FOR_CUDA | {"cusp/config.h": "#define ROOT cusp/system/__THRUST_HOST_SYSTEM_NAMESPACE\n"},
    ],
)
def test_folders_that_thrust_names_for_hip(files: dict[str, str], tree: Tree) -> None:
    assert tree.convert(files).texts["cusp/config.h"] == files["cusp/config.h"]


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("cuda/kernels.h", "<cuda/kernels.h>"),
        ("src/cuda/kernels.cuh", "<cuda/kernels.cuh>"),
        ("src/cuda/detail/sum.hpp", "<cuda/detail/sum.hpp>"),
        ("cuda/kernels.h", '"cuda/kernels.h"'),
        ("thrust/system/cuda/detail/mine.h", "<thrust/system/cuda/detail/mine.h>"),
        ("thrust/system/cuda/detail/mine.h", '"thrust/system/cuda/detail/mine.h"'),
        ("lib/system/cuda/mine.h", "<lib/system/cuda/mine.h>"),
    ],
)
def test_folders_called_cuda_keep_their_names(file: str, include: str, tree: Tree) -> None:
    tree.convert({file: "#pragma once\nint f();\n", "main.cu": f"#include {include}\n__global__ void k() {{}}\n"})
    assert f"#include {include}\n" in tree.texts["main.hip"]
    assert tree.codes("HP102") == []


@pytest.mark.parametrize(
    ("file", "include", "expected", "reported"),
    [
        ("cuda/other.h", "<cuda/kernels.h>", "<cuda/kernels.h>", False),  # a library's: libcu++ has no suffixes
        ("cuda/other.h", "<cuda/kernels>", "<cuda/kernels>", True),
        ("cuda/std/tuple", "<cuda/std/tuple>", "<hipport/compat/cuda_std.h>", False),  # a copy of libcu++
        ("cuda/atomic", "<cuda/atomic>", "<hipport/compat/cuda_atomic.h>", False),
        ("mine.h", "<thrust/system/cuda/detail/mine.h>", "<thrust/system/hip/detail/mine.h>", False),
    ],
)
def test_headers_of_libraries_in_folders_called_cuda(
    file: str, include: str, expected: str, reported: bool, tree: Tree
) -> None:
    tree.convert({file: "#pragma once\nint f();\n", "main.cu": f"#include {include}\n__global__ void k() {{}}\n"})
    assert f"#include {expected}\n" in tree.texts["main.hip"]
    assert bool(tree.codes("HP102")) is reported


def test_copies_of_thrust_give_way_to_rocthrust(tree: Tree) -> None:
    file, main = "thrust/system/cuda/vector.h", "#include <thrust/system/cuda/vector.h>\n__global__ void k() {}\n"
    tree.convert({file: "#pragma once\n", "thrust/version.h": "#pragma once\n", "main.cu": main})
    assert "#include <thrust/system/hip/vector.h>\n" in tree.texts["main.hip"]


@pytest.mark.parametrize(
    ("header", "code", "included"),
    [
        ("#include <cublas_v2.h>\n", "half *p, __half2 q", True),
        ("#include <cublas_v2.h>\n", "int half, int n", False),
        ("#include <cublas_v2.h>\n#include <cuda_fp16.h>\n", "half *p, __half2 q", False),
        ("#include <cufft.h>\n", "half *p, __half2 q", False),
    ],
)
def test_halves_that_only_cublas_brings_through_headers(header: str, code: str, included: bool, tree: Tree) -> None:
    files = {"core/runtime.hpp": f"#pragma once\n{header}struct Runtime {{}};\n"}
    files["backend.hpp"] = '#pragma once\n#include "core/runtime.hpp"\nstruct Backend { Runtime r; };\n'
    files["main.cu"] = f'#include "backend.hpp"\n__global__ void k({code}) {{}}\n'
    tree.convert(files)
    assert ("#include <hip/hip_fp16.h>\n" in tree.texts["main.hip"]) is included


_MINE = """#pragma once
namespace mine {
inline int cudaFree(void* p) { return 0; }
struct cudaStream_t { int id; };
int cudaMalloc(int);
extern int cudaSuccess;
inline namespace v1 { int cudaMallocHost(int); }
}
struct Api { static int cudaSetDevice(int d); typedef int cudaEvent_t; };
"""
_USED = "cudaFree(p); cudaStream_t s; cudaMalloc(1); int i = cudaSuccess; cudaMallocHost(2);"


@pytest.mark.parametrize(
    ("header", "use"),
    [
        ("", f"using namespace mine;\nvoid f(void* p) {{ {_USED} }}"),
        ("using namespace mine;", f"void f(void* p) {{ {_USED} }}"),
        ("", f"void f(void* p) {{ using namespace mine; {_USED} }}"),
        ("namespace app { using namespace mine; }", f"namespace app {{ void f(void* p) {{ {_USED} }} }}"),
        ("namespace app { using namespace mine; }\nusing namespace app;", f"void f(void* p) {{ {_USED} }}"),
        ("namespace app = mine;", f"using namespace app;\nvoid f(void* p) {{ {_USED} }}"),
        ("namespace app { namespace { using namespace mine; } }", f"namespace app {{ void f(void* p) {{ {_USED} }} }}"),
        ("", f"namespace mine {{ void f(void* p) {{ {_USED} }} }}"),
        ("using mine::cudaFree;", "void f(void* p) { cudaFree(p); }"),
        ("namespace app { using mine::cudaFree; }", "namespace app { void f(void* p) { cudaFree(p); } }"),
        ("struct More : Api { void f(); };", "void More::f() { cudaSetDevice(1); cudaEvent_t e; }"),
        ("struct More : public Other, private ::Api { };", "struct Most : More { void f() { cudaSetDevice(1); } };"),
        ("struct More final : Api { void f(); };", "void More::f() { cudaSetDevice(1); cudaEvent_t e; }"),
    ],
)
@pytest.mark.parametrize("between", ["", "between.h"])
def test_names_of_scopes_stay_where_they_are_visible(header: str, use: str, between: str, tree: Tree) -> None:
    files = {"mine.h": _MINE, "use.h": f'#pragma once\n#include "mine.h"\n{header}\n'}
    if between:
        files[between] = '#pragma once\n#include "use.h"\n'
    tree.convert({**files, "a.cu": f'#include "{between or "use.h"}"\n{use}\n'})
    assert use in tree.texts["a.hip"]
    assert tree.texts["mine.h"] == _MINE
    assert tree.texts["use.h"] == files["use.h"]


@pytest.mark.parametrize(
    ("header", "use", "expected"),
    [
        (
            "",
            "void f(void* p) { cudaFree(p); mine::cudaFree(p); }",
            "void f(void* p) { hipFree(p); mine::cudaFree(p); }",
        ),
        (
            "namespace app { using namespace mine; }",
            "void f(void* p) { cudaFree(p); }",
            "void f(void* p) { hipFree(p); }",
        ),
        (
            "inline void g() { using namespace mine; }",
            "void f(void* p) { cudaFree(p); }",
            "void f(void* p) { hipFree(p); }",
        ),
        ("using mine::cudaFree;", "void f(void* p) { cudaMalloc(p, 1); }", "void f(void* p) { hipMalloc(p, 1); }"),
        ("using namespace other;", "void f(void* p) { cudaFree(p); }", "void f(void* p) { hipFree(p); }"),
        (
            "struct More : Other { void f(); };",
            "void More::f() { cudaSetDevice(1); }",
            "void More::f() { hipSetDevice(1); }",
        ),
        ("namespace app { struct Api; }", "void f() { cudaSetDevice(1); }", "void f() { hipSetDevice(1); }"),
    ],
)
def test_names_of_scopes_that_are_not_visible(header: str, use: str, expected: str, tree: Tree) -> None:
    files = {"mine.h": _MINE, "use.h": f'#pragma once\n#include "mine.h"\n{header}\n'}
    tree.convert({**files, "a.cu": f'#include "use.h"\n{use}\n'})
    assert expected in tree.texts["a.hip"]


def test_directives_of_headers_that_are_not_included(tree: Tree) -> None:
    files = {"mine.h": _MINE, "use.h": '#pragma once\n#include "mine.h"\nusing namespace mine;\n'}
    tree.convert({**files, "a.cu": '#include "mine.h"\nvoid f(void* p) { cudaFree(p); }\n'})
    assert "hipFree(p)" in tree.texts["a.hip"]


_LAUNCH = "void go(int* o, int n) { each([=] __device__(int i) { o[i] = i; }, n); }\n"
_BODY = "void each(F f, int n) { run<<<1, 1>>>(f); }"
_RUN = "#pragma once\n#include <type_traits>\ntemplate <class F> __global__ void run(F f) { f(1); }\n"


@pytest.mark.parametrize(
    "template",
    [
        f"template <class F, class = std::enable_if_t<std::is_invocable_v<F, int>>> {_BODY}",
        f"template <std::invocable<int> F> {_BODY}",
        f"template <class F> requires std::invocable<F, int> {_BODY}",
        "template <class F> void each(F f, int n) { static_assert(std::is_invocable_r<void, F, int>::value); }",
        "template <class F> void each(F f, int n) { using R = std::invoke_result_t<F, int>; }",
        "template <class F> std::result_of_t<F(int)> each(F f, int n) { return f(n); }",
        "void each(std::invocable<int> auto f, int n) { }",
        f"template <class F> concept Body = std::is_invocable_v<F, int>;\ntemplate <Body F> {_BODY}",
        "template <class F> struct Check { static_assert(std::is_invocable_v<F, int>); };\n"
        "template <class F> void each(F f, int n) { Check<F> checked; }",
    ],
)
def test_lambdas_for_templates_of_headers_that_ask(template: str, tree: Tree) -> None:
    files = {"each.h": f"{_RUN}{template}\n", "more.h": '#pragma once\n#include "each.h"\n'}
    tree.convert({**files, "a.cu": f'#include "more.h"\n{_LAUNCH}'})
    assert "each([=] __host__ __device__(int i)" in tree.texts["a.hip"]


@pytest.mark.parametrize(
    "template",
    [
        f"template <class F> {_BODY}",
        f"template <class F> {_BODY}\ntemplate <std::invocable<int> F> void other(F f);",
        "template <class F, class P> void each(F f, P predicate) { predicate(f); }",
        f"// std::is_invocable_v<F, int>\ntemplate <class F> {_BODY}",
    ],
)
def test_lambdas_for_templates_of_headers_that_do_not_ask(template: str, tree: Tree) -> None:
    tree.convert({"each.h": f"{_RUN}{template}\n", "a.cu": f'#include "each.h"\n{_LAUNCH}'})
    assert "each([=] __device__(int i)" in tree.texts["a.hip"]


def test_lambdas_in_files_that_do_not_include_the_template(tree: Tree) -> None:
    asking = f"{_RUN}template <std::invocable<int> F> {_BODY}\n"
    own = f"{_RUN}template <class F> {_BODY}\n"
    tree.convert({"asking.h": asking, "each.h": own, "a.cu": f'#include "each.h"\n{_LAUNCH}'})
    assert "each([=] __device__(int i)" in tree.texts["a.hip"]


_STD = "using namespace std;\n"
_REAL = "typedef float real;\n"
_REALS = "__global__ void k(real* p) { p[0] = 1; }\n"


@pytest.mark.parametrize(
    ("first", "second", "main", "found"),
    [
        (_REAL, "", f"{_STD}{_REALS}", ("a.cu", 4)),  # definition in a header, directive in the file
        (_STD, "", f"{_REAL}{_REALS}", ("a.cu", 3)),  # the other way round: at the definition, as in one file
        (_REAL, _STD, _REALS, ("a.cu", 3)),  # both in headers
        (f"{_STD}{_REAL}", "", _REALS, ("first.h", 3)),
        ("using real = double;\n", "", f"{_STD}real f(real x) {{ return x; }}\n", ("a.cu", 4)),
        ("struct array { int n; };\n", _STD, "void f(const array& a);\n", ("a.cu", 3)),
        ("__constant__ int size;\n", _STD, "__global__ void k(int* p) { p[0] = size; }\n", ("a.cu", 3)),
    ],
)
def test_names_of_std_across_files(first: str, second: str, main: str, found: tuple[str, int], tree: Tree) -> None:
    files = {"first.h": f"#pragma once\n{first}", "second.h": f"#pragma once\n{second}"}
    tree.convert({**files, "a.cu": f'#include "first.h"\n#include "second.h"\n{main}'})
    assert found in tree.codes("HP131")


@pytest.mark.parametrize(
    ("first", "second", "main"),
    [
        (_REAL, "", _REALS),  # no directive
        (_REAL, "using std::vector;\n", _REALS),
        (f"#include <complex>\n{_REAL}", _STD, _REALS),  # CUDA sees the library's name, too
        (_REAL, f"#include <complex>\n{_STD}", _REALS),
        (_REAL, _STD, f"#include <complex>\n{_REALS}"),
        ("#include <iostream>\nstruct array { int n; };\n", _STD, "void f(const array& a);\n"),
        (_REAL, _STD, "__global__ void k(::real* p) { p[0] = 1; }\n"),
        (_REAL, _STD, "float f(mine::complex z) { return z.real(); }\n"),
        (_REAL, _STD, "// real numbers\nvoid f() {}\n"),
        (_REAL, _STD, "template <class real> void f(real x) {}\n"),
        (f"namespace app {{ {_REAL} }}\n", _STD, "app::real f();\n"),
        ("__constant__ int size;\n", _STD, "int f(int size) { return size; }\n"),
        ("__constant__ int size;\n", _STD, "int f(Box b) { return b.size() + Box::size; }\n"),
        ("int real(int x);\n", _STD, "int f() { return real(1); }\n"),  # functions overload
        (_REAL, _STD, "#include <hip/hip_runtime.h>\n" + _REALS),
    ],
)
def test_names_of_std_that_are_not_ambiguous(first: str, second: str, main: str, tree: Tree) -> None:
    files = {"first.h": f"#pragma once\n{first}", "second.h": f"#pragma once\n{second}"}
    tree.convert({**files, "a.cu": f'#include "first.h"\n#include "second.h"\n{main}'})
    assert tree.codes("HP131") == []


def test_names_of_std_of_headers_that_are_not_included(tree: Tree) -> None:
    files = {"first.h": f"#pragma once\n{_REAL}", "other.h": f'#pragma once\n#include "first.h"\n{_STD}'}
    assert tree.convert({**files, "a.cu": f'#include "first.h"\n{_REALS}'}).codes("HP131") == []


_NUMBERED = """#pragma once
#include <cublas_v2.h>
namespace lib {
using op_t = cublasOperation_t;
#define PLAIN CUBLAS_OP_N
struct Desc { cublasOperation_t op; op_t others[2]; op_t get() const; int size; };
struct Other { int op; };
op_t flip(op_t op);
extern op_t current;
}
"""
_NUMBERS = '#include "desc.h"\nusing namespace lib;\nextern const char* names[3];\n'


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("int f(const Desc* d) { return d->op == 1; }", "d->op == HIPBLAS_OP_T"),
        ("int f(lib::Desc d) { return d.get() == 1; }", "d.get() == HIPBLAS_OP_T"),
        ("int f(Desc d) { switch (d.op) { case 2: return 1; } return 0; }", "case HIPBLAS_OP_C:"),
        ("int f(std::vector<Desc> all) { return all[3].op == 1; }", "all[3].op == HIPBLAS_OP_T"),
        ("struct Mine : Desc {};\nint f(Mine d) { return d.op == 1; }", "d.op == HIPBLAS_OP_T"),
        ("struct Mine : lib::Desc { int f() { return op == 1; } };", "op == HIPBLAS_OP_T"),
        ("op_t Desc::get() const { return op == 1 ? op : others[0]; }", "op == HIPBLAS_OP_T"),
        ("op_t Desc::get() const { return this->op == 0 ? op : others[0]; }", "this->op == HIPBLAS_OP_N"),
        ("auto op = (op_t)1;", "(op_t)HIPBLAS_OP_T"),
        ("int f() { return lib::current == 1; }", "lib::current == HIPBLAS_OP_T"),
        ("int f(int n) { return flip(current) == 2; }", "flip(current) == HIPBLAS_OP_C"),
    ],
)
def test_numbers_of_enumerators_of_other_files(line: str, expected: str, tree: Tree) -> None:
    assert expected in tree.convert({"desc.h": _NUMBERED, "a.cu": f"{_NUMBERS}{line}\n"}).texts["a.hip"]
    assert tree.codes("HP510") == []


@pytest.mark.parametrize(
    "line",
    [
        "const char* f(Desc d) { return names[d.op]; }",
        "const char* f(Desc d) { return names[d.others[1]]; }",
        "int f(Desc d) { return d.get() + 1; }",
        "int f(Desc* d) { if (d->op) return 1; return 0; }",
        "const char* f() { return names[PLAIN]; }",
        "const char* f() { return names[current]; }",
        "op_t f(int n) { return (op_t)n; }",
        "Desc make();\nint f() { return make().op == 1; }",  # the class is not known here: not translated
    ],
)
def test_numbers_of_enumerators_of_other_files_are_reported(line: str, tree: Tree) -> None:
    tree.convert({"desc.h": _NUMBERED, "a.cu": f"{_NUMBERS}{line}\n"})
    assert tree.codes("HP510") == [("a.cu", 3 + len(line.splitlines()))]


@pytest.mark.parametrize(
    "line",
    [
        "int f(Other d) { return d.op == 1 ? 1 : names[d.op][0]; }",
        "int f(int op) { return op == 1 ? 1 : names[op][0]; }",
        "int f(Desc d) { return d.size == 1 ? 1 : names[d.size][0]; }",
        "int f() { int current = 1; return current == 1 ? 1 : names[current][0]; }",
        "struct op_t2 { int op; };\nint f(op_t2 d) { return d.op == 1; }",
        "op_t f(Desc d) { return d.op == current ? flip(d.op) : d.get(); }",
        "int op;\nint f() { return op == 1; }",
    ],
)
def test_numbers_that_are_no_enumerators_of_other_files(line: str, tree: Tree) -> None:
    tree.convert({"desc.h": _NUMBERED, "a.cu": f"{_NUMBERS}{line}\n"})
    assert tree.codes("HP510") == []
    assert "HIPBLAS_OP" not in tree.texts["a.hip"]


def test_numbers_of_enumerators_of_headers_that_are_not_included(tree: Tree) -> None:
    line = "int f(Desc d) { return d.op == 1; }"
    tree.convert({"desc.h": _NUMBERED, "own.h": "struct Desc { int op; };\n", "a.cu": f'#include "own.h"\n{line}\n'})
    assert line in tree.texts["a.hip"]


def test_two_headers_that_disagree_about_a_variable(tree: Tree) -> None:
    other = "#pragma once\n#include <cublas_v2.h>\nnamespace b { extern cublasSideMode_t current; }\n"
    line = "int f() { return lib::current == 1; }"
    tree.convert({"desc.h": _NUMBERED, "b.h": other, "a.cu": f'#include "b.h"\n{_NUMBERS}{line}\n'})
    assert line in tree.texts["a.hip"]


def test_names_that_a_macro_of_a_header_pastes(tree: Tree) -> None:
    header = "#define FUNCTIONS(X) X(cudaMalloc) X(cudaFree)\n#define DECLARE(f) int calls_##f();\nFUNCTIONS(DECLARE)\n"
    body = "int main() { return calls_cudaMalloc() + calls_cudaOther(); }\nint calls_cudaOther() { return 0; }\n"
    found = tree.convert({"api.h": header, "b.cu": f'#include "api.h"\n{body}', "alone.cu": body})
    assert found.texts["b.hip"].endswith(body.replace("calls_cudaMalloc", "calls_hipMalloc"))
    assert found.texts["alone.hip"].endswith(body)
