"""Many clients at once, who take whole answers, streams, or leave in the middle; every answer is compared.

    python -m tests.llm.serving.load --clients 200 --seconds 60 [--target nvidia]

Starts a server with the tiny model. What each prompt's greedy answer must be, the engine says before, alone. Fails
where an answer is missing or another, and where the server's memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import numpy as np

from hipport.build.shipped import choose_target
from hipport.llm.config import RANDOM_MODELS
from hipport.llm.inference import Engine, Sampling
from hipport.llm.opening import open_engine
from hipport.llm.random_weights import RandomWeights
from hipport.llm.text import NumberText
from hipport.toolchain.places import Surroundings
from tests.llm.serving.running import TINY, Running, served

PROMPTS = ("x", "HIP", "ROCm", "Hello", "64 lanes", "kernel launch", "The quick brown fox")
_CLEAR = 0.01
"""The likeliest token is ahead by so much of the largest logit. Else rounding, which is another in company, decides."""

_LONGEST, _GROWTH, _SETTLED = 12, 1.1, 0.25
_KINDS = {"whole": 4, "stream": 4, "leave": 2}
_PATIENCE = httpx.Timeout(600, connect=60)


@dataclass(slots=True)
class Tally:
    """What has come of the requests; `memory` is of the server, in MB, with the seconds since the start."""

    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    memory: list[tuple[float, float]] = field(default_factory=list)
    tokens: int = 0

    def settled(self) -> float:
        """The most memory until a quarter of the time had gone."""
        until = self.memory[-1][0] * _SETTLED
        return max(size for at, size in self.memory if at <= until)

    def problems(self) -> list[str]:
        """What must not be."""
        found = list(self.wrong)
        if any(not self.done[kind] for kind in _KINDS):
            found.append(f"not all kinds of requests were made: {dict(self.done)}")
        if self.memory[-1][1] > self.settled() * _GROWTH:
            found.append(f"memory grew from {self.settled():.0f} to {self.memory[-1][1]:.0f} MB")
        return found

    def report(self) -> str:
        """For people."""
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.done.items()))
        slowest = statistics.quantiles(self.seconds, n=100)[-1]
        last, most = self.memory[-1][1], max(size for _, size in self.memory)
        return (
            f"{self.done.total()} requests: {counts}; {len(self.wrong)} wrong or lost\n"
            f"{self.tokens} tokens in whole answers and streams, {self.tokens / self.memory[-1][0]:.0f} a second; "
            f"an answer took {statistics.median(self.seconds):.1f} s, the slowest hundredth {slowest:.1f} s or more\n"
            f"memory of the server: {self.memory[0][1]:.0f} MB at first, {self.settled():.0f} MB at most in the first "
            f"quarter, {last:.0f} MB at last, {most:.0f} MB at most"
        )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--target", choices=["amd", "nvidia", "cpu"])
    arguments = parser.parse_args()
    tally = measured(arguments.clients, arguments.seconds, arguments.target)
    print(tally.report())
    if problems := tally.problems():
        sys.exit("\n".join(problems[:10]))


def measured(clients: int, seconds: float, target: str | None) -> Tally:
    """Let clients loose on a server for so long."""
    expected = alone(target)
    options = (*TINY, *(("--target", target) if target else ()), "--queue", str(2 * clients))
    with served(*options) as server:
        return asyncio.run(_load(server, clients, seconds, expected))


def alone(target: str | None) -> dict[str, list[int]]:
    """What the engine makes of each prompt, one after the other."""
    where = Surroundings()
    with open_engine(
        RandomWeights(RANDOM_MODELS["tiny"]), choose_target(where, target), positions=64, where=where
    ) as engine:
        return {prompt: _continued(engine, NumberText().tokens(prompt)) for prompt in PROMPTS}


def _continued(engine: Engine, prompt: list[int]) -> list[int]:
    engine.reset()
    engine.prefill(prompt[:-1])
    made = prompt[-1:]
    for position in range(len(prompt) - 1, len(prompt) - 1 + _LONGEST):
        tokens, logits = engine.decode(made[-1:], [position], [0], [Sampling()], logits=True)
        assert logits is not None
        second, first = np.sort(logits[0])[-2:]
        assert first - second >= _CLEAR * np.abs(logits).max(), f"after {prompt} two tokens are about as likely"
        made += tokens
    return made[1:]


async def _load(server: Running, clients: int, seconds: float, expected: Mapping[str, list[int]]) -> Tally:
    tally, started = Tally(), time.perf_counter()
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=server.url, timeout=_PATIENCE, limits=limits) as http:
        watch = asyncio.ensure_future(_watch(server, tally, started))
        ends = started + seconds
        await asyncio.gather(*(_client(http, random.Random(i), ends, expected, tally) for i in range(clients)))
        await _idle(http, tally)
        watch.cancel()
    tally.memory.append((time.perf_counter() - started, server.resident()))
    return tally


async def _watch(server: Running, tally: Tally, started: float) -> None:
    while True:
        tally.memory.append((time.perf_counter() - started, server.resident()))
        await asyncio.sleep(0.2)


async def _idle(http: httpx.AsyncClient, tally: Tally) -> None:
    """Answers that nobody waits for must leave the engine soon."""
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
        prompt, count = chance.choice(PROMPTS), chance.randint(3, _LONGEST)
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
    """The tokens of an answer; of one that is left, some."""
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
