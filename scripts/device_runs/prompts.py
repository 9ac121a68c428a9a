"""Compare prompts of many lengths with the same tokens a few at a time, which other kernels process.

    python -m scripts.device_runs.prompts SHAPE --json FILE [--target nvidia] [--layers 2] [--ties 0]

Each prompt is taken whole, and in two parts of unequal lengths. It ends with 1 if a logit of the last token differs by
more than `TOLERANCE` of the largest, for more than `ties` lengths in a format: where two experts are almost equally
good for a token, rounding may choose the other.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from hipport.builds.shipped import Target, choose_target
from hipport.llm.bench.measurement import prompt_of
from hipport.llm.model.config import RANDOM_MODELS, ModelConfig
from hipport.llm.runtime.engine import Engine, Logits
from hipport.llm.runtime.library import library
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings

TOLERANCE = 1e-2
"""As a part of the largest logit: activations have 16 bits."""
_FEW = 8
"""Tokens that the kernels of decode steps take."""
_FORMATS = (
    Formats(),
    Formats("native"),
    Formats("16bit"),
    Formats("q4f16_128", activations="bf16"),
    Formats(cache="int8"),
)
_COUNTS = (33, 64, 65, 128, 200, 257, 384, 512, 700, 1024, 1500)


def main() -> int:
    """Compare; print and write the largest errors; return 1 if one is too large."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=RANDOM_MODELS)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--target")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--ties", type=int, default=0)
    told = parser.parse_args()
    where = Surroundings()
    target = choose_target(where, told.target)
    config = replace(RANDOM_MODELS[told.shape], layers=told.layers)
    counts = [count for count in _COUNTS if count <= config.positions]
    general = config.head_width if config.general else 0
    with ThreadPoolExecutor(len(_FORMATS)) as pool:  # so that all are built at once
        list(pool.map(lambda formats: library(target, where, print, formats=formats, general=general), _FORMATS))
    found = {_name(formats): _errors(target, config, formats, counts) for formats in _FORMATS}
    told.json.write_text(json.dumps(found, indent=1))
    print(json.dumps(found, indent=1))
    return int(not all(are_right(errors.values(), told.ties) for errors in found.values()))


def are_right(errors: Collection[float], ties: int) -> bool:
    """Return whether errors are small, but for those of `ties` lengths, which are numbers, too."""
    return not np.isnan([*errors]).any() and sum(error > TOLERANCE for error in errors) <= ties


def _name(formats: Formats) -> str:
    return f"{formats.weights}, {formats.activations}, cache {formats.cache}"


def _errors(target: Target, config: ModelConfig, formats: Formats, counts: Sequence[int]) -> dict[int, float]:
    """Return for each length the largest error of a logit, as a part of the largest logit."""
    with open_engine(RandomWeights(config, formats=formats), target, positions=max(counts)) as engine:
        return {count: largest_error(engine, prompt_of(config, count)) for count in counts}


def largest_error(engine: Engine, prompt: Sequence[int]) -> float:
    """Return the largest error of a logit, as a part of the largest logit; NaN if any logit is."""
    wanted = _logits(engine, prompt, [min(_FEW, len(prompt) - i) for i in range(0, len(prompt), _FEW)])
    first = len(prompt) * 2 // 7
    both = (_logits(engine, prompt, [len(prompt)]), _logits(engine, prompt, [first, len(prompt) - first]))
    return float(np.abs(np.stack(both) - wanted).max() / np.abs(wanted).max())


def _logits(engine: Engine, prompt: Sequence[int], parts: Sequence[int]) -> Logits:
    """Return the last token's logits after a prompt in parts of these lengths."""
    engine.reset()
    found: Logits | None = None
    position = 0
    for count in parts:
        found = engine.prefill(prompt[position : position + count], position=position, logits=True)
        position += count
    assert found is not None
    return found


if __name__ == "__main__":
    raise SystemExit(main())
