"""Random kernels: control flow that diverges, shared memory, shuffles, atomics, local arrays, structs and calls.

Each thread keeps its variables in slots of its own in the output. Threads write shared memory at their own index and
read what others wrote only behind a barrier; atomic operations that meet are commutative and their results unused. So
every order in which threads run, and wavefronts of 32 and 64 lanes, give the same output.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from scripts.random_kernels.expressions import FLOATS, INTEGERS, SMALL, TYPES, Expressions

HEADER = Path(__file__).parent / "kernels.h"
_FUNCTIONS = 5
_LIMIT = 6  # statements of a block
_MEETING = ("And", "Or", "Xor", "Max", "Min")
"""Atomic operations that have a place each, behind which those that add have one."""


class _Body:
    """Writes statements on the variables of a thread; those of a kernel may wait for other threads."""

    def __init__(self, choose: random.Random, calls: dict[str, list[str]], is_kernel: bool):
        self.choose, self.is_kernel = choose, is_kernel
        self.variables: dict[str, list[str]] = {}  # those that statements change
        self.counters: list[str] = []
        self.names = 0
        self.arrays: dict[str, str] = {}  # types by name; 8 elements each
        self.at = Expressions(choose, self._readable, calls)

    def _readable(self) -> dict[str, list[str]]:
        found = {kind: list(names) for kind, names in self.variables.items()}
        found.setdefault("unsigned", []).extend(["pair.first", "pair.low", "pair.middle", "pair.high"])
        found.setdefault("unsigned long long", []).append("pair.wide")
        found.setdefault("float", []).extend(["vector.x", "vector.w", "pair.second[1]"])
        found.setdefault("int", []).extend(self.counters)
        if self.is_kernel:
            found["unsigned"] += ["thread", "index"]
        for name, kind in self.arrays.items():
            found.setdefault(kind, []).append(f"{name}[{self.choose.randrange(8)}]")
        return found

    def name(self, start: str) -> str:
        self.names += 1
        return f"{start}{self.names}"

    def start(self, count: int, values: list[str]) -> Iterator[str]:
        """Declare variables; `values` are expressions of type unsigned to start from."""
        for number in range(count):
            kind = self.choose.choice(TYPES if number else ("unsigned",))
            name, value = self.name("v"), self.choose.choice(values)
            wide = kind.endswith("long long")
            start = f"from_bits({value})" if kind in FLOATS and self.choose.random() < 0.3 else value
            rest = f" << 20 ^ ({kind}){self.choose.choice(values)}" if wide else ""
            yield f"{kind} {name} = ({kind})({start}){rest};"
            self.variables.setdefault(kind, []).append(name)
        yield f"Pair pair = {{{values[0]}, {{1.5f, (float)({values[-1]}), -2.0f}}, 3, 77, 1234, {values[-1]}}};"
        yield f"float4 vector = make_float4(1.0f, (float)({values[0]}), 0.5f, -3.0f);"
        for _ in range(self.choose.randint(0, 2)):
            name, kind = (
                self.name("array"),
                self.choose.choice(("unsigned", "float", "unsigned char", "double", "short")),
            )
            yield f"{kind} {name}[8];"
            yield f"for (int k = 0; k < 8; ++k) {name}[k] = ({kind})({values[0]} * k >> 3);"
            self.arrays[name] = kind

    def block(self, depth: int, can_wait: bool) -> Iterator[str]:
        for _ in range(self.choose.randint(1, _LIMIT if depth > 1 else 3)):
            yield from self.statement(depth, can_wait)

    def statement(self, depth: int, can_wait: bool) -> Iterator[str]:
        kinds = [self._assign] * 5 + [self._array, self._pair, self._vector]
        if self.is_kernel:
            kinds += [self._atomic]
        if depth > 0:
            kinds += [self._branch, self._branch, self._loop, self._loop, self._switch]
        if can_wait:
            kinds += [self._exchange, self._exchange, self._shuffle, self._shuffle, self._vote]
        for line in self.choose.choice(kinds)(depth, can_wait):
            yield f"  {line}"

    def _changed(self, *kinds: str) -> tuple[str, str]:
        """Return type and name of a variable to change; one of the types `kinds`, if there is any."""
        found = [(kind, name) for kind, names in self.variables.items() for name in names]
        return self.choose.choice([one for one in found if one[0] in kinds] or found)

    def _assign(self, depth: int, can_wait: bool) -> Iterator[str]:
        kind, name = self._changed()
        yield f"{name} = {self.at.of(kind, 3)};"

    def _array(self, depth: int, can_wait: bool) -> Iterator[str]:
        if self.arrays:
            name, kind = self.choose.choice(list(self.arrays.items()))
            yield f"{name}[{self.at.index(8)}] = ({kind}){self.at.of(kind if kind in TYPES else 'unsigned', 2)};"
            changed, to = self._changed()
            if changed in FLOATS or kind not in FLOATS:
                yield f"{to} = ({changed}){name}[{self.at.index(8)}];"

    def _pair(self, depth: int, can_wait: bool) -> Iterator[str]:
        copy = self.name("pair")
        yield f"Pair {copy} = pair;"
        yield f"{copy}.second[{self.at.index(2)}] = {self.at.of('float', 2)};"
        yield f"{copy}.{self.choose.choice(('low', 'middle', 'high', 'first'))} = {self.at.of('unsigned', 2)};"
        yield f"{copy}.wide = {self.at.of('unsigned long long', 2)};"
        yield f"if {self.at.condition(1)} pair = {copy};"
        if self.choose.random() < 0.5:
            yield f"pair = changed(pair, {self.at.of('unsigned', 1)});"

    def _vector(self, depth: int, can_wait: bool) -> Iterator[str]:
        part = self.choose.choice("xyzw")
        yield f"vector.{part} = {self.at.of('float', 2)};"
        others = f"make_float4(vector.w, vector.x, {self.at.of('float', 1)}, vector.y)"
        yield f"vector {self.choose.choice(('+=', '-=', '*='))} {others};"

    def _branch(self, depth: int, can_wait: bool) -> Iterator[str]:
        yield f"if {self.at.condition(2)} {{"
        yield from self.block(depth - 1, False)
        if self.choose.random() < 0.5:
            yield "} else {"
            yield from self.block(depth - 1, False)
        yield "}"

    def _loop(self, depth: int, can_wait: bool) -> Iterator[str]:
        counter = self.name("i")
        uniform = can_wait and self.choose.random() < 0.5
        bound = (
            str(self.choose.randint(1, 5))
            if uniform
            else f"(int)modulo({self.at.of('unsigned', 2)}, {self.choose.randint(2, 7)})"
        )
        end = self.name("end")
        yield f"const int {end} = {bound};"
        head = self.choose.choice((f"for (int {counter} = 0; {counter} < {end}; ++{counter}) {{",
                                   f"for (int {counter} = {end}; {counter}-- > 0;) {{"))  # fmt: skip
        yield head
        self.counters.append(counter)
        yield from self.block(depth - 1, uniform)
        if not uniform and self.choose.random() < 0.5:
            yield f"  if {self.at.condition(1)} {self.choose.choice(('break', 'continue'))};"
            yield from self.block(0, False)
        self.counters.remove(counter)
        yield "}"

    def _switch(self, depth: int, can_wait: bool) -> Iterator[str]:
        yield f"switch (modulo({self.at.of('unsigned', 2)}, 7)) {{"
        for case in sorted(self.choose.sample(range(7), self.choose.randint(2, 5))):
            yield f"  case {case}: {{"
            yield from self.block(depth - 1, False)
            yield "  }"
            if self.choose.random() < 0.7:
                yield "  break;"
        yield "  default: {"
        yield from self._assign(0, False)
        yield "  }"
        yield "}"

    def _atomic(self, depth: int, can_wait: bool) -> Iterator[str]:
        if self.choose.random() < 0.5:  # others do it, too
            operation, value = (
                self.choose.choice(("Add", "Xor", "Or", "And", "Max", "Min", "Sub")),
                self.at.of("unsigned", 2),
            )
            place = _MEETING.index(operation) if operation in _MEETING else len(_MEETING)
            yield f"atomic{operation}({self.choose.choice(('counts', 'meeting'))} + {place}, {value});"
            return
        name = self._changed("unsigned")[1]
        place = self.choose.choice(("&own[index]", "&mine[thread]"))
        operation = self.choose.choice(("Add", "Sub", "Exch", "Xor", "Or", "And", "Max", "Min"))
        if self.choose.random() < 0.2:
            yield f"{name} = atomicCAS({place}, {self.at.of('unsigned', 1)} & 3, {self.at.of('unsigned', 2)});"
        elif self.choose.random() < 0.2:
            wide = self._changed("unsigned long long")[1]
            operation = self.choose.choice(("Add", "Xor", "Max", "Exch"))
            yield f"{wide} = atomic{operation}(wide + index, {self.at.of('unsigned long long', 2)});"
        else:
            yield f"{name} = atomic{operation}({place}, {self.at.of('unsigned', 2)});"

    def _exchange(self, depth: int, can_wait: bool) -> Iterator[str]:
        kind, name = self._changed("unsigned", "float", "double", "unsigned long long", "short", "unsigned char")
        shared = f"reinterpret_cast<{kind}*>(tile)"
        yield "__syncthreads();"
        yield f"{shared}[thread] = {name};"
        yield "__syncthreads();"
        factor = self.choose.choice((1, 3, 5, 7, 31))
        yield f"{name} = {shared}[modulo(thread * {factor} + {self.at.of('unsigned', 1)}, blockDim.x)];"

    def _shuffle(self, depth: int, can_wait: bool) -> Iterator[str]:
        kind, name = self._changed("int", "unsigned", "float", "double", "long long", "unsigned long long")
        if kind in SMALL:
            return
        width = self.choose.choice((2, 4, 8, 16, 32))
        way, lane = self.choose.choice((
            ("", f"(int)modulo({self.at.of('unsigned', 1)}, {width})"),
            ("_xor", str(self.choose.randint(1, width - 1))),
            ("_up", str(self.choose.randint(1, width - 1))), ("_down", str(self.choose.randint(1, width - 1))),
        ))  # fmt: skip
        yield f"{name} = __shfl{way}({name}, {lane}, {width});"

    def _vote(self, depth: int, can_wait: bool) -> Iterator[str]:
        name = self._changed("unsigned")[1]
        yield f"{name} = half_of(__ballot({self.at.condition(2)}), thread);"

    def kept(self) -> list[str]:
        """Return what a thread keeps in the end."""
        names = [name for names in self.variables.values() for name in names]
        names += [
            f"pair.{part}" for part in ("first", "second[0]", "second[1]", "second[2]", "low", "middle", "high", "wide")
        ]
        return [*names, "vector.x", "vector.y", "vector.z", "vector.w", *(f"{name}[3]" for name in self.arrays)]


def _function(choose: random.Random, number: int, calls: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of a device function, and enter it in `calls`."""
    result, kinds = choose.choice((*INTEGERS, *FLOATS)), [choose.choice(TYPES) for _ in range(choose.randint(1, 3))]
    name = f"function{number}"
    body = _Body(choose, {kind: list(names) for kind, names in calls.items()}, is_kernel=False)
    for i, kind in enumerate(kinds):
        body.variables.setdefault(kind, []).append(f"a{i}")
    parameters = ", ".join(f"{kind} a{i}" for i, kind in enumerate(kinds))
    inline = choose.choice(("__noinline__", "__noinline__", "__forceinline__"))
    yield f"{inline} __device__ static {result} {name}({parameters}) {{"
    yield from (f"  {line}" for line in body.start(2, ["(unsigned)to_integer((double)a0)", "12345u"]))
    yield from body.block(2, False)
    yield f"  return {body.at.of(result, 2)};"
    yield "}"
    calls.setdefault(result, []).append("|".join((name, *kinds)))


_COMMON = """
__device__ static unsigned half_of(unsigned long long lanes, unsigned thread) {
  return (unsigned)(lanes >> (__lane_id() & ~31u));
}
__noinline__ __device__ static Pair changed(Pair pair, unsigned by) {
  pair.first += by;
  pair.middle ^= by;
  pair.wide = pair.wide * 3 + pair.low;
  pair.second[by & 1] += 0.5f;
  return pair;
}
__noinline__ __device__ static unsigned deep(unsigned x, int depth) {
  unsigned kept[4] = {x, x * 3, x ^ 5, (unsigned)depth};
  if (depth <= 0) return kept[x & 3];
  return deep(kept[x & 3] * 1664525u + 1013904223u, depth - 1) + kept[depth & 3];
}
__noinline__ __device__ static unsigned way0(unsigned x) { return x * 7 + 1; }
__noinline__ __device__ static unsigned way1(unsigned x) { return x ^ x >> 3; }
__noinline__ __device__ static unsigned way2(unsigned x) { return deep(x, x & 3); }
__device__ static unsigned indirect(unsigned x, unsigned which) {
  unsigned (*const ways[3])(unsigned) = {way0, way1, way2};
  return ways[modulo(which, 3)](x);
}
"""


def _kernel(choose: random.Random, name: str, calls: dict[str, list[str]]) -> Iterator[str]:
    body = _Body(choose, calls, is_kernel=True)
    yield f'extern "C" __global__ void __launch_bounds__(128) {name}('
    yield "    const unsigned* in, unsigned long long* out, unsigned* own, unsigned* counts,"
    yield "    unsigned long long* wide) {"
    yield "  __shared__ unsigned long long tile[128];"
    yield "  __shared__ unsigned mine[128], meeting[8];"
    yield "  const unsigned thread = threadIdx.x, index = blockIdx.x * blockDim.x + threadIdx.x;"
    yield "  mine[thread] = in[index];"
    yield "  if (thread < 8) meeting[thread] = thread * 1000;"
    yield "  __syncthreads();"
    values = ["in[index]", "in[index + 384]", "in[index * 2 % 768]", "in[3]", "thread * 2654435761u", "in[blockIdx.x]"]
    yield from (f"  {line}" for line in body.start(choose.randint(4, 10), values))
    yield from body.block(3, True)
    for call in ("indirect", "deep"):
        if choose.random() < 0.3:
            arguments = f"{body.at.of('unsigned', 2)}, {body.at.of('unsigned', 2)} & 7"
            yield f"  {body.variables['unsigned'][0]} ^= {call}({arguments});"
    yield "  __syncthreads();"
    yield "  if (thread < 8) atomicAdd(counts + 8 + thread, meeting[thread]);"
    yield "  own[index] ^= mine[thread];"
    kept = body.kept()
    assert len(kept) <= 32
    yield from (f"  keep(out + index * SLOTS + {i}, {one});" for i, one in enumerate(kept))
    yield "}"


def source(seed: int, kernels: int) -> str:
    """Return a source with kernels of the names kernel0, kernel1, ..."""
    choose = random.Random(seed)
    calls: dict[str, list[str]] = {"unsigned": ["deep|unsigned|unsigned char", "indirect|unsigned|unsigned"]}
    calls["unsigned"] = ["indirect|unsigned|unsigned"]
    lines = [HEADER.read_text("utf-8"), _COMMON]
    for number in range(_FUNCTIONS):
        lines += _function(choose, number, calls)
    for number in range(kernels):
        lines += _kernel(choose, f"kernel{number}", calls)
    return "\n".join(lines) + "\n"
