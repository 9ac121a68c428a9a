"""Run small models as machine code for AMD GPUs in the emulator and compare them with references.

python -m tests.llm.emulated [--targets gfx90a,gfx942,gfx1100,gfx1201] [--cases NAME,...] [--write FILE]

For each target: models of all architectures, whose 64 greedy tokens must be those of transformers, as those of the CPU
target are (test_against_transformers.py); models in the formats of their files, against their decoded weights; steps of
9 to 31 sequences, which must give what steps of few give; and sampled tokens, which must be those of the CPU target.
Ends with 1 if any differ. `--write` writes the results as JSON. Needs torch and transformers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hipport.builds.shipped import Target
from hipport.emulate.surroundings import check_one_target, emulated, is_emulated
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings
from tests.llm import native_on_device, prequantized
from tests.llm.engine.batched_beside_single import MOST, TOLERANCE, Pair
from tests.llm.models import MODELS
from tests.llm.other_models import OTHERS

TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
SAMPLINGS = {
    "temperature": Sampling(temperature=0.8, seed=1),
    "top-k and top-p": Sampling(temperature=1.2, top_k=40, top_p=0.9, seed=2),
    "min-p and penalty": Sampling(temperature=1.0, min_p=0.05, repetition_penalty=1.3, seed=3),
}
_SAMPLED = 16
_WIDE = replace(RANDOM_MODELS["tiny"], layers=1, width=128, hidden=256)
_WIDE_LENGTH = 70

Result = tuple[bool, str]


def main() -> int:
    """Compare on all targets; return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--cases", help=f"only these of: {', '.join(cases())}")
    parser.add_argument("--write", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    names = arguments.cases.split(",") if arguments.cases else list(cases())
    found = {}
    for target in arguments.targets.split(","):
        for name in names:
            start = time.monotonic()
            right, what = in_emulator(target, name)
            found[f"{target} {name}"] = right, what
            print(f"{target} {name}: {what}{'' if right else ' FAILED'} ({time.monotonic() - start:.0f} s)", flush=True)
            if arguments.write:
                arguments.write.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(right for right, _ in found.values()) else 1


def cases() -> dict[str, Callable[[Target], Result]]:
    """Return the comparisons by name."""
    made: dict[str, Callable[[Target], Result]] = {
        name.replace(", ", "-").replace(" ", "-"): lambda target, name=name: _architecture(name, target)  # type: ignore[misc]
        for name in (*MODELS, *OTHERS)
    }
    for name in (*native_on_device.CASES, *prequantized.SCHEMES):
        made[f"native-{name}"] = lambda target, name=name: _native(name, target)  # type: ignore[misc]
    return {**made, "wide": _wide_steps, "sampling": _sampling}


def in_emulator(target: str, name: str) -> Result:
    """Run a case in a process that the emulator is loaded into, and return its result."""
    check_one_target(target)
    variables = {**os.environ, **emulated(target, os.environ, Surroundings(), lambda text: None)}
    command = [sys.executable, "-c", f"from tests.llm import emulated; emulated.run({target!r}, {name!r})"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        return False, f"exit status {done.returncode}: {done.stderr.strip()[-400:]}"
    right, what = json.loads(lines[-1])
    return right, what


def run(target: str, name: str) -> None:
    """Print a case's result, in a process with the emulator in it."""
    assert is_emulated(target, os.environ)
    print(json.dumps(cases()[name](Target("amd", (target,)))))


def _architecture(name: str, target: Target) -> Result:
    from tests.llm import against_transformers as reference

    ours, theirs = reference.of_the_engine(name, target), reference.of_transformers(name)
    apart = reference.error(ours.logits, theirs.logits)
    same = ours.tokens == theirs.tokens
    what = (
        f"{len(theirs.tokens)} greedy tokens {'equal' if same else 'differ'}, logits within {apart:.1e} of the largest"
    )
    return same and apart <= reference.TOLERANCE, what


def _native(name: str, target: Target) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        found = native_on_device.compare(name, target, Path(folder))
    worst = max(found.prompt, found.longer, *found.batches)
    return found.close, f"logits within {worst:.1e} of the largest, tokens at most {found.behind:.1e} behind"


def _wide_steps(target: Target) -> Result:
    """Compare steps of 9 to 31 sequences with steps of four, after prompts of up to 70 tokens."""
    with open_engine(RandomWeights(_WIDE), target, positions=_WIDE_LENGTH + 16, sequences=2 * MOST) as engine:
        pair = Pair(engine)
        for sequence in range(MOST):
            pair.begin(sequence, 1 + _WIDE_LENGTH * sequence // MOST)
        errors = list(_errors(pair, (range(9), range(16), [*range(2, 12), *range(14, 21)], range(MOST))))
    right = all(error <= TOLERANCE for error in errors)
    return right, f"steps of 9, 16, 17 and {MOST} sequences, logits within {max(errors):.1e} of the largest"


def _errors(pair: Pair, steps: Sequence[Sequence[int]]) -> Iterator[float]:
    for sequences in steps:
        tokens, logits, batched_tokens, batched_logits = pair.step(sequences)
        yield float(np.abs(batched_logits - logits).max() / np.abs(logits).max()) if tokens == batched_tokens else 1.0


def _sampling(target: Target) -> Result:
    """Compare with what the CPU target samples."""
    with open_engine(RandomWeights(RANDOM_MODELS["tiny"]), target, positions=64) as engine:
        found = {name: sampled(engine, sampling) for name, sampling in SAMPLINGS.items()}
    expected = _on_the_cpu()
    wrong = [name for name, tokens in found.items() if tokens != expected[name]]
    return not wrong, f"{_SAMPLED} tokens each: " + (f"{', '.join(wrong)} differ" if wrong else "equal to the CPU's")


def sampled(engine: Engine, sampling: Sampling) -> list[int]:
    """Return tokens that an engine samples one by one."""
    tokens = [5]
    engine.reset()
    for position in range(_SAMPLED):
        made, _ = engine.decode([tokens[-1]], [position], [0], [sampling])
        tokens += made
    return tokens[1:]


def _on_the_cpu() -> dict[str, list[int]]:
    """Return the CPU target's sampled tokens, computed without the emulator, whose functions have the same names."""
    lines = (
        "import json",
        "from tests.llm.emulated import on_the_cpu",
        "print(json.dumps(on_the_cpu()))",
    )
    plain = {name: text for name, text in os.environ.items() if name not in ("LD_PRELOAD", "HIPPORT_EMULATE")}
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, env=plain, capture_output=True, text=True, check=True)
    answer: dict[str, list[int]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def on_the_cpu() -> dict[str, list[int]]:
    """Return the sampled tokens of the CPU target."""
    with open_engine(RandomWeights(RANDOM_MODELS["tiny"]), Target("cpu"), positions=64) as engine:
        return {name: sampled(engine, sampling) for name, sampling in SAMPLINGS.items()}


if __name__ == "__main__":
    sys.exit(main())
