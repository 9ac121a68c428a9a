"""Latencies and throughput of a load test, as vLLM's `benchmark_serving.py` defines them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class Served:
    """One request: `started` and `times` are in seconds; `times` has an entry for each piece that brought tokens.

    `error`: what went wrong, or an empty text.
    """

    prompt_tokens: int
    tokens: int
    started: float
    times: tuple[float, ...]
    ended: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Latency:
    """The distribution of one latency, in milliseconds."""

    mean: float
    percentiles: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of a load test.

    `ttft`: time to the first token. `tpot`: per token of an answer after the first, averaged over the answer. `itl`:
    between pieces of a stream. `e2el`: of the whole request. Throughputs are per second of the whole test.
    """

    requests: int
    failed: int
    seconds: float
    prompt_tokens: int
    tokens: int
    request_throughput: float
    token_throughput: float
    total_token_throughput: float
    latencies: Mapping[str, Latency]
    errors: tuple[str, ...]


def load_result(served: Sequence[Served]) -> LoadResult:
    """Return throughput and latencies; those of failed requests do not count."""
    good = [each for each in served if not each.error]
    seconds = max((each.ended for each in served), default=0.0) - min((each.started for each in served), default=0.0)
    prompt_tokens, tokens = sum(each.prompt_tokens for each in good), sum(each.tokens for each in good)
    rate = 1.0 / seconds if seconds > 0 else 0.0
    return LoadResult(
        requests=len(good),
        failed=len(served) - len(good),
        seconds=seconds,
        prompt_tokens=prompt_tokens,
        tokens=tokens,
        request_throughput=len(good) * rate,
        token_throughput=tokens * rate,
        total_token_throughput=(prompt_tokens + tokens) * rate,
        latencies={name: _latency(values) for name, values in _latencies(good).items()},
        errors=tuple(sorted({each.error for each in served if each.error})),
    )


def table(result: LoadResult) -> Iterator[str]:
    """Yield the lines of a table."""
    failed = f", {result.failed} failed" if result.failed else ""
    yield f"{result.requests} requests in {result.seconds:.2f} s{failed}"
    yield f"{result.prompt_tokens} prompt tokens, {result.tokens} generated tokens"
    yield f"requests a second          {result.request_throughput:10.2f}"
    yield f"generated tokens a second  {result.token_throughput:10.2f}"
    yield f"all tokens a second        {result.total_token_throughput:10.2f}"
    yield f"{'milliseconds':26} {'mean':>10} " + " ".join(f"{f'P{each}':>10}" for each in _PERCENTILES)
    for name, title in _TITLES.items():
        found = result.latencies[name]
        values = " ".join(f"{value:10.2f}" for value in found.percentiles.values())
        yield f"{title:26} {found.mean:10.2f} {values}"
    yield from (f"failed: {error}" for error in result.errors[:5])


_TITLES = {
    "ttft": "time to first token",
    "tpot": "time per output token",
    "itl": "inter-token latency",
    "e2el": "whole request",
}


def _latencies(good: Sequence[Served]) -> dict[str, list[float]]:
    return {
        "ttft": [each.times[0] - each.started for each in good if each.times],
        "tpot": [(each.times[-1] - each.times[0]) / (each.tokens - 1) for each in good if each.tokens > 1],
        "itl": [after - before for each in good for before, after in zip(each.times, each.times[1:], strict=False)],
        "e2el": [each.ended - each.started for each in good],
    }


def _latency(seconds: Sequence[float]) -> Latency:
    values: Any = np.array(seconds or [0.0]) * 1000.0
    return Latency(float(values.mean()), {f"p{each}": float(np.percentile(values, each)) for each in _PERCENTILES})
