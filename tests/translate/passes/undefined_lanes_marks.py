"""Generated: kernels whose leader has an atomic operation, in all forms of functions and of setting a variable.

Each form is a function `take_NAME(counter, lane)` and what calls it; without an initial value Clang loses the condition
in most of them, or may.
"""

from __future__ import annotations

from collections.abc import Iterator

HEAD = """#define DEV __device__ __forceinline__
#define NOINLINE_DEV __device__ __attribute__((noinline))
#define BOTH_SIDES __host__ __device__
#define THROUGH DEV
#define KERNEL extern "C" __global__
#define ADD atomicAdd(counter, 32)
NOINLINE_DEV int passed(int value) { return value * 3; }
NOINLINE_DEV float passed(float value) { return value * 3; }
struct Pair { float x, y; };
DEV void set_if(bool first, int* counter, int* value) { if (first) *value = ADD; }
DEV void set_reference(bool first, int* counter, int& value) { if (first) value = ADD; }
DEV void set_all(bool first, int* counter, int& value) { if (first) value = ADD; else value = 0; }
#define SET_IF(first, value) if (first) value = ADD
#define LEADER(result, first) { int value_; if (first) value_ = ADD; result = passed(value_); }
"""
MARKS = {
    "word": "__device__ int take_NAME(int* counter, int lane) { BODY }",
    "inline": "DEV int take_NAME(int* counter, int lane) { BODY }",
    "behind": "static DEV int take_NAME(int* counter, int lane) { BODY }",
    "through": "THROUGH int take_NAME(int* counter, int lane) { BODY }",
    "template": "template <typename T> DEV T typed_NAME(int* counter, T lane) { BODY }\n"
    "DEV int take_NAME(int* counter, int lane) { return typed_NAME<int>(counter, lane); }",
    "static_member": "struct S_NAME { DEV static int take(int* counter, int lane) { BODY } };\n"
    "DEV int take_NAME(int* counter, int lane) { return S_NAME::take(counter, lane); }",
    "member": "template <typename T> struct M_NAME { T leader; THROUGH T take(int* counter, T lane) const { BODY } };\n"
    "DEV int take_NAME(int* counter, int lane) { return M_NAME<int>{0}.take(counter, lane); }",
    "outside": "template <typename T> struct O_NAME { DEV T take(int* counter, T lane) const; };\n"
    "template <typename T> DEV T O_NAME<T>::take(int* counter, T lane) const { BODY }\n"
    "DEV int take_NAME(int* counter, int lane) { return O_NAME<int>{}.take(counter, lane); }",
    "lambda": "DEV int take_NAME(int* counter, int lane) { auto f = [=](int lane) { BODY }; return f(lane); }",
    "typed_lambda": "DEV int take_NAME(int* counter, int lane) { auto f = [&](int lane) -> int { BODY };"
    " return f(lane); }",
}
BODIES = {
    "returned": "int v; if (lane == 0) v = ADD; return v;",
    "passed": "int v; if (lane == 0) v = ADD; return passed(v);",
    "for": "int v; for (int i = lane; i <= 0; i += 32) v = ADD; return v;",
    "while": "int v; while (lane < 1) { v = ADD; lane += 32; } return v;",
    "switch": "int v; switch (lane) { case 0: v = ADD; break; } return v;",
    "default": "int v; switch (lane) { case 0: v = ADD; break; default: break; } return v;",
    "declared_in_case": "switch (lane) { default: { int v; if (lane == 0) v = ADD; return v; } } return 0;",
    "second": "{ int v = 1; counter[1] = v; } int v; if (lane == 0) v = ADD; return v;",
    "third": "int v; if (lane == 0) v = ADD; { int v = 2; counter[1] = v; } return v;",
    "else_if": "int v; if (lane == 0) v = ADD; else if (lane == 70) v = 3; return v;",
    "both_ifs": "int v; if (lane == 0) v = ADD; if (lane == 70) v = 3; return v;",
    "and": "int v; (lane == 0) && (v = ADD); return v;",
    "array": "int v[2]; if (lane == 0) v[0] = ADD; return v[0];",
    "elements": "int v[2]; for (int i = 0; i < 2; ++i) if (lane + i == 0) v[i] = ADD; return passed(v[0]) + v[1];",
    "member": "Pair v; if (lane == 0) v.x = ADD; return v.x;",
    "other_member": "Pair v; v.x = 1; if (lane == 0) v.y = ADD; return passed(v.y);",
    "vector": "float2 v; if (lane == 0) v.x = ADD; return passed(v.x);",
    "pointer": "int v; set_if(lane == 0, counter, &v); return v;",
    "reference": "int v; set_reference(lane == 0, counter, v); return v;",
    "by_macro": "int v; SET_IF(lane == 0, v); return passed(v);",
    "macro": "int result; LEADER(result, lane == 0) return result;",
    "in_lambda": "int v; auto set = [&] { v = ADD; }; if (lane == 0) set(); return v;",
    "back": "int v; again: if (lane == 0) v = ADD; if (lane < -5) { lane += 1; goto again; } return v;",
}
CALL = """
KERNEL void k_NAME(int* counter, int* results, int leader) {
  results[threadIdx.x] = take_NAME(counter, threadIdx.x - leader);
}
"""
MISSES = {
    "arms": "int v; if (lane == 0) v = ADD; else v = 2; return v;",
    "before": "int v; v = 2; if (lane == 0) v = ADD; return v;",
    "leaves": "int v; if (lane == 0) v = ADD; else return 0; return v;",
    "inside": "int v; if (lane == 0) { v = ADD; return v; } return 0;",
    "all_cases": "int v; switch (lane) { case 0: v = ADD; break; case 1: default: v = 2; } return v;",
    "falls": "int v; switch (lane) { case 0: ADD; default: v = 2; } return v;",
    "do": "int v; do { v = ADD; } while (v < 0); return v;",
    "condition": "int v; if ((v = lane) == 0) ADD; return v;",
    "all_elements": "int v[2]; for (int i = 0; i < 2; ++i) v[i] = lane; if (lane == 0) v[0] = ADD; return v[0];",
    "set_member": "Pair v; v.x = 1; if (lane == 0) v.y = ADD; return passed(v.x);",
    "always": "int v; set_all(lane == 0, counter, v); return v;",
    "unknown": "int v; elsewhere(lane == 0, counter, v); return v;",
    "large": "int v[64]; if (lane == 0) v[lane] = ADD; return v[lane];",
    "first_and": "int v; (v = lane) && ADD; return v;",
    "operand": 'int v; asm("" : "=r"(v)); if (lane == 0) v = ADD; return v;',
    "jumped_over": "if (lane == 3) goto end; int v; if (lane == 0) v = ADD; return v; end: return 0;",
    "case_scope": "switch (lane) { case 0: int v; if (lane < 9) v = ADD; return v; case 1: return 1; } return 0;",
}


def kernels() -> Iterator[tuple[str, str]]:
    """Yield the name and text of each kernel, with the function that it calls."""
    for mark, function in MARKS.items():
        for form, body in BODIES.items():
            name = f"{mark}_{form}"
            yield name, (function.replace("BODY", body) + CALL).replace("NAME", name)
