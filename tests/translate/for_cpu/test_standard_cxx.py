"""HIP rewritten as standard C++ for the CPU, and code that must stay unchanged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.translate.for_cpu.convert import standard_cxx


def rewritten(text: str) -> str:
    return standard_cxx(text.encode(), "x.hip").decode()


def in_kernel(body: str) -> str:
    return f"__global__ void k(int n) {{ {body} }}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k<<<1, 2>>>(x);", "HIPPORT_LAUNCH(k, 1, 2)(x);"),
        ("k<int, 2><<<g, {8, 4}, 0, s>>>();", "HIPPORT_LAUNCH(HIP_KERNEL_NAME(k<int, 2>), g, {8, 4}, 0, s)();"),
        ("return (k<<<1, 2>>>(x), 0);", "return (HIPPORT_LAUNCH(k, 1, 2)(x), 0);"),
    ],
)
def test_launches(before: str, after: str) -> None:
    assert rewritten(f"void f() {{ {before} }}") == f"void f() {{ {after} }}"


_IF = "\n#if A\n"
_OPEN = "->*::hipport::cpu::configured("


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#define L <<<1, 2>>>\n", "#define L ->*::hipport::cpu::configured(1, 2)\n"),
        ("#define L(k) k<<<1, 2>> >\n", "#define L(k) k->*::hipport::cpu::configured(1, 2)\n"),
        ("#define O <<<\n#define C >>>\n", "#define O ->*::hipport::cpu::configured(\n#define C )\n"),
        (
            "#define O <<<\nint f() { k O 1>>>(p); }\n",
            "#define O ->*::hipport::cpu::configured(\nint f() { k O 1)(p); }\n",
        ),
        (
            "#define O <<<\n#define V A<B<C<int>>>\n",
            "#define O ->*::hipport::cpu::configured(\n#define V A<B<C<int>>>\n",
        ),
        ("#define L <<<1, 2>>>\nA<B<C<int>>> f();", "#define L ->*::hipport::cpu::configured(1, 2)\nA<B<C<int>>> f();"),
        (
            f"void f() {{ k<<<1,{_IF}2>>>(p);\n#else\n3>>>(p);\n#endif\n}}",
            f"void f() {{ k->*::hipport::cpu::configured(1,{_IF}2)(p);\n#else\n3)(p);\n#endif\n}}",
        ),
        (
            f"void f() {{ k{_IF}<<<1, 2>>>\n#else\n<<<1, 3>>>\n#endif\n(p); }}",
            f"void f() {{ k{_IF}{_OPEN}1, 2)\n#else\n{_OPEN}1, 3)\n#endif\n(p); }}",
        ),
        (f"void f() {{ k<<<1,{_IF}2\n#endif\n>>>(p); }}", f"void f() {{ HIPPORT_LAUNCH(k, 1,{_IF}2\n#endif\n)(p); }}"),
        ("#if A >>> B\n#endif\n#define O <<<\n", "#if A >>> B\n#endif\n#define O ->*::hipport::cpu::configured(\n"),
        ("A<B<C<int>>> f(); bool operator<<<T>(X);", "A<B<C<int>>> f(); bool operator<<<T>(X);"),
    ],
)
def test_launches_whose_brackets_are_apart(before: str, after: str) -> None:
    assert rewritten(before) == after


def test_a_pasted_kernel_name() -> None:
    macro = "#define L(s) k_##s<int, 2><<<1, 2>>>(x)\n"
    assert rewritten(macro) == "#define L(s) HIPPORT_LAUNCH(HIP_KERNEL_NAME(k_##s<int, 2>), 1, 2)(x)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "__shared__ float t[8][9], s;",
            "typedef float hipport_t[8][9], hipport_s; auto& t = ::hipport::cpu::shared<hipport_t>([] {});"
            " auto& s = ::hipport::cpu::shared<hipport_s>([] {});",
        ),
        (
            "extern __shared__ int d[];",
            " typedef int hipport_d[]; auto& d = ::hipport::cpu::dynamic_shared<hipport_d>();",
        ),
        (
            "alignas(alignof(float4)) __shared__ float t[9];",
            " typedef float hipport_t[9]; auto& t = ::hipport::cpu::shared<hipport_t, (alignof(float4))>([] {});",
        ),
        (
            "__shared__ alignas(Box<T>) char t[sizeof(Box<T>)];",
            "typedef  char hipport_t[sizeof(Box<T>)];"
            " auto& t = ::hipport::cpu::shared<hipport_t, ::hipport::cpu::alignment<Box<T>>()>([] {});",
        ),
        (
            "alignas(N) __shared__ char t, u;",
            " typedef char hipport_t, hipport_u;"
            " auto& t = ::hipport::cpu::shared<hipport_t, ::hipport::cpu::alignment<N>()>([] {});"
            " auto& u = ::hipport::cpu::shared<hipport_u, ::hipport::cpu::alignment<N>()>([] {});",
        ),
        (
            "volatile __shared__ T v[N];",
            "volatile typedef T hipport_v[N]; auto& v = ::hipport::cpu::shared<hipport_v>([] {});",
        ),
    ],
)
def test_shared_memory(before: str, after: str) -> None:
    assert rewritten(in_kernel(before)) == in_kernel(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("t = (int)clock();", "t = (int)__clock();"),
        ("return clock( );", "return __clock( );"),
        ("a = b - clock ();", "a = b - __clock ();"),
    ],
)
def test_the_devices_clock(before: str, after: str) -> None:
    assert rewritten(in_kernel(before)) == in_kernel(after)
    assert rewritten(f"__device__ int f() {{ {before} }}") == f"__device__ int f() {{ {after} }}"
    for host in ("", "__host__ __device__ "):
        assert rewritten(f"{host}int f() {{ {before} }}") == f"{host}int f() {{ {before} }}"


@pytest.mark.parametrize(
    "text", ["timer.clock();", "timer->clock();", "Timer::clock();", "int clock();", "clock(1);", "int clock = 1;"]
)
def test_other_clocks_stay(text: str) -> None:
    assert rewritten(in_kernel(text)) == in_kernel(text)


def test_dynamic_shared_memory_at_file_scope() -> None:
    after = " typedef int hipport_d[]; static ::hipport::cpu::DynamicShared<hipport_d> d;\n"
    assert rewritten("extern __shared__ int d[];\n") == after


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("float* f = (float*)d;", "float* f = (float*)(+d);"),
        ("auto f = reinterpret_cast<float*>(d);", "auto f = reinterpret_cast<float*>((+d));"),
        ("take(d, d + 4);", "take((+d), (+d) + 4);"),
        ("int x = d[2] + *d;", "int x = d[2] + *(+d);"),
        ("int* x = &d[2]; s.d = 3; auto n = sizeof(d);", "int* x = &d[2]; s.d = 3; auto n = sizeof(d);"),
        ("int d = 3; take(d);", "int d = 3; take(d);"),
    ],
)
def test_dynamic_shared_memory_at_file_scope_is_a_pointer(use: str, expected: str) -> None:
    """A class that converts to a pointer cannot be cast, and no template deduces from it."""
    text = rewritten(f"extern __shared__ int d[];\n__device__ void f() {{ {use} }}\n")
    assert text.splitlines()[1] == f"__device__ void f() {{ {expected} }}"


ATTRIBUTE = "__attribute__((noinline))"


@pytest.mark.parametrize(
    "text",
    [
        "__device__ @ int f();",
        "@ __device__ int f();",
        "template <class T> static @ T f(T);",
        "struct S { @ int f(int) const; };",
        "int @ f();",
        "#define NOINLINE @\n",
        "#define NOINLINE \\\n  static @ \\\n  void\n",
        "DECLARE(@, int, f)",
        "auto f = [](int i) @ { return i; };",
        "[[nodiscard]] @ int f();",
        "__attribute__((cold)) @ int f();",
        "int a[2]; @ int f(); @ int g();",
        "__attribute__((cold, used)) int f(); #define X\n@ void g();",
    ],
)
def test_noinline_becomes_an_attribute(text: str) -> None:
    assert rewritten(text.replace("@", "__noinline__")) == text.replace("@", ATTRIBUTE)


@pytest.mark.parametrize(
    "text",
    [
        "__attribute__((__noinline__)) void f();",
        "__attribute__ ( ( __noinline__, __cold__ ) ) void f();",
        "__attribute((__format__(__printf__, 1, 2), __noinline__)) void f(const char*, ...);",
        "[[gnu::__noinline__]] void f();",
        "[ [__gnu__::__cold__, __gnu__::__noinline__]] void f();",
        "#define NEVER __attribute__((__noinline__))\n",
        "#define __noinline__ __attribute__((__noinline__))\n",
        "#if defined(__noinline__)\n#endif\n",
        "#ifdef __noinline__\n#undef __noinline__\n#endif\n",
        "#if __has_attribute(__noinline__) || __has_cpp_attribute(gnu::__noinline__)\n#endif\n",
        "bool b = __has_attribute(__noinline__);",
        '// __noinline__\n/* __noinline__ */ const char* s = "__noinline__";',
        "int my__noinline__, __noinline__s;",
        '#pragma push_macro("__noinline__")\n',
    ],
)
def test_noinline_that_names_an_attribute_or_a_macro_stays(text: str) -> None:
    assert rewritten(text) == text


@pytest.mark.parametrize(
    ("before", "threads"),
    [
        ("__global__ void __launch_bounds__(256) k(int* p) { *p = 1; }", "256"),
        ("__launch_bounds__(2 * T, 1)\ntemplate <int T> __global__ void k(int* p) { *p = T; }", "2 * T"),
        ("__global__ void __launch_bounds__(64) other(int*);\n__global__ void k(int* p) { *p = 1; }", None),
        ("#define BOUNDS __launch_bounds__(64)\n__global__ void k(int* p) { *p = 1; }", None),
        ("__launch_bounds__(64) void k(int* p) { *p = 1; } __global__ void other();", None),
    ],
)
def test_launch_bounds(before: str, threads: str | None) -> None:
    note = f" ::hipport::cpu::launch_bounds<({threads})>([] {{}});" if threads else ""
    assert standard_cxx(before.encode(), "k.hip").decode() == before.replace("{", "{" + note, 1)


def test_returns_of_kernels_that_may_wait_are_marked() -> None:
    body = "if (n) return; __syncthreads();"
    assert rewritten(in_kernel(body)) == in_kernel(body.replace("return;", "return ::hipport::cpu::leave();"))


@pytest.mark.parametrize(
    "text",
    [
        in_kernel("if (n) return; atomicAdd(p, sqrtf(2.0f));"),
        in_kernel("auto f = [] { return; }; __syncthreads();"),
        "void host() { if (n) return; wait(); }",
        'const char* s = "k<<<1, 2>>>(x)"; // __shared__ int x;\n',
        "void f() { std::cout << x << (1 << 3); }",
        "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, x);",
        "__global__ void declared(int n);",
    ],
)
def test_left_alone(text: str) -> None:
    assert rewritten(text) == text


@pytest.mark.parametrize(
    "kernel", ["(void*)k", "(const void *) k", "reinterpret_cast<const void*>(k)", "reinterpret_cast<void*>(&k)", "k"]
)
def test_kernels_by_address(kernel: str) -> None:
    inner = "&k" if "&" in kernel else "k"
    call = "void f() {{ hipLaunchCooperativeKernel({}, g, b, a); }}"
    assert rewritten(call.format(kernel)) == call.format(f"::hipport::cpu::kernel({inner})")


@pytest.mark.parametrize("cast", ["(void*)", "(const void *) ", "(void*)&"])
def test_kernels_that_become_pointers_are_remembered(cast: str) -> None:
    kernel = "template <int N> __global__ void k(int x);"
    text = f"{kernel} void f() {{{{ p.func = {cast.rstrip('&')}{{}}; }}}}"
    inner = "&k<3>" if "&" in cast else "k<3>"
    assert rewritten(text.format(inner)) == text.format(f"::hipport::cpu::kernel_pointer({inner})")


def test_other_pointers_are_left_alone() -> None:
    text = "__global__ void k(int x); void f() { p.func = (void*)g; int k = 0; q = (void*)(k + 1); h(k); }"
    assert rewritten(text) == text


def test_a_module_exports_its_kernels() -> None:
    text = 'extern "C" __global__ void k(int x) {}\ntemplate <int N> __global__ void t() {}\n__global__ void d();\n'
    after = text.replace("int x) {}", "int x) {} HIPPORT_EXPORT(k)")
    assert standard_cxx(text.encode(), "x.hip", module=True).decode() == after


FRAGMENTS = (
    *("k<<<1, 2>>>(x);", "__shared__ int s[4];", "extern __shared__ float d[];", "return;", "{", "}", "\n"),
    *("#if A\n", "#endif\n", "__global__ void k() ", "(", ")", "// x\n", '"', "template <int N> ", "f<N>(x);"),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join))
def test_any_text_keeps_its_lines(text: str) -> None:
    assert rewritten(text).count("\n") == text.count("\n")


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert isinstance(standard_cxx(data, "x.hip"), bytes)


def test_digraphs_become_brackets_but_in_literals() -> None:
    body = 'p<:threadIdx.x:> = x < ::y; puts("<% %> <:"); /* <% */'
    code = rewritten(f"__global__ void k(int* p) <% __shared__ int s<:4:>; {body} %>")
    assert code.startswith("__global__ void k(int* p) { ") and code.endswith(" }")
    assert "p[ threadIdx.x ] = x < ::y;" in code and '"<% %> <:"' in code and "/* <% */" in code
