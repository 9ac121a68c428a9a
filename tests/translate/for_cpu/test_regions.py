"""Kernels rewritten so that the threads of a block run together, and kernels that must stay as they are."""

from __future__ import annotations

import re

import pytest

from hipport.translate.for_cpu.convert import standard_cxx

ALONE = "::hipport::cpu::runs_together"
INDEX = "const int i = blockIdx.x * blockDim.x + threadIdx.x;"
AFTER = "const int i = HIPPORT_AFTER(0);"


def rewritten(text: str) -> str:
    return standard_cxx(text.encode(), "x.hip", together=True).decode()


def kernel(body: str) -> str:
    return f"__global__ void k(float* in, float* out, int n) {{ {body} }}"


def body_of(body: str) -> str:
    """Return what becomes of the body of a kernel, behind its opening."""
    text = rewritten(kernel(body))
    assert len(re.findall("HIPPORT_(?:EACH|ROWS)", text)) == text.count("HIPPORT_END")
    return text.partition("HIPPORT_REGIONS(")[2].partition(")")[2].removesuffix(" }")


def test_one_region() -> None:
    assert body_of("out[threadIdx.x] = 1;") == " HIPPORT_EACH out[threadIdx.x] = 1; HIPPORT_END"
    assert (
        "constexpr bool hipport_together = ::hipport::cpu::runs_region_together; HIPPORT_REGIONS(false)"
        in rewritten(kernel("out[n] = 1;"))
    )


@pytest.mark.parametrize("body", [INDEX + " out[i] = 1;", "for (int i = threadIdx.x; i < n; ++i) out[i] = 1;"])
def test_one_region_that_suits_all_compilers(body: str) -> None:
    assert f"hipport_together = {ALONE}; HIPPORT_REGIONS(false)" in rewritten(kernel(body))


@pytest.mark.parametrize("barrier", ["", "__syncthreads();"])
def test_code_without_spaces(barrier: str) -> None:
    text = rewritten(f"__global__ void k(float*in,float*out){{int i=threadIdx.x;float v=in[i];{barrier}out[i]=v;}}")
    assert "HIPPORT_ROWS" in text
    assert re.findall(r"HIPPORT_(?:EACH|ROWS|ROW(?!S)|END)\w|\whipport_\w+|\whipport\b", text) == []


@pytest.mark.parametrize(
    ("declared", "together"),
    [
        ("constexpr int w = 8; __shared__ float s[w][w + 1];", False),
        ("const int w = 8; typedef float row[w]; __shared__ row s[8];", False),
        ("const int w = 8; __shared__ float s[8][9];", True),
        ("enum { w = 8 }; __shared__ float s[8][9];", True),
    ],
)
def test_declarations_for_the_block_come_before_variables(declared: str, together: bool) -> None:
    body = "s[threadIdx.x][0] = in[w]; __syncthreads(); out[threadIdx.x] = s[threadIdx.x][0];"
    assert ("HIPPORT_REGIONS" in rewritten(kernel(f"{declared} {body}"))) == together


def test_dynamic_shared_memory_of_file_scope_is_a_pointer_in_each_region() -> None:
    body = "float* d = (float*)raw; d[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = d[n];"
    text = rewritten(f"extern __shared__ char raw[];\n{kernel(body)}")
    assert "(float*)raw" not in text and text.count("(float*)(+raw)") == 2


def test_kernels_that_macros_define_stay() -> None:
    assert "HIPPORT_EACH" not in rewritten("#define K(n, e) \\\n  __global__ void n(int* o) { o[threadIdx.x] = e; }\n")


def test_a_variable_that_outlives_a_barrier() -> None:
    slot = " ::hipport::cpu::PerThread<float, hipport_together> hipport_v(hipport_regions);"
    assert body_of("float v = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = v;") == (
        f"{slot} HIPPORT_EACH auto& v = hipport_v.make(hipport_thread, in[threadIdx.x]); HIPPORT_END"
        " hipport_regions.barrier(); HIPPORT_EACH auto& v = hipport_v[hipport_thread];"
        " out[threadIdx.x] = v; HIPPORT_END"
    )


def test_a_variable_that_threads_compute_again() -> None:
    text = body_of("const int i = threadIdx.x * 2; out[i] = 1; __syncthreads(); out[i + 1] = 2;")
    assert text.count("const int i = threadIdx.x * 2;") == 2
    assert "PerThread" not in text


@pytest.mark.parametrize(
    "header",
    [
        "for (int s = n; s > 0; s /= 2)",
        "for (int s = 0, e = blockDim.x; s < e; ++s)",
        "while (n > 3)",
        "if (in[blockIdx.x] > 0)",
        "for (;;)",
    ],
)
def test_headers_that_are_the_same_for_all_threads(header: str) -> None:
    text = body_of(f"{header} {{ out[threadIdx.x] += 1; __syncthreads(); }}")
    assert f"{header} {{ HIPPORT_EACH out[threadIdx.x] += 1; HIPPORT_END hipport_regions.barrier();" in text


def test_a_uniform_variable_is_changed_once() -> None:
    text = body_of("int s = n; while (s > 1) { out[threadIdx.x] += s; __syncthreads(); s /= 2; }")
    assert " int s = n; while" in text
    assert "barrier(); s /= 2; }" in text


def test_names_must_be_constants_where_the_block_depends_on_them() -> None:
    text = rewritten(kernel("for (int s = 0; s < kTile; ++s) { out[threadIdx.x] = s; __syncthreads(); } out[n] = 1;"))
    assert f"hipport_together = {ALONE} && __builtin_constant_p(kTile);" in text


def test_returns() -> None:
    text = rewritten(kernel("if (threadIdx.x > n) return; __syncthreads(); out[threadIdx.x] = 1;"))
    assert "HIPPORT_REGIONS(true)" in text
    assert "return hipport_regions.leave(hipport_thread); HIPPORT_END if (hipport_regions.ended()) return;" in text
    assert "leave" not in rewritten(kernel("if (threadIdx.x > n) return; out[threadIdx.x] = 1;"))


def test_changed_parameters() -> None:
    once = body_of("n += threadIdx.x; out[n] = 1;")
    assert " const auto& hipport_argument_n = n; HIPPORT_EACH auto n = hipport_argument_n;" in once
    kept = body_of("n += threadIdx.x; __syncthreads(); out[n] = 1;")
    assert "HIPPORT_EACH hipport_n.make(hipport_thread, n); HIPPORT_END" in kept
    assert kept.count("auto& n = hipport_n[hipport_thread];") == 2


@pytest.mark.parametrize(
    ("loop", "becomes"),
    [
        ("for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i];", "strided<int, false>(n, blockDim.x, "),
        ("for (size_t i = threadIdx.x; i <= 9; ++i) { s += in[i]; }", "strided<size_t, true>(9, 1, "),
        ("for (int i = 0; i < n; ++i) s += in[i * 64 + threadIdx.x];", "for (int i = 0; i < n; ++i) HIPPORT_EACH "),
    ],
)
def test_loops_side_by_side(loop: str, becomes: str) -> None:
    assert becomes in body_of(f"float s = 0; {loop} out[threadIdx.x] = s;")


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < n; ++i) s += in[threadIdx.x * n + i];",  # neighbors are far apart
        "for (int i = 0; i < 4; ++i) s += in[i * 64 + threadIdx.x];",  # unrolled
        "for (int i = threadIdx.x; i < n; i += 2) { s += in[i]; if (s > 9) break; }",
        "for (int i = threadIdx.x; i < n; i += 2) { s += in[i]; ++i; }",
        "for (int i = threadIdx.x * 2; i < n; i += 2) s += in[i];",
        "for (int i = 0; i < n; ++i) { int j = in[i]; s += in[j]; }",
        "for (int i = 0; i < n; ++i) s += expf(in[i * 64 + threadIdx.x]);",
    ],
)
def test_loops_of_each_thread(loop: str) -> None:
    assert body_of(f"float s = 0; {loop} out[threadIdx.x] = s;").count("HIPPORT_EACH") == 1


@pytest.mark.parametrize(
    "body",
    [
        "",
        "unknown(); out[n] = 1;",
        "out[n] = __shfl_sync(-1, n, 0);",
        "while (atomicAdd(&out[0], 0.0f) < n) {}",
        "while (atomicCAS(lock, 0, 1)) {} out[n] = 1;",
        "SYNC; out[n] = 1;",
        "volatile float* v = in; out[n] = v[0];",
        "auto f = [] { return 1; }; out[n] = f();",
        "static int calls; out[n] = ++calls;",
        "if (threadIdx.x < 32) { __syncthreads(); } out[n] = 1;",
        "for (int i = threadIdx.x; i < n; i += 32) { out[i] = 1; __syncthreads(); }",
        "int s = threadIdx.x; while (s > 1) { s /= 2; __syncthreads(); }",
        "int s = n; int* p = &s; while (s > 1) { *p /= 2; __syncthreads(); }",
        "for (int i = 0; i < n; ++i) { if (in[i] > threadIdx.x) break; __syncthreads(); }",
        "auto v = in[threadIdx.x]; __syncthreads(); out[n] = v;",
        "int a[2] = {1, 2}; __syncthreads(); out[n] = a[threadIdx.x];",
        "switch (n) { case 1: __syncthreads(); }",
        'asm volatile(""); out[n] = 1;',
        "__syncthreads_count(n); out[n] = 1;",
        "\n#if X\nout[n] = 1;\n#endif\n",
        "lane(); out[n] = 1;",
        "named(); out[n] = 1;",
    ],
)
def test_left_alone(body: str) -> None:
    functions = "__device__ int lane() { return threadIdx.x; }\n__device__ int named() { return TID; }\n"
    text = functions + kernel(body)
    assert "HIPPORT_REGIONS" not in rewritten(text)


def test_harmless_functions_of_the_source() -> None:
    function = "__device__ float half_of(float x) { return x / 2; }\n"
    assert "HIPPORT_REGIONS" in rewritten(function + kernel("out[n] = half_of(in[n]);"))


def test_lines_stay() -> None:
    text = kernel("\n float a = 1, // one\n b = in[threadIdx.x];\n __syncthreads();\n out[n] = a + b;\n")
    assert rewritten(text).count("\n") == text.count("\n")
    assert "// one" not in rewritten(text)


@pytest.mark.parametrize(
    ("guard", "condition", "left"),
    [
        ("if (i < n) out[i] = 1;", "(i < n), ", "if (true) out[i] = 1;"),
        ("if (i >= n) return; out[i] = 1;", "!(i >= n), ", " out[i] = 1;"),
        ("if (i >= n) { return; } out[i] = 1;", "!(i >= n), ", " out[i] = 1;"),
        ("if (i < 1 || !(i < n)) return; out[i] = 1;", "!(i < 1 || !(i < n)), ", " out[i] = 1;"),
        ("if (i > 0 && i < n) out[i] = 1;", "(i > 0 && i < n), ", "if (true) out[i] = 1;"),
        ("if (n < 3) return; if (i == n) out[i] = 1;", "!(n < 3) && (i == n), ", " if (true) out[i] = 1;"),
        ("if (n < 3 || in == out) return; out[i] = 1;", "!(n < 3 || in == out), ", " out[i] = 1;"),
    ],
)
def test_conditions_of_rows(guard: str, condition: str, left: str) -> None:
    text = body_of(f"{INDEX} {guard}")
    assert f"HIPPORT_ROWS {INDEX} HIPPORT_ROW(true, {condition}::hipport::cpu::linear<1>(i)" in text
    assert text.endswith(f"{AFTER} {left} HIPPORT_END")


@pytest.mark.parametrize(
    "guard",
    [
        "if (i != n) out[i] = 1;",  # two ranges of threads
        "if (i < 3 || i > n) out[i] = 1;",
        "if (i > 3 && i < n) return; out[i] = 1;",
        "if (i % 2 == 0) out[i] = 1;",
        "if (in[i] > 0) out[i] = 1;",
        "if (i < n) out[i] = 1; else out[i] = 2;",
        "if (i < n) out[i] = 1; out[i + 1] = 2;",
        "out[0] = 1; if (i >= n) return; out[i] = 1;",
        "if (i * i < n) out[i] = 1;",
    ],
)
def test_conditions_that_stay(guard: str) -> None:
    assert guard in body_of(f"{INDEX} {guard}")


def test_rows_know_constants() -> None:
    assert "HIPPORT_ROW(__builtin_constant_p(kCount), (i < kCount), " in body_of(f"{INDEX} if (i < kCount) out[i] = 1;")


def test_division_behind_a_guard_stays_behind() -> None:
    text = body_of(f"{INDEX} if (n == 0) return; const int j = i + 9 / n; if (j > 3) out[j] = 1;")
    assert "HIPPORT_ROW(true, !(n == 0), " in text
    assert text.count("9 / n") == 1
    assert "if (j > 3) out[j] = 1;" in text


@pytest.mark.parametrize("body", ["for (int j = 0; j < i; ++j) out[i] += in[j];", "out[i] = expf(in[i]);"])
def test_what_is_not_vectorized_has_no_rows(body: str) -> None:
    assert "HIPPORT_ROW" not in body_of(f"{INDEX} {body}")


def test_no_rows_where_threads_leave_before_a_barrier() -> None:
    text = body_of(f"{INDEX} if (i >= n) return; out[i] = 1; __syncthreads(); out[i] = 2;")
    assert "HIPPORT_ROW" not in text


def test_rows_of_later_regions_compute_variables_again() -> None:
    text = body_of(f"{INDEX} out[i] = 1; __syncthreads(); out[i + 1] = 2;")
    assert text.endswith(f"HIPPORT_ROW(true, true, ::hipport::cpu::linear<1>(i)) {AFTER} out[i + 1] = 2; HIPPORT_END")


def test_lines_of_guards_stay() -> None:
    text = kernel("\n const int i =\n threadIdx.x;\n if (i\n >= n)\n return;\n out[i] = 1;\n")
    assert rewritten(text).count("\n") == text.count("\n")
    assert "HIPPORT_AFTER(0)" in rewritten(text)
