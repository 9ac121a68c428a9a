"""The tensors that the engine needs, and the checkpoint tensors that each is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.weights.native import Layout
from hipport.llm.weights.packing import gate_up_order, packed_bytes, qkv_order
from hipport.llm.weights.tile_formats import FourBits, Packing

if TYPE_CHECKING:
    from hipport.llm.model.config import ModelConfig

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor of a checkpoint."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tensor of the engine: its shape, its packing, and the parts that are concatenated by rows to make it.

    `order` ("", "qkv" or "gate_up") is how the rows are then reordered. A tensor with a `layout` is kept in the format
    of its only part instead, of whose rows it has those from `first` on.
    """

    name: str
    layer: int
    shape: tuple[int, ...]
    packing: Packing | None
    parts: tuple[Part, ...]
    order: str = ""
    layout: Layout | None = None
    first: int = 0

    @property
    def bytes(self) -> int:
        """Size in the engine."""
        if self.layout:
            return self.layout.bytes
        if self.packing:
            return packed_bytes(self.shape[0], self.shape[1], self.packing)
        return int(np.prod(self.shape)) * 2

    def __str__(self) -> str:
        return f"{self.name} of layer {self.layer}"


def wanted(config: ModelConfig, packing: Packing) -> Iterator[Wanted]:
    """Yield all tensors except RoPE's table, layer by layer."""
    embedding = Part("model.embed_tokens.weight", (config.vocabulary, config.width))
    head = embedding if config.tied else Part("lm_head.weight", embedding.shape)
    yield Wanted("embedding", 0, embedding.shape, None, (embedding,))
    for layer in range(config.layers):
        yield from _of_layer(config, packing, layer)
    yield Wanted("final_norm", 0, (config.width,), None, (Part("model.norm.weight", (config.width,)),))
    yield Wanted("head", 0, head.shape, packing, (head,))


LayoutOf = Callable[[Part, int, int], Layout]
"""Returns the layout of some rows and columns of a part."""


def native_wanted(config: ModelConfig, layout_of: LayoutOf) -> Iterator[Wanted]:
    """Yield all tensors except RoPE's table, with each matrix of the file in its own layout."""
    for tensor in wanted(config, FourBits(32)):
        if not tensor.packing:
            yield tensor
            continue
        first = 0
        for i, (name, rows, padded) in enumerate(_matrices(config, tensor)):
            part = tensor.parts[min(i, len(tensor.parts) - 1)]
            layout = layout_of(part, padded, tensor.shape[1])
            yield Wanted(name, tensor.layer, (rows, tensor.shape[1]), None, (part,), layout=layout, first=first)
            first += rows if len(tensor.parts) == 1 else 0


def _matrices(config: ModelConfig, tensor: Wanted) -> tuple[tuple[str, int, int], ...]:
    """Return the matrices that are one in packed formats: names, rows, and rows in the engine."""
    if tensor.order == "qkv":
        queries, keys = config.heads * config.head_width, config.kv_heads * config.head_width
        return (("query", queries, queries), ("key", keys, keys), ("value", keys, keys))
    if tensor.order == "gate_up":
        return tuple((name, config.hidden, tensor.shape[0] // 2) for name in ("gate", "up"))
    return ((tensor.name, tensor.shape[0], tensor.shape[0]),)


def _of_layer(config: ModelConfig, packing: Packing, layer: int) -> Iterator[Wanted]:
    def part(name: str, *shape: int) -> Part:
        return Part(f"model.layers.{layer}.{name}", shape)

    width, query_rows, kv_rows = config.width, config.heads * config.head_width, config.kv_heads * config.head_width
    if config.architecture.fused:
        heads: tuple[tuple[str, int], ...] = (("self_attn.qkv_proj", config.qkv_rows),)
        gates: tuple[tuple[str, int], ...] = (("mlp.gate_up_proj", 2 * config.hidden),)
    else:
        rows = (query_rows, kv_rows, kv_rows)
        heads = tuple((f"self_attn.{name}_proj", count) for name, count in zip("qkv", rows, strict=True))
        gates = tuple((f"mlp.{name}_proj", config.hidden) for name in ("gate", "up"))
    norm, mlp_norm = part("input_layernorm.weight", width), part("post_attention_layernorm.weight", width)
    yield Wanted("attention_norm", layer, (width,), None, (norm,))
    qkv = tuple(part(f"{name}.weight", rows, width) for name, rows in heads)
    yield Wanted("qkv", layer, (config.qkv_rows, width), packing, qkv, "qkv")
    if config.qkv_bias:
        biases = tuple(part(f"{name}.bias", rows) for name, rows in heads)
        yield Wanted("qkv_bias", layer, (config.qkv_rows,), None, biases, "qkv")
    if config.head_norms:
        for name in ("query", "key"):
            norm_part = part(f"self_attn.{name[0]}_norm.weight", config.head_width)
            yield Wanted(f"{name}_norm", layer, norm_part.shape, None, (norm_part,))
    out = part("self_attn.o_proj.weight", width, query_rows)
    yield Wanted("out", layer, out.shape, packing, (out,))
    yield Wanted("mlp_norm", layer, (width,), None, (mlp_norm,))
    gate_up = tuple(part(f"{name}.weight", rows, width) for name, rows in gates)
    hidden = config.padded_hidden(packing.tile_columns)
    yield Wanted("gate_up", layer, (2 * hidden, width), packing, gate_up, "gate_up")
    down = part("mlp.down_proj.weight", width, config.hidden)
    yield Wanted("down", layer, (width, hidden), packing, (down,))


def row_order(config: ModelConfig, tensor: Wanted) -> npt.NDArray[np.int64] | None:
    """Return, for each row of an engine's tensor, its row in the concatenated parts; None if the order is the same."""
    if tensor.order == "qkv":
        return qkv_order(config.heads, config.kv_heads, config.head_width)
    if tensor.order == "gate_up":
        return gate_up_order(config.hidden, tensor.shape[0] // 2)
    return None


def parts_of(config: ModelConfig) -> Iterator[Part]:
    """Return the tensors that a checkpoint must have."""
    return (part for tensor in wanted(config, FourBits(32)) for part in tensor.parts)


def check_shapes(
    path: Path, told_by: str, expected: Mapping[str, tuple[int, ...]], found: Mapping[str, tuple[int, ...]]
) -> None:
    """Compare a checkpoint's tensors with the expected ones, which follow from `told_by`. Raises `HipportError`."""
    for name, shape in expected.items():
        if name not in found:
            raise HipportError(f"{path} lacks the tensor {name}", hint="Is the download complete?")
        if found[name] != shape:
            raise HipportError(
                f"{path}: {name} has the shape {list(found[name])}, but {told_by} requires {list(shape)}"
            )
    for name in found:
        if name not in expected:
            raise HipportError(
                f"{path} has a tensor {name} that its architecture does not have",
                hint=f"Does {told_by} belong to this model?",
            )
