"""HP239: every form of waiting, behind every kind of condition."""

from __future__ import annotations

import itertools

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source

WAITS = (
    "while (atomicCAS(lock, 0, 1) != 0);",
    "while (0 != atomicCAS(lock, FREE, TAKEN)) {}",
    "while (atomicCAS(lock, 0, t + 1) != 0) __nanosleep(10);",
    "while (atomicExch(lock, 1)) continue;",
    "while (!(atomicExch_system(lock, TAKEN) == 0)) { __threadfence(); }",
    "do {} while (atomicCAS_block(lock, 0, 1) != 0);",
    "do { v = atomicCAS(lock, 0, 1); } while (v != 0);",
    "do { __nanosleep(v); } while ((v = atomicCAS(lock, 0, 1)) != 0);",
    "for (; atomicCAS(lock, 0, 1) != 0;);",
    "while (true) { if (atomicCAS(lock, 0, 1) == 0) break; }",
    "for (;;) if (!atomicExch(lock, 1)) break;",
    "while (1) { __nanosleep(8); if (atomicCAS(lock, 0, 1) == 0) { break; } }",
    "while (flag->test_and_set());",
    "while (flag->exchange(true)) {}",
)
MANY = (
    "",
    "if (n > 3) ",
    "if (threadIdx.y == 0) ",
    "if (lane < 16) ",
    "if (warp == 0) ",
    "for (int i = 0; i < n; ++i) ",
)
ONE = (
    "if (threadIdx.x == 0) ",
    "if (0 == t && n) ",
    "if (!lane) ",
    "if (n && !threadIdx.x) ",
    "if (lane < 1) ",
    "if (lane == n) ",
    "if (__ffs(mask) - 1 == lane) ",
    "if (leader) ",
    "if (block.thread_rank() == 0) ",
    "for (int i = 0; i < 32; ++i) if (i == lane) ",
    "if (t != 0) return; ",
    "if (lane) { out[t] = 1; return; } ",
    "if (n < 0 || threadIdx.x > 0) return; ",
)


def found(tables: Tables, body: str, rest: str = "") -> list[str]:
    text = f"""#define FREE 0
const int TAKEN = 1;
__global__ void k(int* out, int n, int* lock, Flag* flag) {{
  const int t = threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x >> 5;
  const unsigned mask = __activemask();
  const bool leader = t % 32 == 0;
  int v = 0;
  {{ {body} }}
  ++out[0];
  *lock = 0;
}}
{rest}"""
    told = check_source(text.encode(), "a.cu", Context(tables)).diagnostics
    return [each.severity.name for each in told if each.code == "HP239"]


@pytest.mark.parametrize("wait", WAITS)
def test_waits_of_many_lanes(tables: Tables, wait: str) -> None:
    for condition in MANY:
        assert found(tables, condition + wait) == ["WARNING"], condition


@pytest.mark.parametrize("wait", WAITS)
def test_waits_of_one_lane(tables: Tables, wait: str) -> None:
    for condition in ONE:
        assert not found(tables, condition + wait), condition


@pytest.mark.parametrize(
    "body",
    [
        "while (atomicCAS(lock + v, 0, 1) != 0) ++v;",
        "while (atomicCAS(lock, 0, 1) != 0 && v < 9) ++v;",
        "while (atomicCAS(lock, 0, 1) != 0) if (n) break;",
        "while (atomicCAS(lock, 0, 1) != 0) { out[1] = 1; }",
        "do { v = n; n = atomicCAS(lock, v, v + 1); } while (n != v);",
        "for (bool done = false; !done;) if (atomicCAS(lock, 0, 1) == 0) { atomicExch(lock, 0); done = true; }",
        "do { v = atomicCAS(lock, 0, 1); if (v == 0) atomicExch(lock, 0); } while (v != 0);",
        "while (true) { if (atomicCAS(lock, 0, 1) == 0) break; if (++v > 9) return; }",
        "if (atomicCAS(lock, 0, 1) == 0) ++v;",
        "while (atomicExch(lock, 0)) ;",
        "v = atomicExch(lock, 1);",
        "while (atomicAdd(lock, 0) < n);",
    ],
)
def test_near_misses(tables: Tables, body: str) -> None:
    assert not found(tables, body)


@pytest.mark.parametrize(
    "wait", ["while (*flags == 0);", "do {} while (flags[0] < n);", "for (; !flags[n];) __nanosleep(9);"]
)
@pytest.mark.parametrize(
    "write", ["flags[0] = 1;", "{ ++v; *flags = t; }", "atomicExch(flags, 1);", "atomicAdd(&flags[n], 2);"]
)
def test_arms_that_wait_for_each_other(tables: Tables, wait: str, write: str) -> None:
    volatile = "volatile int* flags = lock; "
    for condition in ("lane == 0", "threadIdx.x & 1", "lane < 16 && n"):
        assert found(tables, f"{volatile} if ({condition}) {{ {wait} }} else {write}") == ["WARNING"]
        assert found(tables, f"{volatile} if ({condition}) {write} else {wait}") == ["WARNING"]
    for condition in ("threadIdx.x < 32", "n > 3", "threadIdx.x / 32 == 1"):
        assert not found(tables, f"{volatile} if ({condition}) {{ {wait} }} else {write}")
    assert not found(tables, f"{volatile} if (lane == 0) {write} {wait}")
    assert not found(tables, f"{volatile} if (lane == 0) {{ {wait} }} else {write.replace('flags', 'out')}")


LOCK = "__device__ void enter(int* lock) { while (atomicExch(lock, 1) != 0); }\n"
CALLS = "__global__ void c(int* lock, int n) {{ const int t = threadIdx.x, lane = t % 32; {} enter(lock); }}\n"


def test_conditions_where_it_is_called(tables: Tables) -> None:
    assert found(tables, ";", LOCK) == ["NOTE"]
    for one, many in itertools.product(ONE[:6], MANY[:4]):
        assert not found(tables, ";", LOCK + CALLS.format(one))
        assert found(tables, ";", LOCK + CALLS.format(many)) == ["WARNING"]
        assert found(tables, ";", LOCK + CALLS.format(one) + CALLS.format(many)) == ["WARNING"]


@pytest.mark.parametrize(
    ("launch", "severities"),
    [
        ("k<<<9, 1>>>(out, 1, out, f);", []),
        ("k<<<9, dim3(1)>>>(out, 1, out, f);", []),
        ("k<<<9, 1>>>(out, 1, out, f); k<<<1, 64>>>(out, 1, out, f);", ["WARNING"]),
        ("k<<<1, n>>>(out, 1, out, f);", ["WARNING"]),
    ],
)
def test_blocks_of_one_thread(tables: Tables, launch: str, severities: list[str]) -> None:
    assert found(tables, WAITS[0], f"void run(int* out, int n, Flag* f) {{ {launch} }}") == severities
