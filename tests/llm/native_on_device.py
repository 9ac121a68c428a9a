"""Compare models in the formats of their files with the reference, which has the decoded weights.

python -m tests.llm.native_on_device [--target cpu|amd|nvidia] [--wave-size 32|64]

compares them where it is run, and ends with 1 where they differ. Tests do the same on the CPU.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hipport.builds.shipped import Target, choose_target
from hipport.llm.runtime.engine import Engine, Logits, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from hipport.toolchain.places import Surroundings
from tests.llm import prequantized
from tests.llm.gguf_files import write_native
from tests.llm.models import MODELS, Config, Weights
from tests.llm.reference import logits

PROMPT, STEPS = [1, 17, 254, 99, 3, 77, 401, 5, 260, 31], 32
SHAPE = {"hidden_size": 256, "intermediate_size": 512}
CASES: Mapping[str, tuple[str, Config, Mapping[str, str]]] = {
    # As llama.cpp's quantize mixes types, with a feed-forward width that rows of the engine are padded to.
    "Q4_K_M": ("llama3", SHAPE, {"attn_v": "Q6_K", "1.ffn_down": "Q6_K", "output.": "Q6_K", "": "Q4_K"}),
    "Q5_K_M": ("mistral", SHAPE, {"attn_v": "Q6_K", "0.ffn_down": "Q6_K", "token_embd": "F16", "": "Q5_K"}),
    "Q6_K": ("qwen2", SHAPE, {"": "Q6_K"}),
    "Q8_0": ("qwen2", SHAPE | {"intermediate_size": 352}, {"": "Q8_0"}),
    "IQ4_XS": ("phi3", SHAPE, {"output.": "Q6_K", "": "IQ4_XS"}),
    "MXFP4": ("qwen3", SHAPE, {"output.": "Q8_0", "token_embd": "F16", "": "MXFP4"}),
    "NVFP4": ("mistral", SHAPE | {"intermediate_size": 320}, {"output.": "F32", "": "NVFP4"}),
    "Q2_K": ("llama3", SHAPE, {"attn_v": "Q3_K", "ffn_down": "Q3_K", "output.": "Q6_K", "": "Q2_K"}),
    "old": (
        "phi3",
        SHAPE | {"intermediate_size": 320},
        {"output.": "IQ4_NL", "attn_qkv": "Q5_0", "attn_output": "Q4_1", "ffn_down": "Q5_1", "": "Q4_0"},
    ),
    "TQ2_0": ("qwen2", SHAPE, {"attn_q": "Q4_0", "token_embd": "Q4_K", "": "TQ2_0"}),
    # Rows of several stages of the persistent kernel, and a part of one; and what it does not take.
    "wide": ("llama3", SHAPE | {"intermediate_size": 1088}, {"ffn_down": "Q5_0", "output.": "Q6_K", "": "Q4_K"}),
    "mixed": ("llama3", SHAPE, {"ffn_gate": "Q4_K", "ffn_up": "Q5_K", "": "Q6_K"}),
}
BATCHES, WIDE = (1, 3, 6), (20, 40)
"""Sequences of a step; those of `WIDE` have kernels of their own on some GPUs, and none on the CPU."""
TOLERANCE, BEHIND = 1e-2, 5e-3
"""Largest error of logits, and how far a token may be behind the most likely one, as parts of the largest logit."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The errors of logits: of a prompt, a longer prompt, and steps of one and of several sequences; and how far the
    worst token is behind."""

    prompt: float
    longer: float
    batches: tuple[float, ...]
    behind: float

    @property
    def close(self) -> bool:
        errors = (self.prompt, self.longer, *self.batches)
        return all(error <= TOLERANCE for error in errors) and self.behind <= BEHIND  # NaN is within nothing


def main() -> int:
    """Print the errors of each model."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=("cpu", "amd", "nvidia"))
    parser.add_argument("--wave-size", type=int, choices=(32, 64))
    told = parser.parse_args()
    target = choose_target(Surroundings(), told.target, told.wave_size)
    shown = [_shown(name, target) for name in (*CASES, *prequantized.SCHEMES)]
    return 0 if all(shown) else 1


def _shown(name: str, target: Target) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        found = compare(name, target, Path(folder))
    errors = ", ".join(f"{error:.1e}" for error in (found.prompt, found.longer, *found.batches))
    print(f"{name}: logits {errors}, tokens {found.behind:.1e} behind{'' if found.close else ': TOO FAR'}", flush=True)
    return found.close


def compare(name: str, target: Target, folder: Path) -> Compared:
    """Run a model of `CASES` or `prequantized.SCHEMES` in its own formats and compare it with the reference."""
    path, config, weights = _written(name, folder)
    counts = BATCHES if target.name == "cpu" else (*BATCHES, *WIDE)
    with (
        open_checkpoint(path, Formats("native")) as model,
        open_engine(model, target, positions=len(PROMPT) + STEPS, sequences=max(counts)) as engine,
    ):
        assert model.notes == ()
        first = engine.prefill(PROMPT, logits=True)
        made = engine.generate(PROMPT[-1], len(PROMPT) - 1, STEPS)
        engine.reset()
        last = engine.prefill(PROMPT + made, logits=True)
        batches = [_batch(engine, count) for count in counts]
    expected = logits(config, weights, PROMPT + made)[len(PROMPT) - 1 :]
    assert first is not None and last is not None
    largest = np.abs(expected).max()
    return Compared(
        prompt=float(np.abs(first - expected[0]).max() / largest),
        longer=float(np.abs(last - expected[-1]).max() / largest),
        batches=tuple(float(np.abs(found - expected[0]).max() / largest) for found in batches),
        behind=float((expected[:-1].max(axis=1) - expected[range(STEPS), made]).max() / largest),
    )


def _written(name: str, folder: Path) -> tuple[Path, Config, Weights]:
    if name in prequantized.SCHEMES:
        return folder, prequantized.CONFIG, prequantized.write(folder, name)
    model, shape, kinds = CASES[name]
    config = MODELS[model] | shape
    path, weights = write_native(folder / "model.gguf", config, kinds, 3)
    return path, config, weights


def _batch(engine: Engine, count: int) -> Logits:
    """Return the logits after the prompt, [sequence][vocabulary], of sequences that are decoded together."""
    for sequence in range(count):
        engine.reset(sequence)
        engine.prefill(PROMPT[:-1], sequence=sequence)
    places = [len(PROMPT) - 1] * count, range(count), [Sampling()] * count
    _, found = engine.decode([PROMPT[-1]] * count, *places, logits=True)
    assert found is not None
    return found


if __name__ == "__main__":
    sys.exit(main())
