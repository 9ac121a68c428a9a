"""BERT's encoder built from tile operators (Devlin et al. 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hipport.errors import HipportError
from hipport.llm.examples.encoder import BASE, LayerNames, Loader, Plan, Plans, Weights, attend, feed_forward, shape_of
from hipport.llm.operators import Activation, Operators, Recorder, Tensor
from hipport.llm.weights.tensors import Array

CONFIG: Mapping[str, Any] = {
    "model_type": "bert",
    **BASE,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}
"""BERT-base."""

_LAYER = LayerNames(
    ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
    "attention.output.LayerNorm",
    "output.LayerNorm",
)


def names(config: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names and shapes of all tensors."""
    shape = shape_of(config)
    for table, rows in (
        ("word", "vocab_size"),
        ("position", "max_position_embeddings"),
        ("token_type", "type_vocab_size"),
    ):
        yield f"embeddings.{table}_embeddings.weight", (config[rows], shape.width)
    for part in ("weight", "bias"):
        yield f"embeddings.LayerNorm.{part}", (shape.width,)
    for layer in range(shape.layers):
        yield from _LAYER.names(shape, f"encoder.layer.{layer}.")
    yield "pooler.dense.weight", (shape.width, shape.width)
    yield "pooler.dense.bias", (shape.width,)


class Bert:
    """An encoder with its weights on the device. Raises `HipportError` if they do not match the configuration."""

    def __init__(self, operators: Operators, config: Mapping[str, Any], weights: Mapping[str, Array]) -> None:
        self._operators = operators
        self._config = config
        self.shape = shape = shape_of(config)
        found = Weights(weights, "bert.")
        load = Loader(operators, found)
        self._words = load.tensor("embeddings.word_embeddings.weight", config["vocab_size"], shape.width)
        self._places = operators.tensor(self._tables(found))
        self._norm = load.norm("embeddings.LayerNorm", shape.width)
        self._layers = [_LAYER.load(load, shape, f"encoder.layer.{i}.") for i in range(shape.layers)]
        self._pooler = load.head("pooler.dense", shape.width)
        self._plans = Plans(self._plan)

    def run(self, tokens: Array, types: Array | None = None, lengths: Array | None = None) -> Tensor:
        """Return the last hidden states [sequence * position][width] of tokens [sequence][position].

        The next run overwrites them. `types`: 0 or 1 for each token, the sentence it belongs to. `lengths`: the number
        of visible positions of each sequence.
        """
        return self.placed(tokens, types, lengths).run()

    def placed(self, tokens: Array, types: Array | None = None, lengths: Array | None = None) -> Plan:
        """Copy the inputs to the device and return the plan that runs the model on them."""
        self._check(tokens)
        batch, positions = tokens.shape
        places = np.tile(np.arange(positions), batch)
        if types is not None:
            places += types.reshape(-1) * self._config["max_position_embeddings"]
        plan = self._plans.get(batch, positions)
        plan.place(tokens.reshape(-1), places, np.full(batch, positions) if lengths is None else lengths)
        return plan

    def _plan(self, batch: int, positions: int) -> Plan:
        operators, shape = Recorder(self._operators.device), self.shape
        count = batch * positions
        tokens, places, lengths = (operators.tensor(np.zeros(size, np.int32)) for size in (count, count, batch))
        summed = operators.rows(self._words, tokens, self._places, places)
        x = operators.layer_norm(summed, self._norm.factors, self._norm.summands, shape.epsilon)
        for layer in self._layers:
            heads = attend(operators, shape, layer, x, batch, lengths)
            mixed = operators.linear(heads, layer.out.weights, layer.out.bias, add=x)
            norm = layer.attention_norm
            x = operators.layer_norm(mixed, norm.factors, norm.summands, shape.epsilon)
            fed = feed_forward(operators, shape, layer, x, residual=x)
            x = operators.layer_norm(fed, layer.norm.factors, layer.norm.summands, shape.epsilon)
        return Plan(operators, (tokens, places, lengths), x)

    def pooled(self, hidden: Tensor, batch: int) -> Tensor:
        """Return the pooler's output for the first position of each sequence, [sequence][width].

        Raises `HipportError` if the model has no pooler.
        """
        if self._pooler is None:
            raise HipportError("the model has no pooler")
        first = self._operators.tensor(np.arange(batch) * (hidden.shape[0] // batch))
        rows = self._operators.rows(hidden, first)
        return self._operators.linear(rows, self._pooler.weights, self._pooler.bias, activation=Activation.TANH)

    def _tables(self, weights: Weights) -> Array:
        """Return the position embeddings once per token type, each with the type's embedding added."""
        positions, types = self._config["max_position_embeddings"], self._config["type_vocab_size"]
        places = weights.get("embeddings.position_embeddings.weight", positions, self.shape.width)
        kinds = weights.get("embeddings.token_type_embeddings.weight", types, self.shape.width)
        return np.concatenate([places + kind for kind in kinds])

    def _check(self, tokens: Array) -> None:
        if tokens.shape[1] > self._config["max_position_embeddings"]:
            raise HipportError(
                f"{tokens.shape[1]} tokens exceed the limit of {self._config['max_position_embeddings']}"
            )
        if tokens.min() < 0 or tokens.max() >= self._config["vocab_size"]:
            raise HipportError(f"there are tokens outside the vocabulary of {self._config['vocab_size']}")
