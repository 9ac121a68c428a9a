"""The Vision Transformer built from tile operators (Dosovitskiy et al. 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hipport.errors import HipportError
from hipport.llm.examples.encoder import BASE, LayerNames, Loader, Plan, Plans, Weights, attend, feed_forward, shape_of
from hipport.llm.operators import Operators, Recorder, Tensor
from hipport.llm.weights.tensors import Array

CONFIG: Mapping[str, Any] = {
    "model_type": "vit",
    **BASE,
    "image_size": 224,
    "patch_size": 16,
    "num_channels": 3,
}
"""ViT-B/16."""

_LAYER = LayerNames(
    ("attention.attention.query", "attention.attention.key", "attention.attention.value"),
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
    "layernorm_before",
    "layernorm_after",
)
_PATCH = "embeddings.patch_embeddings.projection"


def names(config: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names and shapes of all tensors."""
    shape, patch = shape_of(config), config["patch_size"]
    yield "embeddings.cls_token", (1, 1, shape.width)
    yield "embeddings.position_embeddings", (1, patches(config) + 1, shape.width)
    yield f"{_PATCH}.weight", (shape.width, config["num_channels"], patch, patch)
    yield f"{_PATCH}.bias", (shape.width,)
    for layer in range(shape.layers):
        yield from _LAYER.names(shape, f"encoder.layer.{layer}.")
    yield "layernorm.weight", (shape.width,)
    yield "layernorm.bias", (shape.width,)


def patches(config: Mapping[str, Any]) -> int:
    """Return the number of patches of an image."""
    return int((config["image_size"] // config["patch_size"]) ** 2)


class Vit:
    """An encoder with its weights on the device. Raises `HipportError` if they do not match the configuration."""

    def __init__(self, operators: Operators, config: Mapping[str, Any], weights: Mapping[str, Array]) -> None:
        self._operators = operators
        self._config = config
        self.shape = shape = shape_of(config)
        self._patches, patch = patches(config), config["patch_size"]
        found = Weights(weights, "vit.")
        load = Loader(operators, found)
        taps = found.get(f"{_PATCH}.weight", shape.width, config["num_channels"], patch, patch)
        self._taps = operators.tensor(taps.transpose(0, 2, 3, 1))
        self._tap_bias = load.tensor(f"{_PATCH}.bias", shape.width)
        self._first = found.get("embeddings.cls_token", 1, 1, shape.width)
        self._places = load.tensor("embeddings.position_embeddings", 1, self._patches + 1, shape.width)
        self._layers = [_LAYER.load(load, shape, f"encoder.layer.{i}.") for i in range(shape.layers)]
        self._norm = load.norm("layernorm", shape.width)
        self._head = load.head("classifier", shape.width)
        self._plans = Plans(self._plan)

    def run(self, images: Array) -> Tensor:
        """Return the last hidden states [image * (1 + patch)][width] of images [image][channel][row][column].

        The next run overwrites them.
        """
        return self.placed(images).run()

    def placed(self, images: Array) -> Plan:
        """Copy the images to the device and return the plan that runs the model on them."""
        self._check(images)
        plan = self._plans.get(len(images))
        plan.place(images.transpose(0, 2, 3, 1))
        return plan

    def _plan(self, batch: int) -> Plan:
        operators, shape, size = Recorder(self._operators.device), self.shape, self._config["image_size"]
        pixels = operators.tensor(np.zeros((batch, size, size, self._config["num_channels"])))
        x = self._embedded(operators, pixels)
        for layer in self._layers:
            before, after = layer.attention_norm, layer.norm
            normal = operators.layer_norm(x, before.factors, before.summands, shape.epsilon)
            heads = attend(operators, shape, layer, normal, batch)
            x = operators.linear(heads, layer.out.weights, layer.out.bias, add=x)
            normal = operators.layer_norm(x, after.factors, after.summands, shape.epsilon)
            x = feed_forward(operators, shape, layer, normal, residual=x)
        hidden = operators.layer_norm(x, self._norm.factors, self._norm.summands, shape.epsilon)
        return Plan(operators, (pixels,), hidden)

    def classified(self, hidden: Tensor) -> Tensor:
        """Return the logits of each image, [image][label]. Raises `HipportError` if the model has no classifier."""
        if self._head is None:
            raise HipportError("the model has no classifier")
        first = np.arange(0, hidden.shape[0], self._patches + 1)
        rows = self._operators.rows(hidden, self._operators.tensor(first))
        return self._operators.linear(rows, self._head.weights, self._head.bias)

    def _embedded(self, operators: Operators, pixels: Tensor) -> Tensor:
        """Return each image's class token and patch embeddings, plus position embeddings."""
        batch, count, width = pixels.shape[0], self._patches, self.shape.width
        last: Array = np.zeros((batch * count + 1, width), np.float16)
        last[-1] = self._first.reshape(width)
        rows = operators.tensor(last)
        operators.convolution(pixels, self._taps, self._tap_bias, stride=self._config["patch_size"], out=rows)
        order = np.full((batch, count + 1), batch * count)
        order[:, 1:] = np.arange(batch * count).reshape(batch, count)
        places = np.tile(np.arange(count + 1), batch)
        return operators.rows(rows, operators.tensor(order.reshape(-1)), self._places, operators.tensor(places))

    def _check(self, images: Array) -> None:
        size = self._config["image_size"]
        expected = (self._config["num_channels"], size, size)
        if images.shape[1:] != expected:
            raise HipportError(f"images have the shape {list(images.shape[1:])}, not {list(expected)}")
