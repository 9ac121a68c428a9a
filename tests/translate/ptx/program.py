"""Generate one CUDA program from the cases in `fixtures/ptx/`: inline PTX compared with a model.

`python -m tests.translate.ptx.program OUTPUT.cu [ARCH]` writes it, with the cases for NVIDIA GPUs up to an architecture
(90); `fixtures/ptx/README.md` says how to build and run it.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.shared import made_once

FOLDER = Path(__file__).parents[3] / "fixtures" / "ptx"
LETTERS = "abcdefghjk"  # i is the number of the thread
RESULTS = "rstu"
BLOCKS = 16
MEMORY = [
    *("LoadsAndStores", "VectorLoads", "SharedMemory", "Atomics", "Exchanges"),
    *("AsyncCopies", "LoadMatrix", "StoreMatrix", "NoResult"),
]

_CPP = {
    "16": ("uint16_t", "h"),
    "32": ("uint32_t", "r"),
    "64": ("uint64_t", "l"),
}
_TYPES = {
    **{f"{sign}{width}": pair for sign in "ub" for width, pair in _CPP.items()},
    **{f"s{width}": (cpp[1:], letter) for width, (cpp, letter) in _CPP.items()},
    "u8": ("uint8_t", "r"),
    "s8": ("int8_t", "r"),
    "f32": ("float", "f"),
    "f64": ("double", "d"),
    **dict.fromkeys(("f16", "bf16", "e4m3x2", "e5m2x2"), ("uint16_t", "h")),
    **dict.fromkeys(("f16x2", "bf16x2", "tf32"), ("uint32_t", "r")),
    **dict.fromkeys(("amount", "divisor32", "below32", "up_to_255", "flag"), ("uint32_t", "r")),
    **dict.fromkeys(("whole_f16x2", "whole_bf16x2", "whole_tf32"), ("uint32_t", "r")),
    **dict.fromkeys(("few_e4m3x4", "few_e5m2x4"), ("uint32_t", "r")),
    **dict.fromkeys(("fraction_f16x2", "fraction_bf16x2", "fraction_tf32"), ("uint32_t", "r")),
    "divisor64": ("uint64_t", "l"),
    "few": ("int32_t", "r"),
    **dict.fromkeys(("moderate", "positive", "angle", "whole_f32"), ("float", "f")),
    **dict.fromkeys(("moderate64", "whole_f64"), ("double", "d")),
}
_OPERATORS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
    "equ": "==",
    "neu": "!=",
    "ltu": "<",
    "leu": "<=",
    "gtu": ">",
    "geu": ">=",
    "and": "&&",
    "or": "||",
    "xor": "!=",
}
_BITWISE = {"and": "&", "or": "|", "xor": "^"}


@dataclass(frozen=True)
class Case:
    """One line of the table, with its alternatives chosen."""

    name: str
    results: tuple[str, ...]
    inputs: tuple[str, ...]
    model: str
    asm: str
    near: str = ""
    within: str = ""
    since: int = 80
    """The first NVIDIA architecture that has it."""


def cases() -> list[Case]:
    """Return all cases of the table."""
    lines = (FOLDER / "cases.txt").read_text("utf-8").splitlines()
    return [case for line in lines if line and not line.startswith("#") for case in _expanded(line)]


def _expanded(line: str) -> Iterator[Case]:
    name = line.split(" | ")[0]
    alternatives = [match.split("|") for match in re.findall(r"\[([^\]]*\|[^\]]*)\]", name)]
    for choice in itertools.product(*alternatives):
        chosen = iter(choice)
        spelled = re.sub(r"\[[^\]]*\|[^\]]*\]", lambda _: next(chosen), name)  # noqa: B023
        parts = [_substituted(part, choice) for part in (spelled, *_columns(line))]
        if not re.match(r"v\w+[24]\.", spelled) or len(set(choice[2:4])) == 1:
            yield _case(parts)


def _columns(line: str) -> list[str]:
    """Split a line into signature, model and options; the model may contain ` | `."""
    _, signature, rest = line.split(" | ", 2)
    return [signature, *re.split(r" \| (?=(?:asm|near|within|since)=)", rest)]


def _substituted(text: str, choice: tuple[str, ...]) -> str:
    kinds = {
        "": lambda word: word,
        "T": lambda word: _TYPES[word][0],
        "S": lambda word: str(word[0] == "s").lower(),
        "O": lambda word: _OPERATORS[word],
        "B": lambda word: _BITWISE[word],
        "E": lambda word: word.removesuffix("x2"),
        "R": lambda word: word.removesuffix("i"),
        "P": lambda word: word.partition(".")[0] + "x2",
        "Q": lambda word: word.partition(".")[0],
        "C": lambda word: "0" if word == "up" else "31",
        "D": lambda word: "0x1800" if word == "up" else "0x181f",
    }
    return re.sub(r"\$([A-Z]?)(\d)", lambda match: kinds[match[1]](choice[int(match[2]) - 1]), text)


def _case(parts: list[str]) -> Case:
    name, signature, model, *rest = parts
    options = dict(part.split("=", 1) for part in rest)
    results, inputs = (tuple(side.split()) for side in signature.split("="))
    operands = ", ".join(f"${letter}" for letter in RESULTS[: len(results)] + LETTERS[: len(inputs)])
    asm = options.get("asm") or f"{name} {operands};"
    near, within, since = options.get("near", ""), options.get("within", ""), int(options.get("since", 80))
    return Case(name, results, inputs, model, asm, near, within, since)


def source(number: int, case: Case) -> str:
    """Return the case as a struct that the harness runs."""
    result = _TYPES[case.results[0]][0]
    if len(case.results) > 1:
        result = f"Results<{result}, {len(case.results)}>"
    return f"""struct Case{number} {{
  typedef {result} Result;
  static const char* name() {{ return "{case.name}"; }}
  __device__ static Result ptx(uint32_t i, uint32_t*, uint32_t*) {{
{_inputs(case)}
{_device(case)}
  }}
  static Result model(uint32_t i) {{
    using namespace ::model;
    const uint32_t lane = i & 31;
    (void)lane;
{_inputs(case)}
{_lanes(case)}    return {case.model};
  }}
  static bool equal(const Result& x, const Result& y) {{ return {_comparison(case)}; }}
}};
"""


def _inputs(case: Case) -> str:
    lines = []
    for at, kind in enumerate(case.inputs):
        name = {"b16": "u16", "b32": "u32", "b64": "u64"}.get(kind, kind)
        lines.append(f"    const {_TYPES[kind][0]} {LETTERS[at]} = input::{name}(i, {at});")
        lines.append(f"    (void){LETTERS[at]};")
    return "\n".join(lines)


def _lanes(case: Case) -> str:
    """Define A(l), B(l), ... (inputs of another lane), and ONE, TWO, FOUR (several of them as fragment registers)."""
    text = ""
    for at, kind in enumerate(case.inputs):
        letter = LETTERS[at].upper()
        if re.search(rf"\b{letter}\b", case.model):
            name = {"b32": "u32"}.get(kind, kind)
            text += f"    auto {letter} = [=](uint32_t l) {{ return input::{name}((i & ~31u) + l, {at}); }};\n"
    return text


def _device(case: Case) -> str:
    """Return the asm statement, with numbered operands, and its result."""
    names = list(RESULTS[: len(case.results)])
    used = [letter for letter in LETTERS[: len(case.inputs)] if re.search(rf"\${letter}\b", case.asm)]
    numbers = {letter: number for number, letter in enumerate(names + used)}
    text = re.sub(r"\$([a-z])\b", lambda match: f"%{numbers[match[1]]}", case.asm)
    declared = ", ".join(names)
    outputs = ", ".join(f'"={_TYPES[kind][1]}"({name})' for name, kind in zip(names, case.results, strict=True))
    kinds = dict(zip(LETTERS, case.inputs, strict=False))
    inputs = ", ".join(f'"{_TYPES[kinds[letter]][1]}"({letter})' for letter in used)
    back = names[0] if len(names) == 1 else f"Result{{{{{declared}}}}}"
    return f"""    {_TYPES[case.results[0]][0]} {declared};
    asm volatile("{text}" : {outputs}{" : " + inputs if inputs else ""});
    return {back};"""


def _comparison(case: Case) -> str:
    if case.near:
        return f"near(x, y, {case.near})"
    if case.within:
        return f"close_to(x, y, {case.within})"
    kind = case.results[0]
    if kind in ("f16", "f16x2"):
        return "same_f16(x, y)"
    if kind in ("bf16", "bf16x2"):
        return "same_bf16(x, y)"
    return "same_tf32(x, y)" if kind == "tf32" else "same(x, y)"


_FRAGMENTS = """
#define ONE(A) [&](uint32_t l, int) { return A(l); }
#define TWO(A, B) [&](uint32_t l, int n) { return n == 0 ? A(l) : B(l); }
#define FOUR(A, B, C, D) [&](uint32_t l, int n) { return n == 0 ? A(l) : n == 1 ? B(l) : n == 2 ? C(l) : D(l); }
"""


def program(selected: list[Case] | None = None, *, memory: bool = True) -> str:
    """Return the whole program as one CUDA source; it needs the folder `fixtures/ptx` for `model.h`."""
    chosen = cases() if selected is None else selected
    pieces = [(FOLDER / "harness.cuh").read_text("utf-8"), _FRAGMENTS]
    pieces += [source(number, case) for number, case in enumerate(chosen)]
    names = [f"Case{number}" for number in range(len(chosen))]
    if memory:
        pieces.append((FOLDER / "memory.cuh").read_text("utf-8"))
        names += MEMORY
    return "\n".join([*pieces, _main(names)])


def translated(factory: pytest.TempPathFactory, tables: Tables) -> Path:
    """Return the whole program translated to HIP, once for all workers."""

    def fill(folder: Path) -> None:
        conversion = convert_source(program().encode(), "semantics.cu", Context(tables))
        assert {found.code for found in conversion.diagnostics} == {"HP303"}
        assert b"asm" not in conversion.data
        (folder / "semantics.hip").write_bytes(conversion.data)

    return made_once(factory, "translated-ptx", fill) / "semantics.hip"


def _main(names: list[str]) -> str:
    chosen = "".join(f"    case {at}: return put<{name}>(i, results, mine, shared);\n" for at, name in enumerate(names))
    entries = "".join(f"    entry<{name}>(),\n" for name in names)
    return f"""
__global__ void compute(uint32_t which, void* results, uint32_t* global) {{
  __shared__ uint4 storage[words_of_block / 4];
  uint32_t* shared = reinterpret_cast<uint32_t*>(storage);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t* mine = global + size_t(blockIdx.x) * words_of_block;
  switch (which) {{
{chosen}  }}
}}

int main() {{
  const Entry entries[] = {{
{entries}  }};
  const int wrong = run(entries, {len(names)}, {BLOCKS});
  std::printf("%d of {len(names)} instructions are wrong\\n", wrong);
  return wrong != 0;
}}
"""


if __name__ == "__main__":
    Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    newest = int(sys.argv[2]) if len(sys.argv) > 2 else 90
    Path(sys.argv[1]).write_text(program([case for case in cases() if case.since <= newest]), "utf-8")
