"""What a token and a prompt of Llama 2 launch: the harness's kernels at the sizes of one work-group, and how many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hipport.llm.harness.kernel import Sizes
from hipport.llm.model.config import RANDOM_MODELS, ModelConfig
from scripts.amd_prediction.machine import Machine

SHAPES = ("llama2-7b", "llama2-13b")
POSITIONS = 256
"""Of the keys and values that a token reads: the mean of 512 tokens."""
PROMPT = 512
_TILE_ROWS = 16
_MOST_ROWS, _MOST_TOKENS, _QUERIES = 256, 128, 64


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel of the harness. `symbol`: a part of its mangled name. `sizes`: as in a model. `emulated`: sizes at which
    one work-group does as much as the busiest one of `sizes`, and `units`, the multiprocessors that it is told of.
    `parts`: how many times more work-groups `sizes` has, for launches with more work-groups than units. `times`:
    launches."""

    name: str
    kernel: str
    symbol: str
    sizes: Sizes
    emulated: Sizes
    times: int
    units: int = 4
    parts: float | None = None
    spread: float = 1.0
    """The share of units that work as long as the busiest one, for persistent kernels."""


def decode(config: ModelConfig, machine: Machine) -> Iterator[Launch]:
    """Yield the phases of a decode step of one token, in which each unit has one work-group."""
    for name, rows, columns in products(config):
        yield _phase(name, rows, columns, config.layers, machine)
    yield _phase("head", config.vocabulary, config.width, 1, machine)
    splits = max(1, machine.units // config.heads)
    attention = {"tokens": 1, "heads": config.heads, "kv_heads": config.kv_heads, "head_width": config.head_width}
    attention |= {"splits": splits, "positions": POSITIONS}
    small = {**attention, "heads": 1, "kv_heads": 1}
    yield Launch(
        "attention",
        "decode_attention",
        "12split_kernelILi128E",
        attention,
        small,
        config.layers,
        parts=float(config.heads),
    )


def products(config: ModelConfig) -> Iterator[tuple[str, int, int]]:
    """Yield the products of a layer: name, rows, columns."""
    queries, keys = config.heads * config.head_width, config.kv_heads * config.head_width
    yield "queries, keys, values", queries + 2 * keys, config.width
    yield "attention output", config.width, queries
    yield "gate and up", 2 * config.hidden, config.width
    yield "down", config.width, config.hidden


def _phase(name: str, rows: int, columns: int, times: int, machine: Machine) -> Launch:
    tiles = -(-rows // _TILE_ROWS)
    most = -(-tiles // machine.units)
    sizes = {"rows": rows, "columns": columns, "vectors": 1}
    emulated = {**sizes, "rows": 4 * most * _TILE_ROWS}
    return Launch(name, "matvec", "stages_kernelILi1E", sizes, emulated, times, spread=tiles / most / machine.units)


def prompt(config: ModelConfig) -> Iterator[Launch]:
    """Yield the kernels of a prompt of 512 tokens."""
    for name, rows, columns in products(config):
        sizes = {"rows": rows, "columns": columns, "tokens": PROMPT}
        small = {**sizes, "rows": _MOST_ROWS, "tokens": _MOST_TOKENS}
        parts = rows / _MOST_ROWS * PROMPT / _MOST_TOKENS
        yield Launch(name, "matmul", "13matmul_kernelINS_5LargeE", sizes, small, config.layers, parts=parts)
    attention = {"tokens": PROMPT, "heads": config.heads, "kv_heads": config.kv_heads}
    attention |= {"head_width": config.head_width, "first": 0}
    # One work-group whose queries see as many keys as those of a prompt on average.
    small = {**attention, "tokens": _QUERIES, "heads": 1, "kv_heads": 1, "first": PROMPT // 2 - _QUERIES // 2}
    parts = config.heads * PROMPT / _QUERIES
    yield Launch(
        "attention",
        "prefill_attention",
        "prefill_attention_kernelILi128E",
        attention,
        small,
        config.layers,
        parts=parts,
    )
    norm = {"rows": PROMPT, "width": config.width}
    yield Launch(
        "norms", "rms_norm", "15rms_norm_kernelILi", norm, {**norm, "rows": 4}, 2 * config.layers, parts=PROMPT / 4
    )


def shapes() -> Mapping[str, ModelConfig]:
    """Return the shapes of the models."""
    return {name: RANDOM_MODELS[name] for name in SHAPES}
