"""Compile, look up and run all builtin functions that a clang has for AMD GPUs, on the emulator.

    python -m scripts.instructions.builtins CLANG LIBRARY [TARGET...]

LIBRARY is the emulator's. Each builtin is compiled in a kernel of its own for each target; each instruction must be one
that the emulator executes. Then the kernels run with random arguments, one by one and translated for each of the
host's instruction sets. All must leave the same, and with a model (builtin_models.py) what the model says. Prints what
is lacking and, in the end, a table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hipport.emulate.library import TARGETS
from scripts.instructions.builtin_code import examine, waves
from scripts.instructions.builtin_runs import Outcome, run_all
from scripts.instructions.machine import Machine


def main() -> None:
    """Print what is lacking for each target, and how many builtins have which outcome."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clang")
    parser.add_argument("library", type=Path)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    arguments = parser.parse_args()
    machine = Machine(arguments.library)
    rows = [
        f"| target | lanes | compiled | {' | '.join(one.value for one in Outcome)} |",
        "|---" * (3 + len(Outcome)) + "|",
    ]
    for target, wave in ((name, wave) for name in arguments.targets for wave in waves(name)):
        result = examine(arguments.clang, machine, target, wave)
        counts = f"{result.compiled} builtins compiled, {len(result.lacking)} need what is not executed"
        print(f"{target}, {wave} lanes: {counts}")
        for name, instructions in result.lacking.items():
            print(f"  {name}: {', '.join(instructions)}")
        outcomes = run_all(machine, target, wave, result)
        for state in Outcome:
            if state is not Outcome.RIGHT and state is not Outcome.EXECUTED:
                for name, why in outcomes.get(state, {}).items():
                    print(f"  {name} {state.value}: {why}")
        numbers = [len(outcomes.get(state, {})) for state in Outcome]
        print("  " + ", ".join(f"{number} {state.value}" for number, state in zip(numbers, Outcome, strict=True)))
        rows.append(f"| {target} | {wave} | {result.compiled} | {' | '.join(map(str, numbers))} |")
        for name, why in result.refused.items():
            print(f"  {name} was not compiled: {why}")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
