"""Throughput of a model, and the fraction of the memory bandwidth that it reaches."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from hipport.llm.model.config import ModelConfig
from hipport.llm.runtime.engine import Engine, Sampling

_WARM_UP = 4
_FIRST = 1
"""First token of prompts."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Median times in seconds. `token_bytes`: weights read per decoded token; `read_bandwidth`: bytes per second."""

    device: str
    prompt_tokens: int
    prefill_seconds: float
    tokens: int
    decode_seconds: float
    token_bytes: int
    read_bandwidth: float

    @property
    def prefill_rate(self) -> float:
        """Prompt tokens per second."""
        return self.prompt_tokens / self.prefill_seconds

    @property
    def decode_rate(self) -> float:
        """Generated tokens per second."""
        return self.tokens / self.decode_seconds

    @property
    def fraction(self) -> float:
        """Fraction of the read bandwidth that decoding reaches, counting only the weights."""
        return self.decode_rate * self.token_bytes / self.read_bandwidth


@dataclass(frozen=True, slots=True)
class Batched:
    """Median time in seconds to decode `tokens` tokens in each of `sequences` sequences together."""

    sequences: int
    tokens: int
    seconds: float

    @property
    def rate(self) -> float:
        """Tokens per second, all sequences together."""
        return self.sequences * self.tokens / self.seconds


def measure_batch(engine: Engine, sequences: int, tokens: int, repeat: int) -> Batched:
    """Measure greedy decoding of `sequences` sequences at a time, as a server does. Raises `HipportError`.

    Sequences that do not fit into one step are decoded in several, in turn.
    """
    _run_batch(engine, sequences, min(_WARM_UP, tokens))
    return Batched(sequences, tokens, statistics.median(_run_batch(engine, sequences, tokens) for _ in range(repeat)))


def _run_batch(engine: Engine, sequences: int, tokens: int) -> float:
    """Return the elapsed seconds."""
    at_once = engine.stats().max_tokens
    for sequence in range(sequences):
        engine.reset(sequence)
    next_tokens = [_FIRST + 7 * i for i in range(sequences)]
    started = time.perf_counter()
    for position in range(tokens):
        for first in range(0, sequences, at_once):
            some = range(first, min(first + at_once, sequences))
            given = [next_tokens[i] for i in some]
            found, _ = engine.decode(given, [position] * len(some), some, [Sampling()] * len(some))
            next_tokens[first : first + len(some)] = found
    return time.perf_counter() - started


def prompt_of(config: ModelConfig, count: int) -> list[int]:
    """Return the tokens of a prompt."""
    return [(_FIRST + 7 * i) % config.vocabulary for i in range(count)]


def measure(engine: Engine, prompt_tokens: int, tokens: int, repeat: int) -> Measurement:
    """Time prefill and greedy decoding of one sequence `repeat` times by the host's clock. Raises `HipportError`."""
    prompt = prompt_of(engine.config, prompt_tokens)
    _run(engine, prompt, min(_WARM_UP, tokens))
    times = [_run(engine, prompt, tokens) for _ in range(repeat)]
    stats = engine.stats()
    prefill, decode = (statistics.median(column) for column in zip(*times, strict=True))
    bandwidth = engine.read_bandwidth()
    return Measurement(stats.device, prompt_tokens, prefill, tokens, decode, stats.token_bytes, bandwidth)


def _run(engine: Engine, prompt: list[int], tokens: int) -> tuple[float, float]:
    """Return the seconds for the prompt and for the tokens after it."""
    engine.reset()
    started = time.perf_counter()
    engine.prefill(prompt)
    between = time.perf_counter()
    engine.generate(prompt[0], len(prompt), tokens)
    return between - started, time.perf_counter() - between
