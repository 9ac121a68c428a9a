"""Changed logits, logits of some rows, and several tokens of one sequence in a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Engine, Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.weights.random_weights import RandomWeights

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

GREEDY = Sampling()
SHAPES = {name: replace(RANDOM_MODELS[name], layers=1, width=128, hidden=256) for name in ("tiny", "qwen3-tiny")}
VOCABULARY = SHAPES["tiny"].vocabulary


@pytest.fixture(params=list(SHAPES))
def engine(request: pytest.FixtureRequest, target32: Target) -> Iterator[Engine]:
    with open_engine(RandomWeights(SHAPES[request.param]), target32, positions=160, sequences=8) as engine:
        yield engine


def mask_of(*tokens: int) -> np.ndarray:
    bits = np.zeros(VOCABULARY, np.uint8)
    bits[list(tokens)] = 1
    return np.packbits(bits, bitorder="little").view(np.int32)


def test_changes_are_made_for_the_token_that_they_are_for(engine: Engine) -> None:
    tokens, positions, sequences = [5, 6, 7, 8, 9, 10], [0] * 6, list(range(6))
    plain, logits = engine.decode(tokens, positions, sequences, [GREEDY] * 6, logits=True)
    assert logits is not None
    likely = np.argsort(-logits, axis=1)
    changes = [
        None,
        Changes({int(likely[1, 0]): -100.0}),
        Changes({int(likely[2, 300]): 200.0, 3: -1.0}),
        Changes({}, mask_of(int(likely[3, 7]), int(likely[3, 40]), 511 if likely[3, 7] != 511 else 510)),
        Changes({int(likely[4, 40]): 300.0}, mask_of(int(likely[4, 7]), int(likely[4, 8]))),
        Changes({}, mask_of(int(likely[5, -1]))),
    ]
    # The rows' logits are those before the changes.
    found, rows = engine.decode_with(tokens, positions, sequences, [GREEDY] * 6, changes=changes, rows=[4, 1])
    wanted = [likely[0, 0], likely[1, 1], likely[2, 300], None, likely[4, 7], likely[5, -1]]
    best = max((int(likely[3, 7]), int(likely[3, 40]), 511 if likely[3, 7] != 511 else 510), key=lambda t: logits[3, t])
    assert found == [int(best if token is None else token) for token in wanted]
    assert np.array_equal(rows, logits[[4, 1]])
    assert engine.decode(tokens, positions, sequences, [GREEDY] * 6)[0] == plain


def test_sampling_keeps_to_the_mask(engine: Engine) -> None:
    allowed = mask_of(17, 300, 511)
    hot = [Sampling(temperature=2.0, top_p=0.99, seed=seed) for seed in range(8)]
    found, _ = engine.decode_with([5] * 8, [0] * 8, list(range(8)), hot, changes=[Changes({}, allowed)] * 8)
    assert set(found) <= {17, 300, 511}
    assert len(set(found)) > 1


@pytest.mark.parametrize("together", [2, 7])
def test_several_tokens_of_one_sequence_see_those_before_them(engine: Engine, together: int) -> None:
    prompt = list(range(40))
    engine.prefill(prompt, sequence=1)
    one_by_one, token = [], 77
    for position in range(40, 40 + together):
        (token,), _ = engine.decode([token], [position], [1], [GREEDY])
        one_by_one.append(token)
    engine.reset(1)
    engine.prefill(prompt, sequence=2)
    tokens = [77, *one_by_one[:-1]]
    found, _ = engine.decode_with(tokens, range(40, 40 + together), [2] * together, [GREEDY] * together)
    assert found == one_by_one
    # Wrong tokens in between change what comes after them only.
    found, _ = engine.decode_with([77, (one_by_one[0] + 1) % 512], [40, 41], [2, 2], [GREEDY] * 2)
    assert found[0] == one_by_one[0]
    assert engine.decode([one_by_one[0]], [41], [2], [GREEDY])[0] == [one_by_one[1]]


@pytest.mark.parametrize(
    ("changes", "rows", "said"),
    [
        ([Changes({512: 1.0})], [], "not in the vocabulary"),
        ([Changes({-1: 1.0})], [], "not in the vocabulary"),
        ([None, None], [], "a token, a position"),
        ([], [1], "a token that is not there"),
    ],
)
def test_what_is_refused(engine: Engine, changes: list[Changes | None], rows: list[int], said: str) -> None:
    with pytest.raises(HipportError, match=said):
        engine.decode_with([1], [0], [0], [GREEDY], changes=changes, rows=rows)


def test_hidden_states_give_the_logits(engine: Engine) -> None:
    """The head is linear: more logits than the width has dimensions follow from it by least squares."""
    positions = SHAPES["tiny"].width + 24
    tokens = [(i * i + 7 * i) % VOCABULARY for i in range(positions)]
    hidden, logits = engine.hidden(tokens), []
    for start in range(0, positions, 8):
        own = range(start, start + 8)
        logits.append(engine.decode_with(tokens[start : start + 8], own, [1] * 8, [GREEDY] * 8, rows=range(8))[1])
    fitted, *_ = np.linalg.lstsq(hidden, np.concatenate(logits), rcond=None)
    error = np.abs(hidden @ fitted - np.concatenate(logits)).max()
    assert error < 0.01 * np.abs(logits).max()


def test_hidden_states_of_chunks_and_whole_prompts(engine: Engine) -> None:
    tokens = [(i * 37 + 5) % 512 for i in range(40)]
    whole = engine.hidden(tokens)
    assert whole.shape == (40, engine.config.width)
    engine.hidden(tokens[:20], sequence=1)
    rest = engine.hidden(tokens[20:], sequence=1, position=20)
    assert np.abs(rest - whole[20:]).max() < 0.02 * np.abs(whole).max()
