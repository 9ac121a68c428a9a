"""Other names that a header gives to names of CUDA hold in files that include it, as they do in its own code."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.translate.test_split_files import translated

GROUPS, CUB = "#include <cooperative_groups.h>", "#include <cub/cub.cuh>"
SPACES = {
    "alias": (GROUPS, "namespace {0} = cooperative_groups;", "{0}::"),
    "global alias": (GROUPS, "namespace {0} = ::cooperative_groups;", "{0}::"),
    "directive": (GROUPS, "using namespace cooperative_groups;", ""),
}
OF_GROUPS = {
    "size": "__global__ void k(int* p) {{ auto tile = {0}tiled_partition<8>({0}this_thread_block());"
    " int a[tile.size()]; p[0] = a[0] + tile.num_threads(); }}",
    "cluster": "__global__ void k(int* p) {{ {0}this_cluster().sync(); }}",
    "once": "__global__ void k(int* p) {{ {0}invoke_one({0}coalesced_threads(), [=] {{ p[0] = 1; }}); }}",
    "shape": "__global__ void k(int* p) {{ p[0] = {0}this_thread_block().dim_threads().x; }}",
}
TYPES = {
    "using": "using {0} = cooperative_groups::thread_block_tile<4>;",
    "typedef": "typedef cooperative_groups::thread_block_tile<4, cooperative_groups::thread_block> {0};",
    "template": "template <int N> using {0}Of = cooperative_groups::thread_block_tile<N>; using {0} = {0}Of<4>;",
}
OF_CUB = {
    "alias": ("namespace {0} = cub;", "{0}::"),
    "directive": ("using namespace cub;", ""),
    "using": ("using cub::ThreadStore; using cub::STORE_CG; using cub::DeviceFor;", ""),
}
USES_OF_CUB = {
    "scan": "__global__ void k(int* p) {{ __shared__ typename {0}BlockScan<int, 64>::TempStorage s; int total;"
    " {0}BlockScan<int, 64>(s).ExclusiveScan(p[0], p[0], Plus{{}}, total); }}",
    "store": "__global__ void k(int* p) {{ {0}ThreadStore<{0}STORE_CG>(p, 1); }}",
    "bulk": "void f(int n) {{ {0}DeviceFor::Bulk(n, Op{{}}); }}",
}


def both(folder: Path, header: str, use: str, guard: str = "#pragma once\n") -> None:
    """Fail unless a header and a file that includes it are translated as the same in one file."""
    one = translated(folder / "one", main=f"{guard}{header}\n{use}\n")
    two = translated(folder / "two", part=f"{guard}{header}\n", main=f'#include "part.cuh"\n{use}\n')
    assert one == two


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("use", OF_GROUPS)
def test_namespaces_of_groups(space: str, use: str, tmp_path: Path) -> None:
    include, declaration, qualifier = SPACES[space]
    both(tmp_path, f"{include}\n{declaration.format('g')}", OF_GROUPS[use].format(qualifier.format("g")))


@pytest.mark.parametrize("declared", TYPES)
@pytest.mark.parametrize("around", ["{}", "namespace app {{ {} }}", "struct app {{ {} }};"])
def test_types_of_tiles(declared: str, around: str, tmp_path: Path) -> None:
    name = "Tile" if around == "{}" else "app::Tile"
    header = f"{GROUPS}\n{around.format(TYPES[declared].format('Tile'))}"
    both(tmp_path, header, f"static_assert({name}::size() == 4 && {name}::num_threads() == 4);")


@pytest.mark.parametrize(
    ("declared", "use"), [each for each in itertools.product(OF_CUB, USES_OF_CUB) if each != ("using", "scan")]
)
def test_names_of_cub(declared: str, use: str, tmp_path: Path) -> None:
    declaration, qualifier = OF_CUB[declared]
    text = USES_OF_CUB[use].format(qualifier.format("c"))
    both(tmp_path, f"{CUB}\n{declaration.format('c')}", f"struct Plus {{}}; struct Op {{}};\n{text}")


def test_classes_with_other_names_are_qualified_behind_using_declarations_of_headers(tmp_path: Path) -> None:
    text = USES_OF_CUB["scan"].format("")
    main = f'#include "part.cuh"\nstruct Plus {{}};\n{text}\n'
    made, _ = translated(tmp_path, part=f"{CUB}\nusing cub::BlockScan;\n", main=main)
    assert "hipcubCubBlockScan<int,64>(s)" in "".join(made)  # without `::`


POINTERS = "#include <cuda.h>\n"
OF_DRIVER = {
    "alias": ("typedef CUdeviceptr Address;", "Address f(Address p, size_t n) { return p + n; }"),
    "cast": (
        "namespace d { using Address = CUdeviceptr; }",
        "d::Address f(long n) { return static_cast<d::Address>(n); }",
    ),
    "function": ("namespace app { CUdeviceptr start(int n); }", "size_t f() { return app::start(1); }"),
    "member": ("struct Box { CUdeviceptr start; };", "auto f(const Box& box, size_t n) { return box.start + n; }"),
    "by pointer": (
        "class Box { public: CUdeviceptr start, end; };",
        "size_t f(Box* box) { return box->end - box->start; }",
    ),
    "call": ("struct Box { CUdeviceptr start() const; };", "size_t f(const Box& box) { return box.start() % 16; }"),
    "inside": (
        "struct Box { CUdeviceptr p; void* at(size_t n); };",
        "void* Box::at(size_t n) { return (void*)(p + n); }",
    ),
    "this": ("struct Box { CUdeviceptr p; size_t at(); };", "size_t Box::at() { return this->p & 15; }"),
    "inline": ("struct Box { CUdeviceptr p() { return 0; } size_t at(); };", "size_t Box::at() { return p() & 15; }"),
}


@pytest.mark.parametrize("form", OF_DRIVER)
def test_device_pointers(form: str, tmp_path: Path) -> None:
    header, use = OF_DRIVER[form]
    both(tmp_path, f"{POINTERS}{header}", use)
    made, _ = translated(tmp_path / "made", main=f"{POINTERS}{header}\n{use}\n")
    plain, _ = translated(tmp_path / "plain", main=f"{header.replace('CUdeviceptr', 'size_t')}\n{use}\n")
    assert ["size_t" if token == "hipDeviceptr_t" else token for token in made] != plain


@pytest.mark.parametrize(
    "use",
    [
        "float* f(const Other& box, size_t n) { return box.start + n; }",
        "float* f(std::vector<Other>& all, size_t n) { return all[0].start + n; }",
        "struct Own { float* start; float* f(size_t n) { return start + n; } };",
        "float* f(float* start, size_t n) { return start + n; }",
        "float* f(const Other& box, size_t n) { return box.data() + n; }",
    ],
)
def test_members_of_other_classes_are_no_device_pointers(use: str, tmp_path: Path) -> None:
    header = f"{POINTERS}struct Box {{ CUdeviceptr start; CUdeviceptr data(); }};\n"
    made, _ = translated(tmp_path, part=header, main=f'#include "part.cuh"\nstruct Other;\n{use}\n')
    assert "char" not in made and "long" not in made


HOST_ONLY = {
    "sum": "void* f(void* p, size_t n) { return p + n; }",
    "const": "const void* f(size_t n, const void* p) { p += n; return p; }",
    "two": "void* f(void* a, size_t n) { void *other = a, *p = a; return n > 1 ? other : p - n; }",
}


@pytest.mark.parametrize("use", HOST_ONLY)
def test_pointers_to_void_in_files_without_device_code(use: str, tmp_path: Path) -> None:
    both(tmp_path, "#include <cuda_runtime.h>\n__global__ void k() {}", HOST_ONLY[use])
    made, _ = translated(tmp_path / "alone", main=f"#include <cuda_runtime.h>\n{HOST_ONLY[use]}\n")
    assert "char" in made


@pytest.mark.parametrize("call", ["cudaFree(own::Buffer{8})", "cudaFree(own::Buffer{})", "cudaFree(::own::Buffer{1})"])
def test_calls_with_objects_of_a_class_of_a_header(call: str, tmp_path: Path) -> None:
    header = "namespace own { struct Buffer { int n; }; int cudaFree(const Buffer& b) { return b.n; } }"
    both(tmp_path, f"#include <cuda_runtime.h>\n{header}", f"int f(void* p) {{ cudaFree(p); return {call}; }}")


ERRORS = "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cublas_v2.h>\n#include <cusparse.h>\n"
TOGETHER = {
    "function": 'inline const char* text({0} e) {{ return e ? "no" : "yes"; }}',
    "more parameters": "inline void check({0} e, const char* file, int line) {{ if (e) abort(); }}",
    "namespace": "namespace app {{ inline bool ok(const {0} e) {{ return !e; }} }}",
    "class": "template <> struct Name<{0}> {{ static const int value = 1; }};",
    "class in a namespace": "namespace app {{ template <> struct Other<{0}> {{ static const int value = 1; }}; }}",
    "variable": "template <> constexpr bool is_error<{0}> = true;",
}
TEMPLATES = "template <class T> struct Name; template <class T> constexpr bool is_error = false;\n"
TEMPLATES += "namespace app { template <class T> struct Other; }\n"


@pytest.mark.parametrize("form", TOGETHER)
@pytest.mark.parametrize("types", [("cudaError_t", "CUresult"), ("CUresult", "cudaError_t"), ("CUresult", "cudaError")])
def test_functions_for_types_that_are_one_in_hip(form: str, types: tuple[str, str], tmp_path: Path) -> None:
    first, second = (TOGETHER[form].format(each) for each in types)
    both(tmp_path, f"{ERRORS}{TEMPLATES}{first}", second)
    _, codes = translated(tmp_path / "one", main=f"{ERRORS}{TEMPLATES}{first}\n{second}\n")
    assert codes["HP110"] == 1


def test_functions_for_two_handles_are_reported(tmp_path: Path) -> None:
    one, other = (f"inline void destroy({each}Handle_t handle) {{}}" for each in ("cublas", "cusparse"))
    both(tmp_path, f"{ERRORS}{one}", other)


@pytest.mark.parametrize(
    "use",
    [
        "inline const char* text(cudaStream_t s) { return 0; }",
        "inline const char* text(CUresult e, int n) { return 0; }",
        "inline const char* other(CUresult e) { return 0; }",
        "namespace app { inline const char* text(CUresult e) { return 0; } }",
        "struct Own { const char* text(CUresult e) { return 0; } };",
        "const char* text(CUresult e);",
    ],
)
def test_other_functions_stay(use: str, tmp_path: Path) -> None:
    header = ERRORS + TOGETHER["function"].format("cudaError_t")
    made, codes = translated(tmp_path, part=header, main=f'#include "part.cuh"\n{use}\n')
    assert codes["HP110"] == 0 and not any(token.startswith("#if") for token in made)


CAT = "#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n"


@pytest.mark.parametrize(
    ("front", "rest", "made"),
    [
        ("cudaSuc", "cess", "hipSuc"),
        ("cudaStream", "Synchronize", "hipStream"),
        ("cudaMemcpyHost", "ToDevice", "hipMemcpyHost"),
        ("cudaErr", "orInvalidValue", "hipErr"),
    ],
)
def test_names_that_macros_of_headers_paste(front: str, rest: str, made: str, tmp_path: Path) -> None:
    for use in (f"auto x = CAT({front}, {rest});", f"#define X CAT({front}, {rest})\nauto x = X;"):
        both(tmp_path / str(len(use)), f"#include <cuda_runtime.h>\n{CAT}", use)
        tokens, _ = translated(tmp_path / str(len(use)), part=CAT, main=f'#include "part.cuh"\n{use}\n')
        assert made in "".join(tokens) and front not in "".join(tokens)


@pytest.mark.parametrize("front", ["cudaError", "cudaEvent", "cudaStream", "cudaDevAttr"])
def test_fronts_that_a_header_gives_for_other_files(front: str, tmp_path: Path) -> None:
    tokens, codes = translated(tmp_path, main=f"#include <cuda_runtime.h>\n{CAT}#define MAKE(e) CAT({front}, e)\n")
    hip = {"cudaDevAttr": "hipDeviceAttribute"}.get(front, front.replace("cuda", "hip"))
    assert f"CAT({hip},e)" in "".join("".join(tokens).split()) and codes["HP112"] == 1


def test_words_that_stand_for_a_library_in_other_files_are_reported(tmp_path: Path) -> None:
    _, codes = translated(
        tmp_path, part="#define PREFIX cuda\n", main='#include "part.cuh"\nint x = API(PREFIX, Success);\n'
    )
    assert codes["HP112"] == 1


@pytest.mark.parametrize(
    "use", ["DECLARE(cudaError, e);", "CHECK(cudaFree, p);", "#define D(e) DECLARE(cudaError, e)\nD(x);"]
)
def test_macros_of_other_files_that_do_not_paste(use: str, tmp_path: Path) -> None:
    tokens, _ = translated(tmp_path, main=f'#include <cuda_runtime.h>\n#include "part.cuh"\n{use}\n')
    assert "hipError," not in "".join(tokens)


SORT = "void f(Key* k, int n) { size_t b = 0; cub::DeviceRadixSort::SortKeys(nullptr, b, k, k, n, Parts{}); }"
DECOMPOSER = (
    "struct Parts {{ __device__ {0}::tuple<int&, float&> operator()(Key& k) const {{ return {{k.a, k.b}}; }} }};"
)


@pytest.mark.parametrize(("include", "space", "made"), [
    (CUB, "cuda::std", "hipcub"),
    ("#include <cub/device/device_radix_sort.cuh>", "::cuda::std", "hipcub"),
    (CUB, "std", "std"),
    ("#include <cuda/std/tuple>", "cuda::std", "std"),
])  # fmt: skip
def test_decomposers_in_headers(include: str, space: str, made: str, tmp_path: Path) -> None:
    header = f"{include}\nstruct Key {{ int a; float b; }};\n{DECOMPOSER.format(space)}\n"
    tokens, _ = translated(tmp_path, part=header, main=f'#include "part.cuh"\n{CUB}\n{SORT}\n')
    assert tokens[tokens.index("tuple") - 1] == made


def test_directives_in_namespaces_hold_there(tmp_path: Path) -> None:
    header = f"{CUB}\nnamespace app {{ using namespace cub; }}"
    both(tmp_path, header, "namespace app { __global__ void k(int* p) { ThreadStore<STORE_CG>(p, 1); } }")


@pytest.mark.parametrize(
    "header",
    [
        "inline void f() { using namespace cub; }",
        "inline void f() { namespace c = cub; }",
        "namespace other { using namespace cub; }",
        "namespace c = mine::cub;",
        "using mine::cub::ThreadStore;",
    ],
)
def test_near_misses(header: str, tmp_path: Path) -> None:
    use = "__global__ void k(int* p) { ThreadStore<STORE_CG>(p, 1); c::ThreadStore<c::STORE_CG>(p, 1); }"
    made, _ = translated(tmp_path, part=f"{CUB}\n{header}\n", main=f'#include "part.cuh"\n{use}\n')
    assert "compat" not in made and made.count("ThreadStore") >= 2


def test_headers_two_files_away(tmp_path: Path) -> None:
    text = "__global__ void k(int* p) { cg::this_cluster().sync(); }"
    files = {
        "part": f"{GROUPS}\nnamespace cg = cooperative_groups;\n",
        "middle": '#include "part.cuh"\n',
        "main": f'#include "middle.cuh"\n{text}\n',
    }
    _, codes = translated(tmp_path, **files)
    assert codes["HP101"] == 1
