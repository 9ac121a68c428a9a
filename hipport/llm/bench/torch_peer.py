"""PyTorch's 4-bit path on random weights of the same shape, with which `hipport llm bench` is compared.

Weights are laid out for `_weight_int4pack_mm`, with scales and zeros in bfloat16. A layer is compiled, once for all of
them, together with the residual addition that the previous layer left to it; on a GPU a whole step is captured as a
graph. The generated tokens are meaningless: only the speed counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hipport.errors import HipportError
from hipport.llm.bench.peer import Peer, device_of, load_torch

if TYPE_CHECKING:
    from hipport.llm.model.config import ModelConfig

Part = Callable[..., Any]

_INNER_TILES = 8
_WARM_UP = 3
_COLUMNS = 128
"""The packing requires matrix columns to be a multiple of this."""


def measure_torch(config: ModelConfig, tokens: int, repeat: int, group: int = 32, *, compiled: bool = True) -> Peer:
    """Return the median speed of `repeat` runs of `tokens` steps.

    Raises `HipportError` without PyTorch or for unsupported shapes.
    """
    torch = load_torch()
    if config.width % _COLUMNS or config.width % group:
        raise HipportError(f"PyTorch's 4-bit products need widths that are multiples of {_COLUMNS}")
    device, shown = device_of(torch)
    with torch.inference_mode():
        step = _Step(torch, config, max(tokens, _WARM_UP) + 1, group, device)
        advance = _advancing(torch, step, (lambda part: torch.compile(part, fullgraph=True)) if compiled else _as_is)
        rate = statistics.median(_rate(step, advance, tokens) for _ in range(repeat))
    name = f"PyTorch {torch.__version__}, int4 group {group}{', compiled' if compiled else ''}"
    return Peer(name, shown, rate)


def _as_is(part: Part) -> Part:
    return part


def _advancing(torch: Any, step: _Step, compiled: Callable[[Part], Part]) -> Callable[[], None]:
    """Return a warmed-up function that decodes one token; on a GPU it launches a graph that updates `step` in place."""
    layer, end = compiled(step.layer), compiled(step.end)

    def advance() -> None:
        x, more, seen = step.start()
        for own in step.layers:
            x, more = layer(x, more, seen, *own)
        step.token.copy_(end(x, more))
        step.position.add_(1)

    step.restart()
    for _ in range(_WARM_UP):
        advance()
    if step.device == "cpu":
        return advance
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        advance()
    return graph.replay  # type: ignore[no-any-return]


def _rate(step: _Step, advance: Callable[[], None], tokens: int) -> float:
    """Return tokens per second."""
    step.restart()
    step.token.item()
    started = time.perf_counter()
    for _ in range(tokens):
        advance()
    step.token.item()
    return tokens / (time.perf_counter() - started)


class _Step:
    """A model of the Llama family with random weights, for one token at a time."""

    def __init__(self, torch: Any, config: ModelConfig, positions: int, group: int, device: str) -> None:
        self.torch, self.config, self.group, self.device = torch, config, group, device
        hidden = -(-config.hidden // _COLUMNS) * _COLUMNS
        query = config.heads * config.head_width
        shapes = ((config.qkv_rows, config.width), (config.width, query), (2 * hidden, config.width))
        cached = (1, config.kv_heads, positions, config.head_width)
        self.layers = [
            (
                [self._matrix(*shape) for shape in (*shapes, (config.width, hidden))],
                [torch.zeros(cached, dtype=torch.bfloat16, device=device) for _ in range(2)],
            )
            for _ in range(config.layers)
        ]
        self.head = self._matrix(config.vocabulary, config.width)
        self.embedding = self._random(config.vocabulary, config.width)
        self.norm = torch.ones(config.width, dtype=torch.bfloat16, device=device)
        angles = torch.outer(
            torch.arange(positions), config.rope.theta ** (-torch.arange(0, config.head_width, 2) / config.head_width)
        )
        self.turns = torch.stack((angles.cos(), angles.sin())).to(device)
        self.places = torch.arange(positions, device=device)
        self.token, self.position = (torch.zeros(1, dtype=torch.long, device=device) for _ in range(2))

    def restart(self) -> None:
        """Go back to the first token of a text."""
        self.token.fill_(1)
        self.position.zero_()

    def start(self) -> tuple[Any, Any, Any]:
        """Return the first layer's input, the residual that it adds to it, and the mask of visible positions."""
        x = self.embedding[self.token]
        return x, self.torch.zeros_like(x), (self.places <= self.position)[None, None, None]

    def layer(self, x: Any, more: Any, seen: Any, matrices: list[tuple[Any, Any]], cache: list[Any]) -> tuple[Any, Any]:
        """Run a layer; return its output and the residual that the next layer adds to it."""
        qkv, out, gate_up, down = matrices
        x = x + more
        x = x + self._multiply(self._attention(self._multiply(self._normal(x), qkv), seen, cache), out)
        gate, up = self._multiply(self._normal(x), gate_up).chunk(2, dim=-1)
        return x, self._multiply(self.torch.nn.functional.silu(gate) * up, down)

    def end(self, x: Any, more: Any) -> Any:
        """Return the token after `self.token`."""
        return self._multiply(self._normal(x + more), self.head).argmax(dim=-1)

    def _attention(self, rows: Any, seen: Any, cache: list[Any]) -> Any:
        config, (cached_keys, cached_values) = self.config, cache
        rows = rows.view(1, -1, 1, config.head_width)
        queries, keys, values = rows.split((config.heads, config.kv_heads, config.kv_heads), dim=1)
        cached_keys.index_copy_(2, self.position, self._turned(keys))
        cached_values.index_copy_(2, self.position, values)
        grouped = config.heads != config.kv_heads
        means = self.torch.nn.functional.scaled_dot_product_attention(
            self._turned(queries), cached_keys, cached_values, attn_mask=seen, enable_gqa=grouped
        )
        return means.reshape(1, -1)

    def _turned(self, heads: Any) -> Any:
        cosines, sines = self.turns[0][self.position], self.turns[1][self.position]
        low, high = heads.float().chunk(2, dim=-1)
        turned = self.torch.cat((low * cosines - high * sines, high * cosines + low * sines), dim=-1)
        return turned.to(heads.dtype)

    def _normal(self, x: Any) -> Any:
        return self.torch.nn.functional.rms_norm(x, (self.config.width,), self.norm, self.config.epsilon)

    def _multiply(self, x: Any, matrix: tuple[Any, Any]) -> Any:
        operators = self.torch.ops.aten
        if self.device == "cpu":
            return operators._weight_int4pack_mm_for_cpu(x, matrix[0], self.group, matrix[1])
        return operators._weight_int4pack_mm(x, matrix[0], self.group, matrix[1])

    def _matrix(self, rows: int, columns: int) -> tuple[Any, Any]:
        """Return random packed weights, and their scales and zeros [groups][rows][2]."""
        torch, operators = self.torch, self.torch.ops.aten
        scales = torch.zeros((columns // self.group, rows, 2), dtype=torch.bfloat16, device=self.device)
        scales[..., 0] = 0.2 / columns**0.5
        if self.device == "cpu":
            weights = torch.randint(0, 16, (rows, columns), dtype=torch.int32)
            return operators._convert_weight_to_int4pack_for_cpu(weights, _INNER_TILES), scales
        bytes_ = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device=self.device)
        return operators._convert_weight_to_int4pack(bytes_, _INNER_TILES), scales

    def _random(self, *shape: int) -> Any:
        return self.torch.randn(shape, device=self.device).to(self.torch.bfloat16)
