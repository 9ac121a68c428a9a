"""The perplexity of a text is that of the reference, however it is divided into windows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.bench.perplexity import Window, losses_of, perplexity, windows
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import Formats
from tests.llm.models import MODELS, make_weights, write_model
from tests.llm.reference import logits
from tests.llm.test_cli import hipport


@given(count=st.integers(0, 60), length=st.integers(2, 20), data=st.data())
def test_each_token_is_scored_once(count: int, length: int, data: st.DataObject) -> None:
    stride = data.draw(st.integers(1, length))
    parts = windows(count, length, stride)
    scored = [token for window in parts for token in range(window.scored, window.last)]
    assert len(scored) == len(set(scored))
    left_out = set(range(1, count)) - set(scored)
    assert not left_out if stride < length else left_out <= set(range(0, count, length))
    assert all(0 < window.last - window.first <= length and window.scored > window.first for window in parts)


def test_windows() -> None:
    assert windows(10, 4, 2) == (Window(0, 1, 4), Window(2, 4, 6), Window(4, 6, 8), Window(6, 8, 10))
    assert windows(9, 4, 4) == (Window(0, 1, 4), Window(4, 5, 8))
    assert windows(1, 4, 4) == ()


def test_losses() -> None:
    assert losses_of(np.log(np.array([[1, 1, 2], [1, 2, 1]], np.float32)), [2, 0]) == pytest.approx(np.log([2, 4]))
    with pytest.raises(HipportError, match="not finite"):
        losses_of(np.array([[0, np.nan]], np.float32), [0])


@pytest.mark.toolchain
@pytest.mark.slow
def test_it_is_that_of_the_reference(target32: Target, tmp_path: Path) -> None:
    config, weights = MODELS["llama3"], make_weights(MODELS["llama3"], 2)
    path = write_model(tmp_path / "model", config, weights)
    tokens = np.random.default_rng(1).integers(0, config["vocab_size"], 45).tolist()
    with (
        open_checkpoint(path, Formats("native")) as model,
        open_engine(model, target32, positions=16, sequences=3) as engine,
    ):
        found = perplexity(engine, tokens, length=16, stride=6, at_once=3)
        with pytest.raises(HipportError, match="at least 2"):
            perplexity(engine, tokens[:1], length=16, stride=6, at_once=3)
    exact = {name: values.astype(np.float16) for name, values in weights.items()}
    losses = []
    for window in windows(len(tokens), 16, 6):
        rows = logits(config, exact, tokens[window.first : window.last])[window.scored - 1 - window.first : -1]
        losses += losses_of(rows, tokens[window.scored : window.last]).tolist()
    assert found.tokens == len(losses) == 44
    assert found.loss == pytest.approx(np.mean(losses), rel=2e-3)
    assert found.error == pytest.approx(found.value * np.std(losses, ddof=1) / np.sqrt(44), rel=1e-2)


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_command(engine_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Colorless green ideas sleep furiously. " * 2)
    file = tmp_path / "found.json"
    options = ["--random-weights", "tiny", "--target", "cpu", "--window", "24", "--json", str(file)]
    result = hipport("perplexity", *options, "--text", "text", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    found = json.loads(file.read_text())
    assert found["tokens"] == 77
    # Random weights know nothing: the perplexity is that of a guess among 512 tokens or worse.
    assert found["perplexity"] > 300
    assert f"perplexity {found['perplexity']:.4f} +/- " in result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--text", "no-such-file"], "cannot read no-such-file"),
        (["--text", "x", "--stride", "513"], "leaves out tokens"),
        (["--text", "x", "--window", "1"], "not in the range"),
        ([], "Missing option '--text'"),
    ],
)
def test_wrong_options(options: list[str], said: str, tmp_path: Path) -> None:
    result = hipport("perplexity", "--random-weights", "tiny", *options, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr
