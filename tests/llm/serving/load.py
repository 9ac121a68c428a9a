"""Many concurrent clients, which read whole answers or streams, or disconnect; every answer is compared.

    python -m tests.llm.serving.load --clients 200 --seconds 60 [--target nvidia] [--random-weights llama2-7b]

Starts a server with a model of random weights. What each prompt's greedy answer must be, the engine says before, alone.
Fails where an answer is missing or another, and where the server's memory grows, of the host or of an NVIDIA GPU.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import numpy as np

from hipport.builds.shipped import choose_target
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.text.tokenizer import NumberText
from hipport.llm.weights.random_weights import RandomWeights
from hipport.toolchain.places import Surroundings
from tests.llm.serving.running import Running, served

PROMPTS = ("x", "HIP", "ROCm", "Hello", "64 lanes", "kernel launch", "The quick brown fox")
MORE_PROMPTS = tuple(f"{number} wavefronts of {lanes} lanes" for number in range(2, 40) for lanes in (32, 64))
_CLEAR = 0.01
"""The likeliest token is ahead by so much of the largest logit. Else rounding, which is another in company, decides."""

_LONGEST, _GROWTH, _SETTLED = 12, 1.1, 0.25
_KINDS = {"whole": 4, "stream": 4, "leave": 2}
_PATIENCE = httpx.Timeout(600, connect=60)


@dataclass(slots=True)
class Tally:
    """Results of the requests. `memory` (server) and `device` (GPU) are pairs of seconds and MB."""

    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    device: list[tuple[float, float]] = field(default_factory=list)
    tokens: int = 0

    def problems(self) -> list[str]:
        """Return a description of each problem."""
        found = list(self.wrong)
        if any(not self.done[kind] for kind in _KINDS):
            found.append(f"not all kinds of requests were made: {dict(self.done)}")
        for what, sizes in self._memories():
            if sizes[-1][1] > _settled(sizes) * _GROWTH:
                found.append(f"memory of the {what} grew from {_settled(sizes):.0f} to {sizes[-1][1]:.0f} MB")
        return found

    def report(self) -> str:
        """Return a report for people."""
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.done.items()))
        half, most, nearly_all = (statistics.quantiles(self.seconds, n=100)[at - 1] for at in (50, 90, 99))
        seconds = self.memory[-1][0]
        lines = [
            f"{self.done.total()} requests: {counts}; {len(self.wrong)} wrong or lost",
            f"{self.done.total() / seconds:.0f} requests a second; {self.tokens} tokens in whole answers and streams, "
            f"{self.tokens / seconds:.0f} a second",
            f"of the answers half took {half:.3f} s at most, 90% {most:.3f} s, 99% {nearly_all:.3f} s",
        ]
        return "\n".join([*lines, *(_flat(what, sizes) for what, sizes in self._memories())])

    def _memories(self) -> Iterator[tuple[str, list[tuple[float, float]]]]:
        yield "server", self.memory
        if self.device:
            yield "GPU", self.device


def _settled(sizes: list[tuple[float, float]]) -> float:
    """Return the peak memory in the first quarter of the time."""
    return max(size for at, size in sizes if at <= sizes[-1][0] * _SETTLED)


def _flat(what: str, sizes: list[tuple[float, float]]) -> str:
    return (
        f"memory of the {what}: {sizes[0][1]:.0f} MB at first, {_settled(sizes):.0f} MB at most in the first quarter, "
        f"{sizes[-1][1]:.0f} MB at last, {max(size for _, size in sizes):.0f} MB at most"
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--target", choices=["amd", "nvidia", "cpu"])
    parser.add_argument("--random-weights", default="tiny", choices=list(RANDOM_MODELS))
    arguments = parser.parse_args()
    tally = measured(arguments.clients, arguments.seconds, arguments.target, arguments.random_weights)
    print(tally.report())
    if problems := tally.problems():
        sys.exit("\n".join(problems[:10]))


def measured(clients: int, seconds: float, target: str | None, model: str = "tiny") -> Tally:
    """Run clients against a server for the given time."""
    expected = alone(target, model)
    options = ("--random-weights", model, *(("--target", target) if target else ()), "--queue", str(2 * clients))
    with served(*options) as server:
        return asyncio.run(_load(server, clients, seconds, expected))


def alone(target: str | None, model: str) -> dict[str, list[int]]:
    """Generate one prompt at a time: as many as in PROMPTS, only those whose tokens are clearly the likeliest."""
    where, found = Surroundings(), {}
    with open_engine(
        RandomWeights(RANDOM_MODELS[model]), choose_target(where, target), positions=64, where=where
    ) as engine:
        for prompt in (*PROMPTS, *MORE_PROMPTS):
            if len(found) < len(PROMPTS) and (made := _continued(engine, NumberText().tokens(prompt))):
                found[prompt] = made
    assert len(found) == len(PROMPTS), "there are too few prompts after which one token is clearly the likeliest"
    return found


def _continued(engine: Engine, prompt: list[int]) -> list[int]:
    """Return greedy tokens; none if two tokens are about equally likely."""
    engine.reset()
    engine.prefill(prompt[:-1])
    made = prompt[-1:]
    for position in range(len(prompt) - 1, len(prompt) - 1 + _LONGEST):
        tokens, logits = engine.decode(made[-1:], [position], [0], [Sampling()], logits=True)
        assert logits is not None
        second, first = np.sort(logits[0])[-2:]
        if first - second < _CLEAR * np.abs(logits).max():
            return []
        made += tokens
    return made[1:]


async def _load(server: Running, clients: int, seconds: float, expected: Mapping[str, list[int]]) -> Tally:
    tally, started = Tally(), time.perf_counter()
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=server.url, timeout=_PATIENCE, limits=limits) as http:
        watches = asyncio.gather(_watch(server, tally, started), _watch_gpu(tally, started))
        ends = started + seconds
        await asyncio.gather(*(_client(http, random.Random(i), ends, expected, tally) for i in range(clients)))
        await _idle(http, tally)
        watches.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watches
    tally.memory.append((time.perf_counter() - started, server.resident()))
    return tally


async def _watch(server: Running, tally: Tally, started: float) -> None:
    while True:
        tally.memory.append((time.perf_counter() - started, server.resident()))
        await asyncio.sleep(0.2)


async def _watch_gpu(tally: Tally, started: float) -> None:
    """Record the used memory of the GPUs, if NVIDIA's tool is installed."""
    query = ("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits")
    while shutil.which(query[0]):
        asked = await asyncio.create_subprocess_exec(*query, stdout=subprocess.PIPE)
        told, _ = await asked.communicate()
        tally.device.append((time.perf_counter() - started, sum(float(size) for size in told.split())))
        await asyncio.sleep(2)


async def _idle(http: httpx.AsyncClient, tally: Tally) -> None:
    """Wait for the engine to become idle: abandoned answers must leave it soon."""
    for _ in range(100):
        health = (await http.get("/health")).json()
        if health["running"] == health["waiting"] == 0:
            return
        await asyncio.sleep(0.1)
    tally.wrong.append(f"without clients the server still has work: {health}")


async def _client(
    http: httpx.AsyncClient, chance: random.Random, ends: float, expected: Mapping[str, list[int]], tally: Tally
) -> None:
    while time.perf_counter() < ends:
        kind = chance.choices(list(_KINDS), list(_KINDS.values()))[0]
        prompt, count = chance.choice(list(expected)), chance.randint(3, _LONGEST)
        started = time.perf_counter()
        try:
            got = await _asked(http, kind, prompt, count)
        except (httpx.HTTPError, ValueError, KeyError) as error:
            tally.wrong.append(f"{kind}, {prompt!r}: {error!r}")
            continue
        tally.done[kind] += 1
        if kind != "leave":
            tally.seconds.append(time.perf_counter() - started)
            tally.tokens += len(got)
        if got != expected[prompt][: len(got)] or (kind != "leave" and len(got) != count):
            tally.wrong.append(f"{kind}, {prompt!r}, {count} tokens: {got}, not {expected[prompt][:count]}")


async def _asked(http: httpx.AsyncClient, kind: str, prompt: str, count: int) -> list[int]:
    """Request an answer and return its tokens, or some of them if the client disconnects."""
    body = {"prompt": prompt, "max_tokens": count, "temperature": 0, "stream": kind != "whole"}
    if kind == "whole":
        response = await http.post("/v1/completions", json=body)
        response.raise_for_status()
        return _numbers(response.json()["choices"][0]["text"])
    text, ended = "", False
    async with http.stream("POST", "/v1/completions", json=body) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            ended |= line == "data: [DONE]"
            text += _piece(line)
            if kind == "leave" and text:
                return _numbers(text)
    if not ended:
        raise ValueError("the stream broke off")
    return _numbers(text)


def _piece(line: str) -> str:
    if not line.startswith("data: {"):
        return ""
    event: dict[str, Any] = json.loads(line.removeprefix("data: "))
    return str(event["choices"][0]["text"])


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split()]


if __name__ == "__main__":
    main()
