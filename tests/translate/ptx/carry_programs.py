"""Random programs of carry chains in inline PTX, and what they compute, by exact arithmetic."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

REGISTERS = 6
THREADS = 4
FORMS = ("statement", "statements", "groups", "loops", "functions", "members", "macros", "mixed", "predicates")
_ADDITIONS = ("add.cc", "addc.cc", "addc", "sub.cc", "subc.cc", "subc")
_PRODUCTS = tuple(
    f"{name}.{part}{cc}" for part in ("lo", "hi") for name, cc in (("mad", ".cc"), ("madc", ".cc"), ("madc", ""))
)


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: its name with type, and the registers of its result and its operands; -1 is the number 0.

    `guard`: it runs in threads with an odd number only ("odd"), or in the others only ("even").
    """

    name: str
    registers: tuple[int, ...]
    guard: str = ""

    @property
    def width(self) -> int:
        return int(self.name[-2:])

    @property
    def takes(self) -> bool:
        return self.name.partition(".")[0].endswith("c")


@dataclass(frozen=True, slots=True)
class Program:
    """A function of `steps` over an array of registers, written in one of the forms."""

    form: str
    width: int
    steps: tuple[Step, ...]


def programs(count: int, seed: int) -> list[Program]:
    """Return random programs, the forms in turn."""
    chance = random.Random(seed)
    return [_program(chance, FORMS[number % len(FORMS)]) for number in range(count)]


def _program(chance: random.Random, form: str) -> Program:
    width = chance.choice((32, 64))
    steps: list[Step] = []
    for _ in range(chance.randint(2, 9)):
        names = [name for name in _ADDITIONS + _PRODUCTS if steps or not name.partition(".")[0].endswith("c")]
        name = f"{chance.choice(names)}.{chance.choice('us')}{width}"
        operands = [chance.choice((-1, *range(REGISTERS))) for _ in range(3 if name.startswith("mad") else 2)]
        guard = chance.choice(("", "odd", "even")) if form == "predicates" and steps else ""
        steps.append(Step(name, (chance.randrange(REGISTERS), *operands), guard))
    return Program(form, width, tuple(steps))


def value(thread: int, register: int, width: int) -> int:
    """Return what a register holds first: near the ends of the range for some threads."""
    mixed = (thread * 0x9E3779B97F4A7C15 + register * 0xD1B54A32D192ED03 + 0x2545F4914F6CDD1D) & (2**64 - 1)
    mixed = (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9 & (2**64 - 1)
    return (2**width - 1 - (register & 1), mixed >> (64 - width), mixed & 1, 2 ** (width - 1) + register)[
        (thread + register) % 4 if thread % 2 else 1
    ]


def run(program: Program, thread: int) -> list[int]:
    """Return the registers after the program."""
    registers = [value(thread, number, program.width) for number in range(REGISTERS)]
    carry = 0
    for step in program.steps:
        if step.guard == ("even" if thread % 2 else "odd"):
            continue
        operands = [registers[number] if number >= 0 else 0 for number in step.registers[1:]]
        registers[step.registers[0]], carry = _step(step, operands, carry)
    return registers


def _step(step: Step, operands: list[int], carry: int) -> tuple[int, int]:
    width, name = step.width, step.name
    modulus = 2**width
    if name.startswith("mad"):
        first, second, third = operands
        if ".hi" in name:
            if name[-3] == "s":
                first, second = (_signed(number, width) for number in (first, second))
            product = (first * second >> width) % modulus
        else:
            product = first * second % modulus
        operands = [product, third]
    came_in = carry if step.takes else 0
    first, second = operands
    total = first - second - came_in if name.startswith("sub") else first + second + came_in
    return total % modulus, int(not 0 <= total < modulus) if ".cc" in name else carry


def _signed(number: int, width: int) -> int:
    return number - 2**width if number >> (width - 1) else number


def source(selected: Sequence[Program]) -> str:
    """Return a CUDA program that prints the registers of each program and thread on a line."""
    kernels = "".join(_kernel(number, program) for number, program in enumerate(selected))
    calls = "".join(f"  launch(kernel{number});\n" for number in range(len(selected)))
    return _HEAD + kernels + "int main() {\n" + calls + "}\n"


def _kernel(number: int, program: Program) -> str:
    helpers, body = _FORMS[program.form](number, program)
    kind = f"uint{program.width}_t"
    values = "".join(
        f"  if (t == {thread} && i == {register}) return {value(thread, register, program.width):#x}ull;\n"
        for thread in range(THREADS)
        for register in range(REGISTERS)
    )
    return f"""{helpers}
__device__ uint64_t value{number}(int t, int i) {{
{values}  return 0;
}}
__device__ void run{number}({kind}* r) {{
{body}}}
__global__ void kernel{number}(unsigned long long* out) {{
  {kind} r[{REGISTERS}];
  for (int i = 0; i < {REGISTERS}; ++i) r[i] = ({kind})value{number}(threadIdx.x, i);
  run{number}(r);
  for (int i = 0; i < {REGISTERS}; ++i) out[threadIdx.x * {REGISTERS} + i] = r[i];
}}
"""


def _asm(steps: Sequence[Step]) -> str:
    """Return one statement for the steps, with a register for each result and operand that it names."""
    letter = "r" if steps[0].width == 32 else "l"
    used = sorted({number for step in steps for number in step.registers if number >= 0})
    text = " ".join(f"{step.name} {', '.join(_operand(number, used) for number in step.registers)};" for step in steps)
    outputs = ", ".join(f'"+{letter}"(r[{number}])' for number in used)
    return f'asm volatile("{text}" : {outputs});'


def _operand(number: int, used: list[int]) -> str:
    return f"%{used.index(number)}" if number >= 0 else "0"


def _groups(steps: Sequence[Step], size: int) -> list[Sequence[Step]]:
    return [steps[at : at + size] for at in range(0, len(steps), size)]


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"  {line}\n" for line in lines)


def _statement(number: int, program: Program) -> tuple[str, str]:
    return "", _lines([_asm(program.steps)])


def _predicates(number: int, program: Program) -> tuple[str, str]:
    """Return one statement, which names its predicate with one `%`, as CUDA permits."""
    letter = "r" if program.width == 32 else "l"
    used = sorted({each for step in program.steps for each in step.registers if each >= 0})
    text = " ".join(
        f"{_GUARDS[step.guard]}{step.name} {', '.join(_operand(each, used) for each in step.registers)};"
        for step in program.steps
    )
    outputs = ", ".join(f'"+{letter}"(r[{each}])' for each in used)
    odd = f"{{ .reg .pred %podd; setp.ne.u32 %podd, %{len(used)}, 0; {text} }}"
    return "", _lines([f'asm volatile("{odd}" : {outputs} : "r"(threadIdx.x & 1));'])


def _statements(number: int, program: Program) -> tuple[str, str]:
    return "", _lines([_asm([step]) for step in program.steps])


def _grouped(number: int, program: Program) -> tuple[str, str]:
    return "", _lines([_asm(group) for group in _groups(program.steps, 2)])


def _loops(number: int, program: Program) -> tuple[str, str]:
    steps = program.steps
    return "", _lines(
        [_asm(steps[:1]), f"for (int i = 1; i < {len(steps)}; ++i) {{"]
        + [f"  if (i == {at}) {_asm([step])}" for at, step in enumerate(steps) if at]
        + ["}"]
    )


def _call(step: Step) -> str:
    return ", ".join(f"r[{number}]" if number >= 0 else "0" for number in step.registers)


def _functions(number: int, program: Program) -> tuple[str, str]:
    helpers = "".join(_helper(f"f{number}_{at}", step) for at, step in enumerate(program.steps))
    calls = [f"f{number}_{at}({_call(step)}); __syncthreads();" for at, step in enumerate(program.steps)]
    return helpers, _lines(calls)


def _helper(name: str, step: Step) -> str:
    kind, letter = f"uint{step.width}_t", "r" if step.width == 32 else "l"
    names = "dabc"[: len(step.registers)]
    parameters = ", ".join([f"{kind}& d", *(f"{kind} {each}" for each in names[1:])])
    numbers = ", ".join(f"%{at}" for at in range(len(names)))
    inputs = ", ".join(f'"{letter}"({each})' for each in names[1:])
    return (
        f"__device__ __forceinline__ void {name}({parameters}) {{\n"
        f'  asm volatile("{step.name} {numbers};" : "={letter}"(d) : {inputs});\n}}\n'
    )


def _members(number: int, program: Program) -> tuple[str, str]:
    helpers, body = _functions(number, program)
    body = body.replace(f"f{number}_", f"Chain{number}<{program.width}>::f{number}_")
    members = helpers.replace("__device__", "static __device__")
    return f"template <int N>\nstruct Chain{number} {{\n{members}}};\n", body


def _macros(number: int, program: Program) -> tuple[str, str]:
    helpers = "".join(_macro(f"M{number}_{at}", step) for at, step in enumerate(program.steps))
    calls = [f"M{number}_{at}({_call(step)});" for at, step in enumerate(program.steps)]
    return helpers, _lines(calls)


def _macro(name: str, step: Step) -> str:
    letter = "r" if step.width == 32 else "l"
    names = "dabc"[: len(step.registers)]
    numbers = ", ".join(f"%{at}" for at in range(len(names)))
    inputs = ", ".join(f'"{letter}"({each})' for each in names[1:])
    return (
        f"#define {name}({', '.join(names)}) \\\n"
        f'  asm volatile("{step.name} {numbers};" : "={letter}"(d) : {inputs} : "memory")\n'
    )


def _mixed(number: int, program: Program) -> tuple[str, str]:
    """Statements, functions and macros in turn."""
    helpers, lines = "", []
    for at, step in enumerate(program.steps):
        name = f"X{number}_{at}"
        helpers += ("", _helper(name, step), _macro(name, step))[at % 3]
        lines.append(_asm([step]) if at % 3 == 0 else f"{name}({_call(step)});")
    return helpers, _lines(lines)


_FORMS = {
    "statement": _statement,
    "statements": _statements,
    "groups": _grouped,
    "loops": _loops,
    "functions": _functions,
    "members": _members,
    "macros": _macros,
    "mixed": _mixed,
    "predicates": _predicates,
}
_GUARDS = {"": "", "odd": "@%podd ", "even": "@!%podd "}

_HEAD = f"""#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

template <typename K>
void launch(K kernel) {{
  unsigned long long *results, out[{THREADS * REGISTERS}];
  cudaMalloc(&results, sizeof out);
  kernel<<<1, {THREADS}>>>(results);
  cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost);
  for (int t = 0; t < {THREADS}; ++t) {{
    for (int i = 0; i < {REGISTERS}; ++i) std::printf("%llx ", out[t * {REGISTERS} + i]);
    std::printf("\\n");
  }}
  cudaFree(results);
}}
"""
