"""Parts shared by BERT and ViT: attention and feed-forward layers, and loading of weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hipport.errors import HipportError
from hipport.llm.operators import Activation, Operators, Recorder, Tensor
from hipport.llm.weights.tensors import Array

_ACTIVATIONS = {
    "gelu": Activation.GELU,
    "gelu_new": Activation.FAST_GELU,
    "gelu_pytorch_tanh": Activation.FAST_GELU,
    "gelu_fast": Activation.FAST_GELU,
    "relu": Activation.RELU,
}

BASE: Mapping[str, Any] = {
    "num_hidden_layers": 12,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_attention_heads": 12,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}
"""The configuration that BERT-base and ViT-B share."""

_NEEDED = tuple(BASE)


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of an encoder. `epsilon`: of its normalizations."""

    layers: int
    width: int
    hidden: int
    heads: int
    activation: Activation
    epsilon: float


class Weights:
    """Tensors by name, without the prefix that models with a head add; shapes are checked on access."""

    def __init__(self, found: Mapping[str, Array], prefix: str) -> None:
        self._found = {name.removeprefix(prefix): values for name, values in found.items()}

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def rows(self, name: str) -> int:
        """Return the first dimension of a tensor, which must exist."""
        return int(self._found[name].shape[0])

    def get(self, name: str, *shape: int) -> Array:
        """Return a tensor of the given shape. Raises `HipportError`."""
        if name not in self._found:
            raise HipportError(f"the model has no tensor {name}")
        values = self._found[name]
        if values.shape != shape:
            raise HipportError(f"{name} has the shape {list(values.shape)}, not {list(shape)}")
        return values


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights [columns][depth] and bias."""

    weights: Tensor
    bias: Tensor


@dataclass(frozen=True, slots=True)
class Norm:
    """Parameters of a LayerNorm."""

    factors: Tensor
    summands: Tensor


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of an encoder. `joined`: computes queries, keys and values."""

    joined: Linear
    out: Linear
    up: Linear
    down: Linear
    attention_norm: Norm
    norm: Norm


@dataclass(frozen=True, slots=True)
class Loader:
    """Copies weights to the device."""

    operators: Operators
    weights: Weights

    def tensor(self, name: str, *shape: int) -> Tensor:
        return self.operators.tensor(self.weights.get(name, *shape))

    def linear(self, name: str, columns: int, depth: int) -> Linear:
        """Load NAME.weight and NAME.bias."""
        return Linear(self.tensor(f"{name}.weight", columns, depth), self.tensor(f"{name}.bias", columns))

    def joined(self, names: tuple[str, ...], columns: int, depth: int) -> Linear:
        """Load several linear maps, concatenated into one product."""
        weights = [self.weights.get(f"{name}.weight", columns, depth) for name in names]
        biases = [self.weights.get(f"{name}.bias", columns) for name in names]
        return Linear(self.operators.tensor(np.concatenate(weights)), self.operators.tensor(np.concatenate(biases)))

    def head(self, name: str, depth: int) -> Linear | None:
        """Load NAME.weight and NAME.bias with any number of columns; return None if the model has none."""
        weights = f"{name}.weight"
        return self.linear(name, self.weights.rows(weights), depth) if weights in self.weights else None

    def norm(self, name: str, width: int) -> Norm:
        """Load NAME.weight and NAME.bias."""
        return Norm(self.tensor(f"{name}.weight", width), self.tensor(f"{name}.bias", width))


@dataclass(frozen=True, slots=True)
class LayerNames:
    """Names of a layer's parts in a family of models."""

    joined: tuple[str, str, str]
    out: str
    up: str
    down: str
    attention_norm: str
    norm: str

    def load(self, loader: Loader, shape: Shape, layer: str) -> Layer:
        """Load the weights of one layer."""
        width, hidden = shape.width, shape.hidden
        return Layer(
            loader.joined(tuple(layer + name for name in self.joined), width, width),
            loader.linear(layer + self.out, width, width),
            loader.linear(layer + self.up, hidden, width),
            loader.linear(layer + self.down, width, hidden),
            loader.norm(layer + self.attention_norm, width),
            loader.norm(layer + self.norm, width),
        )

    def names(self, shape: Shape, layer: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the names and shapes of all tensors of a layer."""
        width, hidden = shape.width, shape.hidden
        for name, columns, depth in (
            *((joined, width, width) for joined in self.joined),
            (self.out, width, width),
            (self.up, hidden, width),
            (self.down, width, hidden),
        ):
            yield f"{layer}{name}.weight", (columns, depth)
            yield f"{layer}{name}.bias", (columns,)
        for name in (self.attention_norm, self.norm):
            yield f"{layer}{name}.weight", (width,)
            yield f"{layer}{name}.bias", (width,)


@dataclass(frozen=True, slots=True)
class Plan:
    """A forward pass for inputs of one shape, which computes `hidden` from `inputs`."""

    recorder: Recorder
    inputs: tuple[Tensor, ...]
    hidden: Tensor

    def place(self, *values: Array) -> None:
        """Copy inputs to the device."""
        for tensor, given in zip(self.inputs, values, strict=True):
            tensor.write(given)

    def run(self) -> Tensor:
        """Launch the pass without waiting and return the hidden states, which the next run overwrites."""
        self.recorder.start()
        return self.hidden


class Plans:
    """Cache of the plan for the last shape used; `make` creates plans."""

    def __init__(self, make: Callable[..., Plan]) -> None:
        self._make = make
        self._last: tuple[tuple[int, ...], Plan] | None = None

    def get(self, *shape: int) -> Plan:
        """Return the plan for a shape."""
        if self._last is None or self._last[0] != shape:
            self._last = None  # frees device memory for the next
            self._last = shape, self._make(*shape)
        return self._last[1]


def attend(
    operators: Operators, shape: Shape, layer: Layer, x: Tensor, batch: int, lengths: Tensor | None = None
) -> Tensor:
    """Return the attention of all heads, before the output projection."""
    joined = operators.linear(x, layer.joined.weights, layer.joined.bias)
    return operators.attention(joined, batch, shape.heads, lengths)


def feed_forward(operators: Operators, shape: Shape, layer: Layer, x: Tensor, residual: Tensor) -> Tensor:
    """Return down(activation(up(x))) + residual."""
    hidden = operators.linear(x, layer.up.weights, layer.up.bias, activation=shape.activation)
    return operators.linear(hidden, layer.down.weights, layer.down.bias, add=residual)


def shape_of(config: Mapping[str, Any]) -> Shape:
    """Return the shape given by a model's config.json. Raises `HipportError`."""
    missing = [name for name in _NEEDED if name not in config]
    if missing:
        raise HipportError(f"config.json lacks {missing[0]}")
    if not isinstance(config["hidden_act"], str) or config["hidden_act"] not in _ACTIVATIONS:
        raise HipportError(
            f"the activation {config['hidden_act']} is not supported; supported: {', '.join(_ACTIVATIONS)}"
        )
    layers, width, hidden, heads, epsilon = (config[name] for name in _NEEDED[:5])
    return Shape(layers, width, hidden, heads, _ACTIVATIONS[config["hidden_act"]], epsilon)


def read_folder(folder: Path, architecture: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return config.json and model.safetensors of a model of type `architecture`. Raises `HipportError`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from hipport.llm.model.config import read_json

    try:
        config = read_json(folder / "config.json")
        tensors = load_file(folder / "model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise HipportError(f"cannot read the model in {folder}: {error}") from None
    if config.get("model_type") != architecture:
        raise HipportError(f"{folder} has a model of type {config.get('model_type')}, not {architecture}")
    return config, tensors


def made_up(names: Iterator[tuple[str, tuple[int, ...]]], seed: int = 0) -> dict[str, Array]:
    """Return random weights that keep the magnitude of what they are multiplied with."""
    random = np.random.default_rng(seed)
    found = {}
    for name, shape in names:
        spread = 0.02 if len(shape) == 1 else float(np.prod(shape[1:])) ** -0.5
        values = random.standard_normal(shape, np.float32) * spread
        is_norm = "norm" in name.lower() and name.endswith(".weight")
        found[name] = (values + 1.0 if is_norm else values).astype(np.float32)
    return found
