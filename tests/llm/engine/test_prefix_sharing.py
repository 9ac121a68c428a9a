"""Sequences with the same beginning share pages of the cache."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.random_weights import RandomWeights

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

SHAPE = replace(RANDOM_MODELS["tiny"], layers=1, width=128, hidden=256)
PAGE = 32
COMMON = [(i * 37 + 5) % 512 for i in range(3 * PAGE)]


@pytest.fixture
def engine(target32: Target) -> Iterator[Engine]:
    with open_engine(RandomWeights(SHAPE), target32, positions=160, sequences=3) as engine:
        yield engine


def continued(engine: Engine, prompt: list[int], sequence: int, count: int = 4) -> tuple[int, list[int]]:
    """Return the number of reused positions and greedy tokens."""
    engine.reset(sequence)
    reused = engine.reuse(prompt[:-1], sequence=sequence)
    if prompt[reused:-1]:
        engine.prefill(prompt[reused:-1], sequence=sequence, position=reused)
    return reused, engine.generate(prompt[-1], len(prompt) - 1, count, sequence=sequence)


def test_the_same_beginning_is_reused_in_whole_pages(engine: Engine) -> None:
    first = [*COMMON, 1, 2, 3]
    assert continued(engine, first, 0)[0] == 0
    reused, tokens = continued(engine, [*COMMON, 9, 9], 1)  # while the first still has its pages
    assert reused == 3 * PAGE
    engine.reset(0)
    engine.reset(1)
    assert continued(engine, first, 2) == (3 * PAGE, engine.generate(3, len(first) - 1, 4, sequence=2))
    other = COMMON.copy()
    other[40] += 1
    assert continued(engine, [*other, 9, 9], 0)[0] == PAGE
    assert continued(engine, [7, *COMMON], 0)[0] == 0
    assert continued(engine, [*COMMON, 9, 9], 1) == (3 * PAGE, tokens)


# The builds of test_formats.py.
@pytest.mark.parametrize(("formats", "wave_size"), [(Formats(), 32), (Formats("q4f16_128", "int8", "bf16"), 64)])
def test_tokens_are_those_without_sharing(formats: Formats, wave_size: int, engine_cache: Path) -> None:
    weights, target = RandomWeights(SHAPE, formats=formats), Target("cpu", wave_size=wave_size)
    with open_engine(weights, target, positions=160, sequences=2) as engine:
        alone = continued(engine, [*COMMON, 9, 8], 0)[1]
        assert continued(engine, [*COMMON, 9, 8], 1) == (3 * PAGE, alone)


def test_the_answer_s_pages_are_reused_too(engine: Engine) -> None:
    _, answer = continued(engine, COMMON[: PAGE + 5], 0, count=40)
    engine.reset(0)
    assert continued(engine, [*COMMON[: PAGE + 5], *answer, 3], 1)[0] == 2 * PAGE


def test_a_sequence_that_rewrites_a_shared_page_gets_its_own(engine: Engine) -> None:
    prompt = [*COMMON[: PAGE + 8], 4]
    engine.prefill(COMMON, sequence=0)
    wanted = continued(engine, prompt, 1)
    engine.reset(1)
    assert engine.reuse(COMMON, sequence=1) == 3 * PAGE
    # Sequence 1 goes back into the first page, and is continued otherwise.
    engine.prefill([11, 12, 13], sequence=1, position=20)
    changed = engine.generate(5, 23, 4, sequence=1)
    engine.reset(2)
    engine.prefill([*COMMON[:20], 11, 12, 13], sequence=2)
    assert engine.generate(5, 23, 4, sequence=2) == changed
    engine.reset(2)
    assert continued(engine, prompt, 2) == wanted  # sequence 0 has kept its own
    engine.reset(0)
    assert continued(engine, [*COMMON[:20], 11, 12, 13, *COMMON[23:40]], 0)[0] == 0


def test_a_page_that_is_written_again_is_not_found_with_its_old_tokens(engine: Engine) -> None:
    engine.prefill(COMMON[:PAGE], sequence=0)
    engine.prefill([3] * 5, sequence=0, position=10)
    assert continued(engine, [*COMMON[:PAGE], 1], 1)[0] == 0


def test_the_oldest_are_forgotten_first(engine: Engine) -> None:
    prompts = [[each] * (4 * PAGE) for each in range(1, 6)]  # three fit
    for prompt in prompts:
        continued(engine, [*prompt, 7], 0, count=1)
        engine.reset(0)
    reused = [continued(engine, [*prompt, 7], 0, count=1)[0] for prompt in prompts[:1] + prompts[:0:-1][:2]]
    assert reused[0] == 0
    assert reused[1] == 4 * PAGE


def test_any_use_gives_what_a_fresh_sequence_gives(engine: Engine) -> None:
    chance = random.Random(5)
    texts = [[chance.randrange(3) for _ in range(150)] for _ in range(2)]
    known: dict[tuple[int, ...], list[int]] = {}
    for _ in range(30):
        sequence, text = chance.randrange(3), chance.choice(texts)
        length = chance.randrange(1, 140)
        prompt = [*text[:length], chance.randrange(3)]
        _, made = continued(engine, prompt, sequence, count=3)
        assert known.setdefault(tuple(prompt), made) == made
    assert engine.decode([1], [0], [0], [Sampling()])[0]


def test_reused_tokens_count_for_the_repetition_penalty(engine: Engine) -> None:
    penalized = Sampling(repetition_penalty=3.0)
    made = []
    for sequence in (0, 1):
        reused = engine.reuse(COMMON, sequence=sequence)
        assert reused == (3 * PAGE if sequence else 0)
        if not reused:
            engine.prefill(COMMON, sequence=sequence)
        token, tokens = 9, list[int]()
        for position in range(3 * PAGE, 3 * PAGE + 6):
            (token,), _ = engine.decode([token], [position], [sequence], [penalized])
            tokens.append(token)
        made.append(tokens)
    assert made[0] == made[1]
    assert made[0] != engine.generate(9, 3 * PAGE, 6, sequence=1)
