"""What a token and a prompt of Llama 2 launch: the harness's kernels at the sizes of one work-group, and how many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
        yield _phase(name, _PACKED, rows, columns, config.layers, machine)
    yield _phase("head", _PACKED, config.vocabulary, config.width, 1, machine)
    yield _attention(config, machine)


def native(config: ModelConfig, machine: Machine) -> Iterator[Launch]:
    """Yield the phases of a decode step with the formats of a Q4_K_M file.

    In half of the layers values and the down projection are in Q6_K. Their queries, keys and values count as two thirds
    of such a phase in Q4_K and one third of one in Q6_K.
    """
    larger = larger_layers(config.layers)
    for name, rows, columns in products(config):
        share = {"queries, keys, values": 1 / 3, "down": 1.0}.get(name, 0.0)
        other = round(larger * share)
        yield _phase(name, _Q4_K, rows, columns, config.layers - other, machine)
        if other:
            yield _phase(f"{name} in Q6_K", _Q6_K, rows, columns, other, machine)
    yield _phase("head in Q6_K", _Q6_K, config.vocabulary, config.width, 1, machine)
    yield _attention(config, machine)


def larger_layers(layers: int) -> int:
    """Return how many layers of a Q4_K_M file have more bits: the first and last eighths, and each third between.

    Source: `use_more_bits` of llama.cpp's quantization.
    """
    eighth = layers // 8
    return sum(i < eighth or i >= 7 * layers // 8 or (i - eighth) % 3 == 2 for i in range(layers))


def _attention(config: ModelConfig, machine: Machine) -> Launch:
    splits = max(1, machine.units // config.heads)
    attention = {"tokens": 1, "heads": config.heads, "kv_heads": config.kv_heads, "head_width": config.head_width}
    attention |= {"splits": splits, "positions": POSITIONS}
    small = {**attention, "heads": 1, "kv_heads": 1}
    return Launch(
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


@dataclass(frozen=True, slots=True)
class _Product:
    """The harness's kernel for a format of weights, a part of its mangled name, and the sizes besides the shape."""

    kernel: str
    symbol: str
    sizes: Sizes


_PACKED = _Product("matvec", "13stages_kernelILi1E", {"vectors": 1})
_Q4_K, _Q6_K = (_Product("native_matvec", "native_stages_kernel", {"format": number}) for number in (6, 8))


def _phase(name: str, product: _Product, rows: int, columns: int, times: int, machine: Machine) -> Launch:
    tiles = -(-rows // _TILE_ROWS)
    most = -(-tiles // machine.units)
    sizes = {"rows": rows, "columns": columns, **product.sizes}
    emulated = {**sizes, "rows": 4 * most * _TILE_ROWS}
    spread = tiles / most / machine.units
    return Launch(name, product.kernel, product.symbol, sizes, emulated, times, spread=spread)


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


Kind = Callable[[ModelConfig, Machine], Iterator[Launch]]
KINDS: Mapping[str, Kind] = {"decode": decode, "native": native, "prompt": lambda config, machine: prompt(config)}
"""What is predicted: a token with packed weights, one with those of a Q4_K_M file, and a prompt."""


def shapes() -> Mapping[str, ModelConfig]:
    """Return the shapes of the models."""
    return {name: RANDOM_MODELS[name] for name in SHAPES}
