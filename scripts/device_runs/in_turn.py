"""Measure a model of random weights with the engine as CUDA and as HIP, in turn in one process.

    python -m scripts.device_runs.in_turn SHAPE --json FILE [--target nvidia] [--batches 16,64] [--rounds 5] ...

One sequence, a prompt, batches and drafts of three tokens: medians of the rounds, and whether both make the same
tokens.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hipport.builds.shipped import Target, cache_folder, choose_target
from hipport.llm.bench.measurement import measure, measure_batch, prompt_of
from hipport.llm.bench.speculated import measure_speculation
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine
from hipport.llm.runtime.library import library
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings
from scripts.device_runs.original import original

_DRAFTED, _SAME = 3, 256


def main() -> None:
    """Measure; print and write the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=RANDOM_MODELS)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--target")
    parser.add_argument("--batches", default="16,64")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--batch-tokens", type=int, default=128)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    told = parser.parse_args()
    where = Surroundings()
    libraries = _libraries(choose_target(where, told.target), where)
    batches = [int(count) for count in told.batches.split(",")]
    longest = max(told.prompt_tokens + 4, told.tokens + 1, told.batch_tokens)
    with _opened(libraries, told.shape, longest, max(batches)) as engines:
        rounds = [{name: _round(engine, batches, told) for name, engine in engines.items()} for _ in range(told.rounds)]
        found: dict[str, Any] = {
            name: {key: statistics.median(each[name][key] for each in rounds) for key in rounds[0][name]}
            for name in engines
        }
        some = min(_SAME, told.tokens)
        prompt = prompt_of(RANDOM_MODELS[told.shape], 5)
        texts = {name: _text(engine, prompt, some) for name, engine in engines.items()}
        for name, engine in engines.items():
            found[name]["drafts"] = asdict(measure_speculation(engine, prompt, some, _DRAFTED, told.rounds))
            found[name] |= {"device": engine.stats().device, "token_bytes": engine.stats().token_bytes}
    found["same"] = {"tokens": some, "distinct": len({*texts["HIP"]}), "equal": len({*map(tuple, texts.values())}) == 1}
    told.json.write_text(json.dumps({"shape": told.shape, "rounds": rounds, **found}, indent=1))
    print(json.dumps(found, indent=1))


def _libraries(target: Target, where: Surroundings) -> Mapping[str, Path]:
    """Return the engines: HIP and, on NVIDIA GPUs, CUDA."""
    found = {"HIP": library(target, where, print)}
    if target.name == "nvidia":
        found["CUDA"] = original(target, where, Formats("q4f16_32"), cache_folder("original"))
    return found


@contextlib.contextmanager
def _opened(libraries: Mapping[str, Path], shape: str, positions: int, sequences: int) -> Iterator[dict[str, Engine]]:
    """Yield engines with the same weights."""
    weights = RandomWeights(RANDOM_MODELS[shape])
    with contextlib.ExitStack() as stack:
        engines = {
            name: stack.enter_context(Engine(path, weights.config, positions=positions, sequences=sequences))
            for name, path in libraries.items()
        }
        for tensor, data in weights.tensors():
            for engine in engines.values():
                engine.load([(tensor, data)])
        yield engines


def _round(engine: Engine, batches: list[int], told: argparse.Namespace) -> dict[str, float]:
    single = measure(engine, 1, told.tokens, 1)
    found = {"single": single.decode_rate, "read_bandwidth": single.read_bandwidth, "fraction": single.fraction}
    found["prompt"] = measure(engine, told.prompt_tokens, 4, 1).prefill_rate
    for count in batches:
        found[f"batch {count}"] = measure_batch(engine, count, told.batch_tokens, 1).rate
    for sequence in range(max(batches)):
        engine.reset(sequence)
    return found


def _text(engine: Engine, prompt: list[int], count: int) -> list[int]:
    engine.reset()
    engine.prefill(prompt[:-1])
    return engine.generate(prompt[-1], len(prompt) - 1, count)


if __name__ == "__main__":
    main()
