"""Run cuDNN functions on the CPU target, through hipport's cudnn.h on MIOpen, and compare with PyTorch."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cpu.conftest import PROGRAMS, Builder

torch = pytest.importorskip("torch")
functional = torch.nn.functional

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

FLOAT, DOUBLE, HALF, INTEGER = 0, 1, 2, 4
DTYPES = {FLOAT: torch.float32, DOUBLE: torch.float64, HALF: torch.float16, INTEGER: torch.int32}
TOLERANCE = {FLOAT: 2e-5, DOUBLE: 1e-11, HALF: 4e-3}
GAP = 7.0
"""Fill value of the gaps between elements of a tensor, which must not change."""
LAYOUTS = ("packed", "channels last", "gaps")
SOLVERS = ("loops", "oneDNN")
CASES = 30
Dims = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor with its strides: `values` are doubles that the element type holds exactly."""

    values: Any
    kind: int
    layout: str
    is_filter: bool = False

    @property
    def strides(self) -> Dims:
        dims = self.values.shape
        order = [0, *range(2, len(dims)), 1] if self.layout == "channels last" else list(range(len(dims)))
        strides, step = [0] * len(dims), 1
        for d in reversed(order):
            strides[d] = step
            step *= dims[d] + (1 if self.layout == "gaps" else 0)
        return tuple(strides)

    @property
    def size(self) -> int:
        return int(1 + sum((d - 1) * s for d, s in zip(self.values.shape, self.strides, strict=True)))

    def storage(self) -> Any:
        memory = torch.full((self.size,), GAP, dtype=torch.float64)
        memory.as_strided(self.values.shape, self.strides).copy_(self.values)
        return memory

    def words(self) -> Iterator[object]:
        dims = self.values.shape
        if self.is_filter:
            yield from (self.kind, int(self.layout == "channels last"), len(dims), *dims)
        else:
            yield from (self.kind, len(dims), *dims, *self.strides)
        yield from (self.size, *map(repr, self.storage().tolist()))

    def with_values(self, values: Any) -> Tensor:
        return Tensor(values.to(torch.float64), self.kind, self.layout, self.is_filter)


@dataclass(frozen=True)
class Case:
    """A call: the words for the program, and the tensors that it must print. `exact` numbers follow these."""

    name: str
    words: tuple[object, ...]
    expected: tuple[Tensor, ...]
    exact: tuple[int, ...] = ()

    def line(self) -> str:
        flat: list[object] = [self.name]
        for word in self.words:
            flat += word.words() if isinstance(word, Tensor) else [word]
        return " ".join(map(str, flat))

    def mismatch(self, printed: str) -> str:
        """Return how the output differs; empty if it does not."""
        try:
            numbers = torch.tensor([float(word) for word in printed.split()], dtype=torch.float64)
        except ValueError:
            return f"{self.describe()}: {printed}"
        if len(numbers) != sum(tensor.size for tensor in self.expected) + len(self.exact):
            return f"{self.describe()}: {len(numbers)} numbers"
        for i, tensor in enumerate(self.expected):
            got, numbers = numbers[: tensor.size], numbers[tensor.size :]
            wanted = tensor.storage()
            scale = max(1.0, float(tensor.values.abs().nan_to_num(posinf=0, neginf=0).max()))
            if not torch.allclose(got, wanted, rtol=0, atol=TOLERANCE[tensor.kind] * scale, equal_nan=True):
                return f"{self.describe()}: tensor {i}: {got.tolist()[:12]} instead of {wanted.tolist()[:12]}"
        return "" if numbers.tolist() == list(self.exact) else f"{self.describe()}: indices {numbers.tolist()}"

    def describe(self) -> str:
        shown = [
            f"{tuple(word.values.shape)} {word.layout} type {word.kind}" if isinstance(word, Tensor) else str(word)
            for word in self.words
        ]
        return f"{self.name}({', '.join(shown)})"


class Maker:
    """Makes random cases."""

    def __init__(self, seed: str, kinds: Sequence[int] = (FLOAT, DOUBLE, HALF)) -> None:
        self.random = Random(seed)
        self.torch = torch.Generator().manual_seed(self.random.randrange(1 << 30))
        self.kind = self.random.choice(kinds)
        self.alpha = self.random.choice((1.0, 1.0, 0.5, -1.5))
        self.beta = self.random.choice((0.0, 0.0, 1.0, 0.25))

    def tensor(self, dims: Sequence[int], layout: str = "", kind: int | None = None) -> Tensor:
        kind = self.kind if kind is None else kind
        values = torch.randn(tuple(dims), generator=self.torch, dtype=torch.float64).to(DTYPES[kind])
        return Tensor(values.to(torch.float64), kind, layout or self.random.choice(LAYOUTS))

    def filter(self, dims: Sequence[int]) -> Tensor:
        made = self.tensor(dims, self.random.choice(LAYOUTS[:2]))
        return Tensor(made.values, made.kind, made.layout, is_filter=True)

    def target(self, dims: Sequence[int], like: Tensor | None = None) -> Tensor:
        """Return an output. If it is overwritten it holds NaN, which must not reach the result."""
        made = self.tensor(dims) if like is None else self.filter(dims)
        return made.with_values(torch.full_like(made.values, math.nan)) if self.beta == 0 else made

    def blend(self, target: Tensor, result: Any) -> Tensor:
        old = torch.zeros_like(target.values) if self.beta == 0 else self.beta * target.values
        return target.with_values(self.alpha * result + old)

    def dims(self, rank: int | None = None, largest: int = 5) -> Dims:
        rank = rank or self.random.choice((2, 2, 3))
        return tuple(self.random.randint(1, largest) for _ in range(rank + 2))


@dataclass(frozen=True)
class Convolution:
    """A random convolution: shapes, and what the program reads."""

    x: Dims
    w: Dims
    y: Dims
    padding: Dims
    stride: Dims
    dilation: Dims
    groups: int
    mirrored: bool
    words: tuple[object, ...]

    def __call__(self, x: Any, w: Any) -> Any:
        run = functional.conv2d if len(self.padding) == 2 else functional.conv3d
        w = w.flip(tuple(range(2, w.dim()))) if self.mirrored else w
        return run(x, w, None, self.stride, self.padding, self.dilation, self.groups)


def convolution(make: Maker) -> Convolution:
    pick = make.random.randint
    rank, groups = make.random.choice((2, 2, 2, 3)), make.random.choice((1, 1, 2, 3))
    window = tuple(pick(1, 3) for _ in range(rank))
    dilation = tuple(pick(1, 2) for _ in range(rank))
    padding = tuple(pick(0, 2) for _ in range(rank))
    stride = tuple(pick(1, 3) for _ in range(rank))
    extents = [(w - 1) * d + 1 for w, d in zip(window, dilation, strict=True)]
    spatial = tuple(max(1, e - 2 * p) + pick(0, 4) for e, p in zip(extents, padding, strict=True))
    x = (pick(1, 3), groups * pick(1, 3), *spatial)
    w = (groups * pick(1, 3), x[1] // groups, *window)
    out = tuple((i + 2 * p - e) // s + 1 for i, p, e, s in zip(spatial, padding, extents, stride, strict=True))
    mirrored = make.random.random() < 0.3
    words = (rank, *padding, *stride, *dilation, groups, int(not mirrored), pick(0, 2))
    return Convolution(x, w, (x[0], w[0], *out), padding, stride, dilation, groups, mirrored, words)


def gradients(result: Any, inputs: Sequence[Any], dy: Any) -> tuple[Any, ...]:
    return tuple(torch.autograd.grad(result, list(inputs), dy))


def convolution_forward(make: Maker) -> Case:
    conv = convolution(make)
    x, w, y = make.tensor(conv.x), make.filter(conv.w), make.target(conv.y)
    expected = make.blend(y, conv(x.values, w.values))
    return Case("convolution_forward", (*conv.words, make.alpha, make.beta, x, w, y), (expected,))


def convolution_data(make: Maker) -> Case:
    conv = convolution(make)
    w, dy, dx = make.filter(conv.w), make.tensor(conv.y), make.target(conv.x)
    x = torch.zeros(conv.x, dtype=torch.float64, requires_grad=True)
    (gradient,) = gradients(conv(x, w.values), [x], dy.values)
    return Case("convolution_data", (*conv.words, make.alpha, make.beta, w, dy, dx), (make.blend(dx, gradient),))


def convolution_filter(make: Maker) -> Case:
    conv = convolution(make)
    x, dy = make.tensor(conv.x), make.tensor(conv.y)
    dw = make.target(conv.w, make.filter(conv.w))
    w = torch.zeros(conv.w, dtype=torch.float64, requires_grad=True)
    (gradient,) = gradients(conv(x.values, w), [w], dy.values)
    return Case("convolution_filter", (*conv.words, make.alpha, make.beta, x, dy, dw), (make.blend(dw, gradient),))


def convolution_bias(make: Maker) -> Case:
    dims = make.dims()
    dy, db = make.tensor(dims), make.target((1, dims[1], *[1] * (len(dims) - 2)))
    sums = dy.values.sum([0, *range(2, len(dims))], keepdim=True)
    return Case("convolution_bias", (make.alpha, make.beta, dy, db), (make.blend(db, sums),))


def convolution_bias_activation(make: Maker) -> Case:
    conv, make.beta = convolution(make), 0.0
    alpha2 = make.random.choice((0.0, 1.0, 0.5))
    x, w, z, y = make.tensor(conv.x), make.filter(conv.w), make.tensor(conv.y), make.target(conv.y)
    bias = make.tensor((1, conv.y[1], *[1] * (len(conv.y) - 2)))
    mode, run = make.random.choice(((1, torch.relu), (5, lambda value: value)))
    result = run(make.alpha * conv(x.values, w.values) + alpha2 * z.values + bias.values)
    words = (*conv.words, make.alpha, alpha2, mode, 0.0, x, w, z, bias, y)
    return Case("convolution_bias_activation", words, (y.with_values(result),))


ACTIVATIONS: tuple[tuple[int, Any], ...] = (
    (0, lambda x, c: torch.sigmoid(x)),
    (1, lambda x, c: torch.relu(x)),
    (2, lambda x, c: torch.tanh(x)),
    (3, lambda x, c: torch.clamp(x, 0, c)),
    (4, lambda x, c: functional.elu(x, c)),
    (5, lambda x, c: x * 1),
    (6, lambda x, c: x * torch.sigmoid(c * x)),
)


def activation_forward(make: Maker) -> Case:
    mode, run = make.random.choice(ACTIVATIONS)
    dims, coefficient = make.dims(), make.random.choice((0.5, 1.0))
    x, y = make.tensor(dims), make.target(dims)
    expected = make.blend(y, run(x.values, coefficient))
    return Case("activation_forward", (make.alpha, make.beta, mode, coefficient, x, y), (expected,))


def activation_backward(make: Maker) -> Case:
    mode, run = make.random.choice(ACTIVATIONS)
    dims, coefficient = make.dims(), make.random.choice((0.5, 1.0))
    x, dy, dx = make.tensor(dims), make.tensor(dims), make.target(dims)
    leaf = x.values.clone().requires_grad_()
    result = run(leaf, coefficient)
    y = make.tensor(dims).with_values(result.detach().to(DTYPES[make.kind]))
    (gradient,) = gradients(result, [leaf], dy.values)
    words = (make.alpha, make.beta, mode, coefficient, y, dy, x, dx)
    return Case("activation_backward", words, (make.blend(dx, gradient),))


@dataclass(frozen=True)
class Pooling:
    x: Dims
    y: Dims
    mode: int
    window: Dims
    padding: Dims
    stride: Dims

    @property
    def words(self) -> tuple[object, ...]:
        return (self.mode, len(self.window), *self.window, *self.padding, *self.stride)

    def __call__(self, x: Any) -> Any:
        two = len(self.window) == 2
        if self.mode in (0, 3):
            run = functional.max_pool2d if two else functional.max_pool3d
            return run(x, self.window, self.stride, self.padding)
        average = functional.avg_pool2d if two else functional.avg_pool3d
        return average(x, self.window, self.stride, self.padding, count_include_pad=self.mode == 1)


def pooling(make: Maker) -> Pooling:
    pick, rank = make.random.randint, make.random.choice((2, 2, 3))
    window = tuple(pick(1, 4) for _ in range(rank))
    padding = tuple(pick(0, w // 2) for w in window)
    stride = tuple(pick(1, 3) for _ in range(rank))
    spatial = tuple(w + pick(0, 5) for w in window)
    out = tuple((i + 2 * p - w) // s + 1 for i, p, w, s in zip(spatial, padding, window, stride, strict=True))
    items = (pick(1, 3), pick(1, 3))
    return Pooling((*items, *spatial), (*items, *out), pick(0, 3), window, padding, stride)


def pooling_forward(make: Maker) -> Case:
    pool = pooling(make)
    x, y = make.tensor(pool.x), make.target(pool.y)
    expected = make.blend(y, pool(x.values))
    return Case("pooling_forward", (make.alpha, make.beta, *pool.words, x, y), (expected,))


def pooling_backward(make: Maker) -> Case:
    pool = pooling(make)
    x, dy, dx = make.tensor(pool.x), make.tensor(pool.y), make.target(pool.x)
    leaf = x.values.clone().requires_grad_()
    result = pool(leaf)
    (gradient,) = gradients(result, [leaf], dy.values)
    y = make.tensor(pool.y).with_values(result.detach())
    return Case("pooling_backward", (make.alpha, make.beta, *pool.words, y, dy, x, dx), (make.blend(dx, gradient),))


def softmax(x: Any, algorithm: int, mode: int) -> Any:
    run = torch.log_softmax if algorithm == 2 else torch.softmax
    return run(x, 1) if mode == 1 else run(x.flatten(1), 1).reshape(x.shape)


def softmax_forward(make: Maker) -> Case:
    algorithm, mode, dims = make.random.randint(0, 2), make.random.randint(0, 1), make.dims()
    x, y = make.tensor(dims), make.target(dims)
    expected = make.blend(y, softmax(x.values, algorithm, mode))
    return Case("softmax_forward", (make.alpha, make.beta, algorithm, mode, x, y), (expected,))


def softmax_backward(make: Maker) -> Case:
    algorithm, mode, dims = make.random.randint(0, 2), make.random.randint(0, 1), make.dims()
    x, dy, dx = make.tensor(dims), make.tensor(dims), make.target(dims)
    y = make.tensor(dims).with_values(softmax(x.values, algorithm, mode).to(DTYPES[make.kind]))
    if algorithm == 2:
        within = dy.values.sum(1, keepdim=True) if mode == 1 else dy.values.sum(list(range(1, len(dims))), keepdim=True)
        gradient = dy.values - y.values.exp() * within
    else:
        product = dy.values * y.values
        within = product.sum(1, keepdim=True) if mode == 1 else product.sum(list(range(1, len(dims))), keepdim=True)
        gradient = y.values * (dy.values - within)
    words = (make.alpha, make.beta, algorithm, mode, y, dy, dx)
    return Case("softmax_backward", words, (make.blend(dx, gradient),))


class Norm:
    """A batch normalization: its statistics are over items, and over positions unless `mode` is 0."""

    def __init__(self, make: Maker) -> None:
        self.mode = make.random.randint(0, 2)
        self.x = (make.random.randint(2, 4), *make.dims()[1:])
        self.over = [0] if self.mode == 0 else [0, *range(2, len(self.x))]
        self.params = tuple(1 if d in self.over else n for d, n in enumerate(self.x))
        self.count = math.prod(self.x) // math.prod(self.params)
        self.kind = DOUBLE if make.kind == DOUBLE else FLOAT

    def parameter(self, make: Maker, positive: bool = False) -> Tensor:
        made = make.tensor(self.params, "packed", self.kind)
        return made.with_values(made.values.abs() + 0.5) if positive else made

    def normalized(self, x: Any, epsilon: float) -> Any:
        mean = x.mean(self.over, keepdim=True)
        return (x - mean) / (((x - mean) ** 2).mean(self.over, keepdim=True) + epsilon).sqrt()


def norm_training(make: Maker) -> Case:
    norm, factor, epsilon = Norm(make), make.random.choice((1.0, 0.3)), make.random.choice((1e-5, 1e-3))
    x, y, scale, bias = make.tensor(norm.x), make.target(norm.x), norm.parameter(make), norm.parameter(make)
    mean, variance = norm.parameter(make), norm.parameter(make, positive=True)
    blank = norm.parameter(make)
    m = x.values.mean(norm.over, keepdim=True)
    v = ((x.values - m) ** 2).mean(norm.over, keepdim=True)
    expected = (
        make.blend(y, norm.normalized(x.values, epsilon) * scale.values + bias.values),
        mean.with_values((1 - factor) * mean.values + factor * m),
        variance.with_values((1 - factor) * variance.values + factor * v * norm.count / (norm.count - 1)),
        blank.with_values(m),
        blank.with_values(1 / (v + epsilon).sqrt()),
    )
    words = (make.alpha, make.beta, norm.mode, factor, epsilon, x, y, scale, bias, mean, variance, blank, blank)
    return Case("norm_training", words, expected)


def norm_inference(make: Maker) -> Case:
    norm, epsilon = Norm(make), make.random.choice((1e-5, 1e-3))
    x, y, scale, bias = make.tensor(norm.x), make.target(norm.x), norm.parameter(make), norm.parameter(make)
    mean, variance = norm.parameter(make), norm.parameter(make, positive=True)
    result = (x.values - mean.values) / (variance.values + epsilon).sqrt() * scale.values + bias.values
    words = (make.alpha, make.beta, norm.mode, epsilon, x, y, scale, bias, mean, variance)
    return Case("norm_inference", words, (make.blend(y, result),))


def norm_backward(make: Maker) -> Case:
    norm, epsilon, saved = Norm(make), make.random.choice((1e-5, 1e-3)), make.random.randint(0, 1)
    x, dy, dx = make.tensor(norm.x), make.tensor(norm.x), make.target(norm.x)
    scale, dscale, dbias = norm.parameter(make), norm.parameter(make), norm.parameter(make)
    beta = make.random.choice((0.0, 1.0))
    leaf, weight = x.values.clone().requires_grad_(), scale.values.clone().requires_grad_()
    by_x, by_weight = gradients(norm.normalized(leaf, epsilon) * weight, [leaf, weight], dy.values)
    m = x.values.mean(norm.over, keepdim=True)
    inverse = 1 / (((x.values - m) ** 2).mean(norm.over, keepdim=True) + epsilon).sqrt()
    expected = (
        make.blend(dx, by_x),
        dscale.with_values(by_weight + beta * dscale.values),
        dbias.with_values(dy.values.sum(norm.over, keepdim=True) + beta * dbias.values),
    )
    statistics = (scale.with_values(m), scale.with_values(inverse))
    words = (make.alpha, make.beta, 1.0, beta, norm.mode, epsilon, saved, x, dy, dx, scale, dscale, dbias, *statistics)
    return Case("norm_backward", words, expected)


def op_tensor(make: Maker) -> Case:
    op, dims = make.random.choice((0, 1, 2, 3, 5)), make.dims()
    small = tuple(make.random.choice((1, n)) for n in dims)
    a, b, c = make.tensor(dims), make.tensor(small), make.target(dims)
    alpha2 = make.random.choice((1.0, -0.5))
    left, right = make.alpha * a.values, alpha2 * b.values
    results = (left + right, left * right, torch.minimum(left, right), torch.maximum(left, right), None, 1 - left)
    alpha, make.alpha = make.alpha, 1.0
    return Case("op_tensor", (op, alpha, alpha2, make.beta, a, b, c), (make.blend(c, results[op]),))


def add_tensor(make: Maker) -> Case:
    dims = make.dims()
    a, c = make.tensor([make.random.choice((1, n)) for n in dims]), make.target(dims)
    return Case("add_tensor", (make.alpha, make.beta, a, c), (make.blend(c, a.values.expand(dims)),))


def scale_tensor(make: Maker) -> Case:
    y = make.tensor(make.dims())
    return Case("scale_tensor", (make.alpha, y), (y.with_values(make.alpha * y.values),))


def set_tensor(make: Maker) -> Case:
    y = make.tensor(make.dims())
    return Case("set_tensor", (make.alpha, y), (y.with_values(torch.full_like(y.values, make.alpha)),))


def transform_tensor(make: Maker) -> Case:
    dims = make.dims()
    x, y = make.tensor(dims, kind=make.random.choice((make.kind, FLOAT, HALF))), make.target(dims)
    return Case("transform_tensor", (make.alpha, make.beta, x, y), (make.blend(y, x.values),))


def reduce_tensor(make: Maker) -> Case:
    op, dims = make.random.randint(0, 7), (make.random.randint(2, 4), *make.dims()[1:])
    over = sorted({0, *(d for d in range(len(dims)) if make.random.random() < 0.5)})
    indexed = op in (2, 3, 4) and make.random.random() < 0.5
    a, c = make.tensor(dims), make.target([1 if d in over else n for d, n in enumerate(dims)])
    kept = [d for d in range(len(dims)) if d not in over]
    rows = a.values.permute(*kept, *over).reshape(*(dims[d] for d in kept), -1)
    results = (
        lambda: rows.sum(-1),
        lambda: rows.prod(-1),
        lambda: rows.amin(-1),
        lambda: rows.amax(-1),
        lambda: rows.abs().amax(-1),
        lambda: rows.mean(-1),
        lambda: rows.abs().sum(-1),
        lambda: rows.norm(dim=-1),
    )
    chosen = {2: rows.argmin(-1), 3: rows.argmax(-1), 4: rows.abs().argmax(-1)}.get(op)
    indices = tuple(chosen.flatten().tolist()) if indexed and chosen is not None else ()
    expected = make.blend(c, results[op]().reshape(c.values.shape))
    return Case("reduce_tensor", (op, int(indexed), make.alpha, make.beta, a, c), (expected,), indices)


def lrn(x: Any, count: int, alpha: float, beta: float, k: float) -> Any:
    return functional.local_response_norm(x, count, alpha, beta, k)


def lrn_forward(make: Maker) -> Case:
    dims, values = make.dims(), (make.random.choice((1, 3, 5)), 0.5, 0.75, 1.5)
    x, y = make.tensor(dims), make.target(dims)
    expected = make.blend(y, lrn(x.values, *values))
    return Case("lrn_forward", (make.alpha, make.beta, *values, x, y), (expected,))


def lrn_backward(make: Maker) -> Case:
    dims, values = make.dims(), (make.random.choice((1, 3, 5)), 0.5, 0.75, 1.5)
    x, dy, dx = make.tensor(dims), make.tensor(dims), make.target(dims)
    leaf = x.values.clone().requires_grad_()
    result = lrn(leaf, *values)
    (gradient,) = gradients(result, [leaf], dy.values)
    y = make.tensor(dims).with_values(result.detach())
    return Case("lrn_backward", (make.alpha, make.beta, *values, y, dy, x, dx), (make.blend(dx, gradient),))


RNNS = (torch.nn.RNN, torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU)


def rnn(make: Maker) -> Case:
    """Make a network. cuDNN numbers the weights of a cell like PyTorch: those of the input first."""
    pick, kind = make.random.randint, make.random.choice((FLOAT, DOUBLE))
    mode, bias, directions, layers, layout = pick(0, 3), pick(0, 1), pick(1, 2), pick(1, 3), pick(0, 2)
    inputs, hidden, batch, steps = pick(1, 4), pick(1, 4), pick(1, 3), pick(1, 5)
    lengths = sorted((pick(1, steps) for _ in range(batch)), reverse=True)
    lengths[0] = steps
    extra = {"nonlinearity": ("relu", "tanh")[mode]} if mode < 2 else {}
    options = {"bias": bool(bias), "bidirectional": directions == 2, "dtype": torch.float64, **extra}
    network = RNNS[mode](inputs, hidden, layers, **options)
    for parameter in network.parameters():
        parameter.data = make.tensor(parameter.shape, "packed", kind).values * 0.5
    gates = {2: 4, 3: 3}.get(mode, 1)

    def parts(of: Any) -> Iterator[Any]:
        names = [f"l{layer}{'_reverse' * d}" for layer in range(layers) for d in range(directions)]
        for name in names:
            for side in ("ih", "hh"):
                for gate in range(gates):
                    rows = slice(gate * hidden, (gate + 1) * hidden)
                    yield of(getattr(network, f"weight_{side}_{name}"))[rows]
                    if bias:
                        yield of(getattr(network, f"bias_{side}_{name}"))[rows]

    x = make.tensor((steps, batch, inputs), "packed", kind).values.requires_grad_()
    states = (layers * directions, batch, hidden)
    h, c = (make.tensor(states, "packed", kind).values.requires_grad_() for _ in range(2))
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths))
    result, last = network(packed, (h, c) if mode == 2 else h)
    y, _ = torch.nn.utils.rnn.pad_packed_sequence(result, total_length=steps)
    last = last if mode == 2 else (last, torch.zeros_like(last))
    dy = make.tensor(y.shape, "packed", kind).values
    dh, dc = (make.tensor(states, "packed", kind).values for _ in range(2))
    loss = (y * dy).sum() + (last[0] * dh).sum() + ((last[1] * dc).sum() if mode == 2 else 0)
    loss.backward()

    def laid_out(values: Any) -> Any:
        if layout == 2:
            return values.transpose(0, 1).flatten()
        if layout == 0:
            return values.flatten()
        return torch.nn.utils.rnn.pack_padded_sequence(values, torch.tensor(lengths)).data.flatten()

    given = (*parts(lambda w: w.data), laid_out(x.data), h.data, c.data, laid_out(dy), dh, dc)
    computed = (laid_out(y.data), last[0].data, last[1].data, laid_out(x.grad), h.grad)
    computed += (c.grad if mode == 2 else torch.zeros_like(c.data), *(2 * w for w in parts(lambda w: w.grad)))
    words = (kind, mode, bias, directions, layers, inputs, hidden, batch, steps, layout, *lengths)
    numbers = tuple(repr(value) for tensor in given for value in tensor.flatten().tolist())
    return Case("rnn", (*words, *numbers), tuple(Tensor(each.flatten(), kind, "packed") for each in computed))


def ctc_loss(make: Maker) -> Case:
    """Make labels with repetitions: two equal neighbors need a blank between them, so there are enough steps."""
    pick = make.random.randint
    batch, classes = pick(1, 3), pick(2, 5)
    labels = [[pick(1, classes - 1) for _ in range(pick(1, 4))] for _ in range(batch)]
    lengths = [2 * len(each) + pick(0, 3) for each in labels]
    x = make.tensor((max(lengths), batch, classes), "packed", FLOAT)
    leaf = x.values.clone().requires_grad_()
    flat = torch.tensor([label for each in labels for label in each])
    sizes = torch.tensor([len(each) for each in labels])
    costs = functional.ctc_loss(leaf.log_softmax(2), flat, torch.tensor(lengths), sizes, reduction="none")
    (gradient,) = gradients(costs.sum(), [leaf], None)
    words = (x, *sizes.tolist(), *lengths, *flat.tolist())
    return Case("ctc_loss", words, (Tensor(costs.detach(), FLOAT, "packed"), x.with_values(gradient)))


FUNCTIONS = (
    convolution_forward,
    convolution_data,
    convolution_filter,
    convolution_bias,
    convolution_bias_activation,
    activation_forward,
    activation_backward,
    pooling_forward,
    pooling_backward,
    softmax_forward,
    softmax_backward,
    norm_training,
    norm_inference,
    norm_backward,
    op_tensor,
    add_tensor,
    scale_tensor,
    set_tensor,
    transform_tensor,
    reduce_tensor,
    lrn_forward,
    lrn_backward,
    rnn,
    ctc_loss,
)


@cache
def onednn() -> str:
    """Return the name of oneDNN's library on this machine, or nothing."""
    for name in (os.environ.get("HIPPORT_ONEDNN", ""), "libdnnl.so", "libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2"):
        try:
            if name:
                ctypes.CDLL(name)
                return name
        except OSError:
            continue
    return ""


def run(program: Path, cases: Sequence[Case], solver: str) -> list[str]:
    """Return what the program prints for each case."""
    environment = {**os.environ, "HIPPORT_ONEDNN": onednn() if solver == "oneDNN" else "none"}
    text = "\n".join(case.line() for case in cases) + "\n"
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("function", "solver"),
    [(each, solver) for each in FUNCTIONS for solver in SOLVERS if solver == "loops" or "convolution" in each.__name__],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_results_are_those_of_pytorch(built: Builder, function: Any, solver: str) -> None:
    if solver == "oneDNN" and not onednn():
        message = "oneDNN is missing (Debian and Ubuntu: libdnnl-dev)"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    program = built([PROGRAMS / "dnn.cu"], "-O", "1").path
    cases = [function(Maker(f"{function.__name__} {i}")) for i in range(CASES)]
    printed = run(program, cases, solver)
    wrong = [case.mismatch(line) for case, line in zip(cases, printed, strict=True)]
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_dropout_keeps_and_scales(built: Builder) -> None:
    program = built([PROGRAMS / "dnn.cu"], "-O", "1").path
    x = Maker("dropout", (FLOAT,)).tensor((4, 250), "packed")
    (line,) = run(program, [Case("dropout", (0.25, x), ())], "loops")
    y, dx = torch.tensor([float(word) for word in line.split()], dtype=torch.float64).reshape(2, -1)
    kept = y != 0
    assert 680 < int(kept.sum()) < 820
    assert torch.allclose(y[kept], x.values.flatten()[kept] / 0.75)
    assert torch.equal(y, dx)
