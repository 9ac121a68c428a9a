"""Measure the error of logits if quantized matrices of a model file are quantized anew, and if they are kept.

    python -m scripts.requantized [--tokens 96] [--seed 1] [--write]

Models with random blocks of quantized types, mixed as in files of llama.cpp, are computed in double precision: with the
weights that the package gguf decodes, with those as the engine keeps them (`--weights native`), and with those after
conversion to 4 bits (`--weights q4f16_32` and `q4f16_128`), after random tokens. `--write` puts the table into
docs/llm.md. Needs no GPU and no engine: tests/llm/engine/test_native.py tests what the engine's own arithmetic adds.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.llm.weights.formats import Formats
from tests.llm.gguf_files import write_native
from tests.llm.models import MODELS, Config, Weights, quantized
from tests.llm.native_on_device import CASES
from tests.llm.reference import logits

_NAMES = ("Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0", "IQ4_XS", "MXFP4")
_FORMATS = ("native", "q4f16_32", "q4f16_128")
_SHAPE = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4, "max_position_embeddings": 512}
_PAGE = Path(__file__).parents[1] / "docs" / "llm.md"
_FIRST, _LAST = "<!-- begin: scripts.requantized -->\n", "<!-- end: scripts.requantized -->\n"
Doubles: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Loss:
    """How a model differs from the exact one.

    `error`: root mean square of the logits' errors, relative to that of the logits. `divergence`: mean Kullback-Leibler
    divergence, in nats. `same`: the fraction of positions with the same most likely token. `perplexity`: that of tokens
    drawn from the exact model, on average.
    """

    error: float
    divergence: float
    same: float
    perplexity: float


def main() -> None:
    """Print the table, or put it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    told = parser.parse_args()
    table = "\n".join(_lines({name: losses(name, told.tokens, told.seed) for name in _NAMES})) + "\n"
    print(table)
    if told.write:
        page = _PAGE.read_text("utf-8")
        before, rest = page.split(_FIRST)
        _PAGE.write_text(f"{before}{_FIRST}{table}{_LAST}{rest.split(_LAST)[1]}", "utf-8")


def losses(name: str, tokens: int, seed: int) -> dict[str, Loss]:
    """Return the losses of a mixture of types by format; those of "exact" are none, but its perplexity."""
    model, _, kinds = CASES[name]
    config = MODELS[model] | _SHAPE
    with tempfile.TemporaryDirectory() as folder:
        _, exact = write_native(Path(folder) / "model.gguf", config, kinds, seed)
    text = np.random.default_rng(seed).integers(0, config["vocab_size"], tokens).tolist()
    expected = logits(config, exact, text)
    kept = {name: logits(config, _kept(config, exact, name), text) for name in _FORMATS}
    return {name: _loss(found, expected) for name, found in {"exact": expected, **kept}.items()}


def _kept(config: Config, exact: Weights, name: str) -> Weights:
    """Return the weights as the engine keeps them: native ones are rounded to 16 bits on their way to matrix units."""
    if name == "native":
        return {key: values.astype(np.float16) for key, values in exact.items()}
    return quantized(config, exact, Formats(name))  # type: ignore[arg-type]


def _loss(found: Doubles, expected: Doubles) -> Loss:
    chances, exact = _log_softmax(found), _log_softmax(expected)
    return Loss(
        error=float(np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean())),
        divergence=float((np.exp(exact) * (exact - chances)).sum(axis=-1).mean()),
        same=float((found.argmax(axis=-1) == expected.argmax(axis=-1)).mean()),
        perplexity=float(np.exp(-(np.exp(exact) * chances).sum(axis=-1).mean())),
    )


def _log_softmax(values: Doubles) -> Doubles:
    shifted: Any = values - values.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def _lines(found: Mapping[str, Mapping[str, Loss]]) -> Iterator[str]:
    yield "| types as in | kept as | error of logits | divergence, nats | same most likely token | perplexity |"
    yield "|---|---|---:|---:|---:|---:|"
    for name, losses in found.items():
        for kept, loss in losses.items():
            if kept == "exact":
                yield f"| {name} | decoded exactly | | | | {loss.perplexity:.3f} |"
            else:
                cells = f"{loss.error:.2%} | {loss.divergence:.1e} | {loss.same:.1%} | {loss.perplexity:.3f}"
                yield f"| | `{kept}` | {cells} |"


if __name__ == "__main__":
    main()
