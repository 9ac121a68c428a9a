"""CUDA programs from tables: idioms of warps, launches, names in many places; they check themselves.

A case is the body of a kernel that writes `o[t]` for each of 64 threads, and the value that CUDA gives thread `t`, in
C++. `python -m tests.translate.adversarial.generated` prints the programs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel's body, what it needs in front, and the value of thread `t` as CUDA computes it."""

    name: str
    body: str
    value: str
    head: str = ""
    launch: str = "kernel<<<1, 64>>>(o);"


LANES = {
    "and": "threadIdx.x & 31",
    "mod": "threadIdx.x % 32",
    "hex": "threadIdx.x & 0x1fu",
    "macro": "threadIdx.x & (WARP - 1)",
    "sub": "threadIdx.x - (threadIdx.x >> 5 << 5)",
    "shift": "threadIdx.x - (threadIdx.x / WARP) * WARP",
}
MASKS = {"hex": "0xffffffff", "not": "~0u", "minus": "-1", "named": "kFull", "wide": "0xFFFFFFFFu"}
KEPT = {
    "unsigned": "unsigned votes = @;",
    "uint": "uint32_t votes{@};",
    "const": "const unsigned int votes(@);",
    "int": "int votes = (int)@;",
    "auto": "auto votes = @;",
    "member": "struct { unsigned votes; } s; s.votes = @; const unsigned votes = s.votes;",
    "array": "unsigned all[2] = {@, 0}; unsigned votes = all[0];",
    "shared": (
        "__shared__ unsigned all[2]; all[threadIdx.x / 32] = @; __syncthreads(); "
        "unsigned votes = all[threadIdx.x / 32];"
    ),
    "lambda": "auto vote = [&] { return @; }; unsigned votes = vote();",
    "helper": "unsigned votes = same(@);",
    "macro": "unsigned votes = VOTE(KEEP);",
}
COUNTS = {
    "popc": ("__popc(votes)", "whole(t)"),
    "ffs": ("__ffs(votes)", "lowest(t)"),
    "below": ("__popc(votes & ((1u << lane) - 1))", "below(t)"),
    "top": ("31 - __clz(votes)", "top(t)"),
    "bit": ("votes >> lane & 1", "keep(t)"),
    "bytes": ("(int)sizeof(votes)", "4"),
}
_HEAD = """\
#define WARP 32
#define KEEP (threadIdx.x % 3 == 1)
#define VOTE(p) __ballot_sync(0xffffffffu, p)
static constexpr unsigned kFull = 0xffffffffu;
__device__ unsigned same(unsigned votes) { return votes; }
static int keep(int t) { return t % 3 == 1; }
static int count(int from, int to) { int n = 0; for (int i = from; i < to; ++i) n += keep(i); return n; }
static int below(int t) { return count(t / 32 * 32, t); }
static int whole(int t) { return count(t / 32 * 32, t / 32 * 32 + 32); }
static int top(int t) { int l = 31; while (!keep(t / 32 * 32 + l)) --l; return l; }
static int lowest(int t) { int l = 0; while (!keep(t / 32 * 32 + l)) ++l; return l + 1; }
"""


def votes() -> Iterator[Case]:
    """Ballots: the lane's spelling, the mask's, where the votes are kept, and what is made of them."""
    for (kept, declared), (made, (code, value)) in itertools.product(KEPT.items(), COUNTS.items()):
        index = len(kept) + len(made)
        lane = list(LANES)[index % len(LANES)]
        mask = list(MASKS)[index % len(MASKS)]
        ballot = f"__ballot_sync({MASKS[mask]}, KEEP)"
        body = f"int lane = {LANES[lane]}; {declared.replace('@', ballot)} o[threadIdx.x] = {code};"
        yield Case(f"vote_{kept}_{made}", body, value, _HEAD)


SHUFFLES = {
    "xor": ("__shfl_xor_sync({m}, v, {n})", "t ^ {n}", (1, 8, 16, 31)),
    "down": ("__shfl_down_sync({m}, v, {n})", "t % 32 + {n} < 32 ? t + {n} : t", (1, 16, 31)),
    "up": ("__shfl_up_sync({m}, v, {n})", "t % 32 >= {n} ? t - {n} : t", (1, 5, 31)),
    "from": ("__shfl_sync({m}, v, {n})", "t / 32 * 32 + ({n} & 31)", (0, 3, 31, 33)),
    "down8": ("__shfl_down_sync({m}, v, {n}, 8)", "t % 8 + {n} < 8 ? t + {n} : t", (1, 4)),
    "next": ("__shfl_sync({m}, v, (threadIdx.x & 31) + {n})", "t / 32 * 32 + (t + {n}) % 32", (1, 17)),
}
TYPES = {"int": "o[threadIdx.x] = (int)r", "float": "o[threadIdx.x] = (int)r", "double": "o[threadIdx.x] = (int)r"}
TYPES |= {"unsigned long long": "o[threadIdx.x] = (int)(r & 0xffff)", "short": "o[threadIdx.x] = r"}


def shuffles() -> Iterator[Case]:
    """Shuffles of all kinds, distances and types."""
    masks, types = itertools.cycle(MASKS.items()), itertools.cycle(TYPES.items())
    for kind, (code, value, distances) in SHUFFLES.items():
        for n in distances:
            (_, mask), (type_, result) = next(masks), next(types)
            body = f"{type_} v = ({type_})threadIdx.x; {type_} r = {code.format(m=mask, n=n)}; {result};"
            yield Case(f"shfl_{kind}_{n}", body, value.format(n=n), _HEAD)


GROUPS = {
    "rank": ("g.thread_rank()", "t % N"),
    "size": ("g.size()", "N"),
    "warp": ("g.meta_group_rank()", "t / N"),
    "shfl": ("g.shfl((int)threadIdx.x, N / 2)", "t / N * N + N / 2"),
    "down": ("g.shfl_down((int)threadIdx.x, 1)", "t % N + 1 < N ? t + 1 : t"),
    "any": ("g.any(threadIdx.x == 40)", "t / N == 40 / N"),
    "all": ("g.all(threadIdx.x < 32)", "t / N * N + N <= 32"),
    "votes": ("__popc(g.ballot(threadIdx.x % 2))", "N / 2"),
    "constant": (
        "[&] { constexpr auto n = g.size(); int a[g.num_threads()] = {}; return int(n + sizeof a); }()",
        "N * 5",
    ),
    "type": ("int(decltype(g)::num_threads() + std::integral_constant<unsigned, decltype(g)::size()>::value)", "N * 2"),
}


def groups() -> Iterator[Case]:
    """Tiles of cooperative groups of all sizes."""
    for (name, (code, value)), size in itertools.product(GROUPS.items(), (2, 8, 16, 32)):
        tile = f"auto g = cooperative_groups::tiled_partition<{size}>(cooperative_groups::this_thread_block());"
        one = value.replace("N", str(size))
        yield Case(f"tile_{name}_{size}", f"{tile} o[threadIdx.x] = {code.replace('N', str(size))};", one)


ACTIVE = {"odd": "t % 2 == 1", "upper": "t % 32 >= 20", "few": "t % 32 % 7 == 3", "all": "t >= 0"}
OF_ACTIVE = {
    "size": ("g.size()", "members(t)"),
    "rank": ("g.thread_rank()", "rank(t)"),
    "first": ("g.shfl((int)threadIdx.x, 0)", "member(t, 0)"),
    "down": ("g.shfl_down((int)threadIdx.x, 1)", "rank(t) + 1 < members(t) ? member(t, rank(t) + 1) : t"),
    "votes": ("__popc(g.ballot(threadIdx.x % 4 < 2))", "counted(t)"),
    "any": ("g.any(threadIdx.x == 53)", "IN(53) && t >= 32"),
    "pairs": ("cooperative_groups::tiled_partition(g, 2).thread_rank()", "rank(t) % 2"),
}
_ACTIVE_HEAD = """\
static int members(int t) { int n = 0; for (int i = t / 32 * 32; i < t / 32 * 32 + 32; ++i) n += IN(i); return n; }
static int rank(int t) { int n = 0; for (int i = t / 32 * 32; i < t; ++i) n += IN(i); return n; }
static int member(int t, int r) { int i = t / 32 * 32; while (!IN(i) || rank(i) != r) ++i; return i; }
static int counted(int t) {
  int n = 0;
  for (int i = t / 32 * 32; i < t / 32 * 32 + 32; ++i) n += IN(i) && i % 4 < 2;
  return n;
}
"""


def active() -> Iterator[Case]:
    """Groups of active lanes, of some lanes of each warp."""
    for (name, (code, value)), (lanes, chosen) in itertools.product(OF_ACTIVE.items(), ACTIVE.items()):
        group = "auto g = cooperative_groups::coalesced_threads();"
        body = f"const int t = threadIdx.x; o[t] = -5; if (IN(t)) {{ {group} o[t] = {code}; }}"
        head = f"#define IN(t) ({chosen.replace('t ', '(t) ')})\n{_ACTIVE_HEAD}"
        yield Case(f"active_{name}_{lanes}", body, f"IN(t) ? ({value}) : -5", head)


LAUNCHES = {
    "plain": "kernel<<<1, 64>>>(o);",
    "dims": "kernel<<<dim3(1), dim3(64, 1), 0, 0>>>(o);",
    "braces": "kernel<<<{1, 1}, {64}>>>(o);",
    "parentheses": "(kernel)<<<1, (64)>>>((o));",
    "pointer": "void (*f)(int*) = kernel; f<<<1, 64>>>(o);",
    "pointee": "auto f = &kernel; (*f)<<<1, 64>>>(o);",
    "condition": "if (o) kernel<<<1, 64>>>(o); else return 1;",
    "ternary": "o ? kernel<<<1, 64>>>(o) : (void)0;",
    "lambda": "[&] { kernel<<<1, 64>>>(o); }();",
    "comments": "kernel /* <<< */ <<< 1, // >>>\n 64 >>> /* ( */ (o);",
    "computed": "kernel<<<[] { return 1; }(), (1 > 0 ? 64 : 32)>>>(o);",
    "function": "void* arguments[] = {&o}; cudaLaunchKernel((const void*)kernel, dim3(1), dim3(64), arguments, 0, 0);",
}


def launches() -> Iterator[Case]:
    """Spellings of a launch."""
    for name, launch in LAUNCHES.items():
        yield Case(f"launch_{name}", "o[threadIdx.x] = 7 * threadIdx.x;", "7 * t", launch=launch)


NUMBERS = {
    "big": ("1e20f", "2147483647", "-1", "2147483647"),
    "small": ("-1e20f", "-2147483647 - 1", "0", "-2147483647 - 1"),
    "minus": ("-1.5f", "-1", "0", "-1"),
    "nan": ("__int_as_float(0x7fffffff)", "0", "0", "0"),
    "fits": ("300.75f", "300", "300", "300"),
}


def conversions() -> Iterator[Case]:
    """Conversions to integers, which saturate on GPUs; the value comes from memory, so that nothing is folded."""
    for name, (number, signed, unsigned, rounded) in NUMBERS.items():
        given = f"__shared__ volatile float x; x = {number}; __syncthreads();"
        yield Case(f"int_{name}", f"{given} o[threadIdx.x] = (int)x;", signed)
        yield Case(f"unsigned_{name}", f"{given} o[threadIdx.x] = (int)(unsigned)x;", unsigned)
        yield Case(f"intrinsic_{name}", f"{given} o[threadIdx.x] = __float2int_rz(x);", rounded)
        yield Case(f"double_{name}", f"{given} o[threadIdx.x] = (int)(double)x;", signed)
        byte = f"(int)(unsigned char)({unsigned})"
        yield Case(f"byte_{name}", f"{given} o[threadIdx.x] = (unsigned char)x;", byte)


NAMES = {"cudaMemcpyDeviceToHost": "2", "cudaErrorInvalidValue": "1", "cudaHostAllocMapped": "2"}
PLACES = {
    "value": ("", "(int)@"),
    "macro": ("#define NAMED @\n", "(int)NAMED"),
    "pasted": ("#define CAT(a, b) a##b\n", "(int)CAT(cuda, #)"),
    "listed": ("#define LIST(X) X(@)\n#define PLUS(e) +(int)e\n", "0 LIST(PLUS)"),
    "enumerator": ("enum Own { kOwn = (int)@ };\n", "(int)kOwn"),
    "argument": ("template <int N> struct Holds { static constexpr int value = N; };\n", "Holds<(int)@>::value"),
    "default": ("static int given(int value = (int)@) { return value; }\n", "given()"),
    "table": ("static const int table[] = {0, (int)@};\n", "table[1]"),
    "case": (
        "static int found(int v) { switch (v) { case (int)@: return v; default: return -1; } }\n",
        "found((int)@)",
    ),
    "constant": ("static constexpr auto kept = @;\n", "(int)kept"),
    "shadowed": ("namespace own { static int cudaFree(int v) { return v; } }\n", "own::cudaFree((int)@)"),
    "split": ("", "(int)cuda\\\n#"),
}


def names() -> Iterator[Case]:
    """Names of CUDA in all places; the host passes the value to the kernel."""
    for (place, (head, use)), (name, value) in itertools.product(PLACES.items(), NAMES.items()):
        rest = name.removeprefix("cuda")
        given = use.replace("@", name).replace("#", rest)
        launch = f"for (int i = 0; i < 64; ++i) o[i] = {given};"
        yield Case(f"name_{place}_{rest}", "", value, head.replace("@", name), launch)


ENUMS = {
    "cublasOperation_t": {"CUBLAS_OP_N": 0, "CUBLAS_OP_T": 1, "CUBLAS_OP_C": 2},
    "cublasFillMode_t": {"CUBLAS_FILL_MODE_LOWER": 0, "CUBLAS_FILL_MODE_UPPER": 1},
    "cublasSideMode_t": {"CUBLAS_SIDE_LEFT": 0, "CUBLAS_SIDE_RIGHT": 1},
    "cusparseOperation_t": {"CUSPARSE_OPERATION_NON_TRANSPOSE": 0, "CUSPARSE_OPERATION_TRANSPOSE": 1},
    "cusolverEigMode_t": {"CUSOLVER_EIG_MODE_NOVECTOR": 0, "CUSOLVER_EIG_MODE_VECTOR": 1},
}
ENUM_PLACES = {
    "cast": ("", "(T)N == E"),
    "static_cast": ("", "static_cast<T>(N) == E"),
    "function": ("", "T(N) == E"),
    "parentheses": ("", "(T)((N)) == (E)"),
    "arms": ("", "(T)(o ? N : 0) == E"),
    "member": ("struct Held { T mode; };\n", "[] { Held held{E}; return held.mode == N; }()"),
    "pointer": (
        "struct Held { T mode; };\n",
        "[](const Held* held) { return N == held->mode; }(&(const Held&)Held{E})",
    ),
    "alias": ("using Mode = T;\n", "(Mode)N == E"),
    "typedef": ("typedef T Mode;\n", "[](Mode mode) { return mode == N; }(E)"),
    "macro": ("#define MODE T\n#define VALUE E\n", "(MODE)N == VALUE"),
    "template": ("template <T mode> struct Is { static constexpr bool value = mode == N; };\n", "Is<E>::value"),
    "returned": ("static T given() { return E; }\n", "given() == N"),
    "switch": (
        "static int found(T mode) { switch (mode) { case N: return 1; default: return 0; } }\n",
        "found(E)",
    ),
    "number": ("", "[] { T mode = E; return (int)mode == N; }()"),
}


def _with(text: str, type_: str, number: int, name: str) -> str:
    return re.sub(r"\bE\b", name, re.sub(r"\bN\b", str(number), re.sub(r"\bT\b", type_, text)))


def enums() -> Iterator[Case]:
    """Numbers of libraries' enumerators, as literals, in all places: all of these are true."""
    for (place, (head, use)), (type_, names) in itertools.product(ENUM_PLACES.items(), ENUMS.items()):
        for name, number in names.items():
            code, given = (_with(text, type_, number, name) for text in (head, use))
            launch = f"for (int i = 0; i < 64; ++i) o[i] = {given};"
            yield Case(f"enum_{place}_{name}", "", "1", code, launch)


LIBRARIES = {"cublas": "Create", "cusparse": "Create", "cusolverDn": "Create"}
HANDLES = {
    "pasted": ("#define HANDLE(n) n##Handle_t\n#define MAKE(n, h) n##Create(h)\n", "HANDLE(#) h; made = !MAKE(#, &h);"),
    "joined": ("#define CAT(a, b) a##b\n", "CAT(#, Handle_t) h; made = !CAT(#, Create)(&h);"),
    "member": ("struct Held { #Handle_t handle; };\n", "Held held; made = !#Create(&held.handle);"),
    "template": (
        "template <class H, class F> int make(F f) { H h; return !f(&h); }\n",
        "made = make<#Handle_t>([](#Handle_t* h) { return #Create(h); });",
    ),
    "alias": ("using Handle = #Handle_t;\n", "Handle h = nullptr; made = #Create(&h) == 0 && h != nullptr;"),
    "global": ("static #Handle_t handle;\n", "auto create = &#Create; made = create(&handle) == 0;"),
    "decltype": ("", "#Handle_t h; decltype(h)* p = &h; made = !#Create(p);"),
}


def handles() -> Iterator[Case]:
    """Handles of libraries in all places."""
    for (place, (head, use)), library in itertools.product(HANDLES.items(), LIBRARIES):
        given = use.replace("#", library)
        launch = f"int made = 0; {{ {given} }} for (int i = 0; i < 64; ++i) o[i] = made;"
        kept = re.sub(r"(?<!#)#(?=Handle)", library, head)
        yield Case(f"handle_{place}_{library}", "", "1", kept, launch)


def cases() -> list[Case]:
    """Return all cases."""
    made = (votes(), shuffles(), groups(), active(), launches(), conversions(), names(), enums(), handles())
    return [case for each in made for case in each]


def program(of: Iterable[Case]) -> str:
    """Return a program that prints the names of the cases that fail, and how many there are."""
    made = [*of]
    text = "".join(case.head + case.launch for case in made)
    used = {"cublas": "cublas_v2.h", "cusolver": "cusolverDn.h", "cusparse": "cusparse.h"}
    libraries = (header for library, header in used.items() if library in text)
    headers = ("cooperative_groups.h", "cstdint", "cstdio", "cuda_runtime.h", "type_traits", *libraries)
    parts = ["".join(f"#include <{name}>\n" for name in headers)]
    tests = []
    for number, case in enumerate(made):
        defined = [line.split()[1].partition("(")[0] for line in case.head.splitlines() if line.startswith("#define")]
        parts.append(
            f"namespace case{number} {{\n{case.head}"
            f"__global__ void kernel(int* o) {{ {case.body} }}\n"
            f"static int value(int t) {{ return {case.value}; }}\n"
            "static int test() {\n  int* o;\n  cudaMallocManaged(&o, 64 * sizeof(int));\n"
            f"  {case.launch}\n  cudaDeviceSynchronize();\n"
            "  for (int t = 0; t < 64; ++t) {\n"
            f'    if (o[t] != value(t)) return printf("{case.name}: thread %d has %d, not %d\\n", t, o[t], value(t));\n'
            "  }\n  return 0;\n}\n"
            "}\n" + "".join(f"#undef {name}\n" for name in defined)
        )
        tests.append(f"case{number}::test")
    # By pointers: a compiler that puts hundreds of functions in one takes three times as long.
    parts.append(f"static int (*const tests[])() = {{{', '.join(tests)}}};\n")
    parts.append(
        "int main() {\n  int wrong = 0;\n  for (int (*test)() : tests) wrong += test() != 0;\n"
        '  printf("%d wrong\\n", wrong);\n}\n'
    )
    return "".join(parts)


if __name__ == "__main__":
    print(program(cases()))
