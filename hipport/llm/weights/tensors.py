"""The tensors that the engine needs, and the checkpoint tensors that each is made from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.model.rope import rotated_order
from hipport.llm.weights.native import Layout
from hipport.llm.weights.packing import gate_up_order, packed_bytes, padded, qkv_order
from hipport.llm.weights.tile_formats import FourBits, Packing

if TYPE_CHECKING:
    from hipport.llm.model.config import ModelConfig
    from hipport.llm.model.latent import Latent

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor of a checkpoint."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tensor of the engine: its shape, its packing, and the parts that are concatenated by rows to make it.

    `order` is how the rows are then reordered ("qkv", "gate_up", "head"); of tensors for experts it says which it is
    ("expert", "expert_biases"). A tensor with a `layout` is kept in the format of its only part instead, of whose rows
    it has those from `first` on; a tensor of experts has a part for each. `exact`: it is always in 16 bits. Values are
    those of the checkpoint plus `added`, times `scale`. `floats`: those of a vector are in single precision.
    """

    name: str
    layer: int
    shape: tuple[int, ...]
    packing: Packing | None
    parts: tuple[Part, ...]
    order: str = ""
    layout: Layout | None = None
    first: int = 0
    exact: bool = False
    added: float = 0.0
    scale: float = 1.0
    floats: bool = False

    @property
    def bytes(self) -> int:
        """Size in the engine."""
        if self.layout:
            return self.layout.bytes
        if self.packing:
            return packed_bytes(self.shape[0], self.shape[1], self.packing)
        return int(np.prod(self.shape)) * (4 if self.floats else 2)

    def __str__(self) -> str:
        return f"{self.name} of layer {self.layer}"


def wanted(config: ModelConfig, packing: Packing) -> Iterator[Wanted]:
    """Yield all tensors except RoPE's table, layer by layer."""
    embedding = Part("model.embed_tokens.weight", (config.vocabulary, config.width))
    head = embedding if config.tied else Part("lm_head.weight", embedding.shape)
    scale = math.sqrt(config.width) if config.architecture.gemma else 1.0
    yield Wanted("embedding", 0, embedding.shape, None, (embedding,), scale=scale)
    for layer in range(config.layers):
        yield from _of_layer(config, packing, layer)
    yield _norm(config, "final_norm", 0, Part("model.norm.weight", (config.width,)))
    yield Wanted("head", 0, head.shape, packing, (head,))


LayoutOf = Callable[[Part, int, int], Layout]
"""Returns the layout of some rows and columns of a part."""


def native_wanted(
    config: ModelConfig, layout_of: LayoutOf, exact: LayoutOf, packing: Packing | None = None
) -> Iterator[Wanted]:
    """Yield all tensors except RoPE's table, with each matrix in its own layout; `exact`: that of 16 bits.

    `packing` says by how much widths are padded.
    """
    for tensor in wanted(config, packing or FourBits(32)):
        if not tensor.packing:
            yield tensor
            continue
        if tensor.order == "expert" or tensor.exact:
            layout = (exact if tensor.exact else layout_of)(tensor.parts[0], *tensor.shape)
            yield replace(tensor, packing=None, layout=layout)
            continue
        first = 0
        for i, (name, rows, stored) in enumerate(_matrices(config, tensor)):
            part = tensor.parts[min(i, len(tensor.parts) - 1)]
            layout = layout_of(part, stored, tensor.shape[1])
            yield Wanted(name, tensor.layer, (rows, tensor.shape[1]), None, (part,), layout=layout, first=first)
            first += rows if len(tensor.parts) == 1 else 0


def _matrices(config: ModelConfig, tensor: Wanted) -> tuple[tuple[str, int, int], ...]:
    """Return the matrices that are one in packed formats: names, rows, and rows in the engine."""
    if tensor.order == "qkv":
        queries, keys = config.heads * config.head_width, config.kv_heads * config.head_width
        return (("query", queries, queries), ("key", keys, keys), ("value", keys, keys))
    if tensor.order == "gate_up":
        rows = tensor.parts[0].shape[0] if len(tensor.parts) == 2 else config.hidden
        prefix = tensor.name.removesuffix("gate_up")
        return tuple((prefix + name, rows, tensor.shape[0] // 2) for name in ("gate", "up"))
    return ((tensor.name, tensor.shape[0], tensor.shape[0]),)


def _of_layer(config: ModelConfig, packing: Packing, layer: int) -> Iterator[Wanted]:
    part, width = _parts_of(layer), config.width
    yield _norm(config, "attention_norm", layer, part("input_layernorm.weight", width))
    if config.latent:
        yield from _latent_heads(config, config.latent, packing, layer)
    else:
        yield from _heads(config, packing, layer)
    value_width = config.latent.value if config.latent else config.head_width
    out = part("self_attn.o_proj.weight", width, config.heads * value_width)
    yield Wanted("out", layer, out.shape, packing, (out,))
    if config.architecture.out_bias:
        yield Wanted("out_bias", layer, (width,), None, (part("self_attn.o_proj.bias", width),))
    if config.architecture.sinks:
        yield Wanted("sinks", layer, (config.heads,), None, (part("self_attn.sinks", config.heads),))
    if config.architecture.post_norms:
        yield _norm(config, "post_attention_norm", layer, part("post_attention_layernorm.weight", width))
        yield _norm(config, "mlp_norm", layer, part("pre_feedforward_layernorm.weight", width))
        yield _norm(config, "post_mlp_norm", layer, part("post_feedforward_layernorm.weight", width))
    else:
        yield _norm(config, "mlp_norm", layer, part("post_attention_layernorm.weight", width))
    if config.experts and layer not in config.experts.dense:
        yield from _of_experts(config, packing, layer)
    else:
        hidden = config.experts.dense_hidden if config.experts else config.hidden
        yield from _network(config, packing, layer, "", "mlp", hidden)


def _parts_of(layer: int) -> Callable[..., Part]:
    """Return a function of a name and a shape that returns a tensor of a layer."""

    def part(name: str, *shape: int) -> Part:
        return Part(f"model.layers.{layer}.{name}", shape)

    return part


def _heads(config: ModelConfig, packing: Packing, layer: int) -> Iterator[Wanted]:
    """Yield what makes queries, keys and values."""
    part, width = _parts_of(layer), config.width
    if config.architecture.fused:
        heads: tuple[tuple[str, int], ...] = (("self_attn.qkv_proj", config.qkv_rows),)
    else:
        query_rows, kv_rows = config.heads * config.head_width, config.kv_heads * config.head_width
        rows = (query_rows, kv_rows, kv_rows)
        heads = tuple((f"self_attn.{name}_proj", count) for name, count in zip("qkv", rows, strict=True))
    qkv = tuple(part(f"{name}.weight", rows, width) for name, rows in heads)
    yield Wanted("qkv", layer, (config.qkv_rows, width), packing, qkv, "qkv")
    if config.qkv_bias:
        biases = tuple(part(f"{name}.bias", rows) for name, rows in heads)
        yield Wanted("qkv_bias", layer, (config.qkv_rows,), None, biases, "qkv")
    if config.head_norms:
        for name, scale in (("query", config.query_scale), ("key", 1.0)):
            norm = _norm(config, f"{name}_norm", layer, part(f"self_attn.{name[0]}_norm.weight", config.head_width))
            yield replace(norm, scale=scale, order="head")


def _latent_heads(config: ModelConfig, latent: Latent, packing: Packing, layer: int) -> Iterator[Wanted]:
    """Yield the same of latent attention."""
    part, width, heads = _parts_of(layer), config.width, config.heads
    matrices = [
        ("latent", "self_attn.kv_a_proj_with_mqa", latent.rank + latent.rope, width),
        ("latent_heads", "self_attn.kv_b_proj", heads * (latent.nope + latent.value), latent.rank),
    ]
    norms = [("latent_norm", "self_attn.kv_a_layernorm", latent.rank)]
    if latent.query_rank:
        matrices.append(("query_latent", "self_attn.q_a_proj", latent.query_rank, width))
        matrices.append(("query", "self_attn.q_b_proj", heads * latent.query, latent.query_rank))
        norms.append(("query_latent_norm", "self_attn.q_a_layernorm", latent.query_rank))
    else:
        matrices.append(("query", "self_attn.q_proj", heads * latent.query, width))
    for name, own, rows, columns in matrices:
        yield Wanted(name, layer, (rows, columns), packing, (part(f"{own}.weight", rows, columns),))
    for name, own, columns in norms:
        yield _norm(config, name, layer, part(f"{own}.weight", columns))


def _network(
    config: ModelConfig, packing: Packing, layer: int, prefix: str, stem: str, hidden: int
) -> Iterator[Wanted]:
    """Yield the matrices of a feed-forward network: their names begin with `prefix`, in the checkpoint with `stem`."""
    part, width, whole = _parts_of(layer), config.width, padded(hidden, packing.tile_columns)
    if config.architecture.fused:
        gates: tuple[Part, ...] = (part(f"{stem}.gate_up_proj.weight", 2 * hidden, width),)
    else:
        gates = tuple(part(f"{stem}.{name}_proj.weight", hidden, width) for name in ("gate", "up"))
    yield Wanted(f"{prefix}gate_up", layer, (2 * whole, width), packing, gates, "gate_up")
    down = part(f"{stem}.down_proj.weight", width, hidden)
    yield Wanted(f"{prefix}down", layer, (width, whole), packing, (down,))


def _of_experts(config: ModelConfig, packing: Packing, layer: int) -> Iterator[Wanted]:
    assert config.experts
    count, width, names = config.experts.count, config.width, config.expert_names
    part, hidden = _parts_of(layer), config.padded_hidden(packing.tile_columns)
    if config.experts.shared:
        yield from _network(config, packing, layer, "shared_", names.shared, config.experts.shared)
    if config.experts.shared_gate:
        yield Wanted("shared_gating", layer, (1, width), None, (part(f"{names.shared_gate}.weight", 1, width),))
    if config.experts.routing and config.experts.routing.biased:
        bias = part(names.choice_bias, *((1, count) if config.architecture.routing == "biased" else (count,)))
        yield Wanted("choice_bias", layer, bias.shape, None, (bias,), floats=True)
    router = part(f"{names.router}.weight", count, width)
    yield Wanted("router", layer, router.shape, packing, (router,), exact=True)
    for kind, name, shape, rows, columns in (
        ("expert_gate", names.gate, (config.hidden, width), hidden, width),
        ("expert_up", names.up, (config.hidden, width), hidden, width),
        ("expert_down", names.down, (width, config.hidden), width, hidden),
    ):
        parts = tuple(part(f"{name.format(expert)}.weight", *shape) for expert in range(count))
        yield Wanted(kind, layer, (count * rows, columns), packing, parts, "expert")
    if not config.architecture.expert_biases:
        return
    yield Wanted("router_bias", layer, (count,), None, (part(f"{names.router}.bias", count),))
    gates = tuple(part(f"mlp.experts.{name}_proj.bias", count, config.hidden) for name in ("gate", "up"))
    yield Wanted("gate_up_bias", layer, (count, 2 * hidden), None, gates, "expert_biases")
    down = part("mlp.experts.down_proj.bias", count, width)
    yield Wanted("down_bias", layer, down.shape, None, (down,), "expert_biases")


def _norm(config: ModelConfig, name: str, layer: int, part: Part) -> Wanted:
    """Return the weights of a normalization; Gemma's are less by 1."""
    return Wanted(name, layer, part.shape, None, (part,), added=1.0 if config.architecture.gemma else 0.0)


def row_order(config: ModelConfig, tensor: Wanted) -> npt.NDArray[np.int64] | None:
    """Return, for each row of an engine's tensor, its row in the concatenated parts; None if the order is the same."""
    if tensor.order == "qkv":
        order = qkv_order(config.heads, config.kv_heads, config.head_width)
        rotated = head_order(config, config.heads + config.kv_heads)
        return order if rotated is None else np.concatenate((rotated, np.arange(len(rotated), config.qkv_rows)))[order]
    if tensor.order == "head":
        return head_order(config, 1)
    if tensor.order == "gate_up":
        return gate_up_order(config.hidden, tensor.shape[0] // 2)
    return None


def head_order(config: ModelConfig, heads: int) -> npt.NDArray[np.int64] | None:
    """Return, for each row of so many heads of queries or keys, its row in the checkpoint; None if all are the same."""
    interleaved = config.architecture.interleaved
    if config.latent or not (config.rope.rotated or interleaved):
        return None
    own = rotated_order(config.rope, config.head_width, interleaved)
    return (np.arange(heads)[:, None] * config.head_width + own).reshape(-1)


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
