"""Which tensors the engine wants, and what of a checkpoint each is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.llm.pack import gate_up_order, packed_bytes, qkv_order

if TYPE_CHECKING:
    from hipport.llm.config import ModelConfig

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor of a checkpoint."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tensor of the engine: its shape there, whether it is packed, and its parts, one after the other by rows.

    `order`, of "", "qkv" and "gate_up", is how the rows then move.
    """

    name: str
    layer: int
    shape: tuple[int, ...]
    packed: bool
    parts: tuple[Part, ...]
    order: str = ""

    @property
    def bytes(self) -> int:
        """Its size in the engine."""
        if self.packed:
            return packed_bytes(*self.shape)
        return int(np.prod(self.shape)) * 2

    def __str__(self) -> str:
        return f"{self.name} of layer {self.layer}"


def wanted(config: ModelConfig) -> Iterator[Wanted]:
    """All tensors but RoPE's table, layer by layer."""
    embedding = Part("model.embed_tokens.weight", (config.vocabulary, config.width))
    head = embedding if config.tied else Part("lm_head.weight", embedding.shape)
    yield Wanted("embedding", 0, embedding.shape, False, (embedding,))
    for layer in range(config.layers):
        yield from _of_layer(config, layer)
    yield Wanted("final_norm", 0, (config.width,), False, (Part("model.norm.weight", (config.width,)),))
    yield Wanted("head", 0, head.shape, True, (head,))


def _of_layer(config: ModelConfig, layer: int) -> Iterator[Wanted]:
    def part(name: str, *shape: int) -> Part:
        return Part(f"model.layers.{layer}.{name}", shape)

    width, query_rows, kv_rows = config.width, config.heads * config.head_width, config.kv_heads * config.head_width
    heads = tuple(
        (f"self_attn.{name}_proj", rows) for name, rows in zip("qkv", (query_rows, kv_rows, kv_rows), strict=True)
    )
    norm, mlp_norm = part("input_layernorm.weight", width), part("post_attention_layernorm.weight", width)
    yield Wanted("attention_norm", layer, (width,), False, (norm,))
    qkv = tuple(part(f"{name}.weight", rows, width) for name, rows in heads)
    yield Wanted("qkv", layer, (config.qkv_rows, width), True, qkv, "qkv")
    if config.qkv_bias:
        biases = tuple(part(f"{name}.bias", rows) for name, rows in heads)
        yield Wanted("qkv_bias", layer, (config.qkv_rows,), False, biases, "qkv")
    out = part("self_attn.o_proj.weight", width, query_rows)
    yield Wanted("out", layer, out.shape, True, (out,))
    yield Wanted("mlp_norm", layer, (width,), False, (mlp_norm,))
    gate_up = tuple(part(f"mlp.{name}_proj.weight", config.hidden, width) for name in ("gate", "up"))
    yield Wanted("gate_up", layer, (2 * config.padded_hidden, width), True, gate_up, "gate_up")
    down = part("mlp.down_proj.weight", width, config.hidden)
    yield Wanted("down", layer, (width, config.padded_hidden), True, (down,))


def row_order(config: ModelConfig, tensor: Wanted) -> npt.NDArray[np.int64] | None:
    """Where each row of an engine's tensor comes from among the rows of its parts; None: as they are."""
    if tensor.order == "qkv":
        return qkv_order(config.heads, config.kv_heads, config.head_width)
    if tensor.order == "gate_up":
        return gate_up_order(config.hidden, config.padded_hidden)
    return None
