"""The engine: a language model on a device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.llm.model.architectures import ACTIVATIONS
from hipport.llm.model.config import ModelConfig
from hipport.llm.model.experts import SCORES, Experts
from hipport.llm.model.latent import Latent
from hipport.llm.model.rope import rope_table
from hipport.llm.runtime import binding
from hipport.llm.runtime.changes import Changes, StepOptions
from hipport.llm.weights.formats import USUAL, Formats
from hipport.llm.weights.native import Layout
from hipport.llm.weights.packing import padded
from hipport.llm.weights.tensors import Array, Wanted

Logits: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is picked; by default, the most likely one.

    `top_k`, `top_p` and `min_p` filter the candidates in this order. `temperature` 0: the most likely token; `top_k` 0,
    `top_p` 1, `min_p` 0: no filter; `repetition_penalty` 1: no penalty.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int = 0
    in_c: bytes = field(init=False, repr=False, compare=False)
    """The C struct, made once: steps ask for up to 64, the same ones as the step before."""

    def __post_init__(self) -> None:
        values = (getattr(self, name) for name, *_ in binding.Sampling._fields_)
        object.__setattr__(self, "in_c", bytes(binding.Sampling(*values)))


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of an engine.

    `device_bytes`: memory it holds on the device. `token_bytes`: weights that a step reads. `step_seconds`: time on the
    device of all `steps` so far. `blocks`: thread blocks of a step. `max_tokens`: the most tokens of a step.
    """

    device: str
    device_bytes: int
    token_bytes: int
    steps: int
    step_seconds: float
    blocks: int
    max_tokens: int


class Engine:
    """A model with a KV cache for `sequences` sequences of up to `positions` tokens each.

    It must be used by one thread at a time. Errors raise `HipportError` and leave the engine unchanged.
    """

    def __init__(
        self,
        library: Path,
        config: ModelConfig,
        *,
        positions: int,
        sequences: int = 1,
        at_once: int = 64,
        formats: Formats = USUAL,
        native_bytes: int = 0,
    ) -> None:
        self.config = config
        self.positions = positions
        self._number = formats.number
        told = _c_config(config, formats, positions, sequences, at_once, native_bytes)
        self._binding = binding.Binding(library, told)
        self._load("rope", 0, rope_table(config.rope, config.head_width, positions))
        if config.local_rope:
            self._load("local_rope", 0, rope_table(config.local_rope, config.head_width, positions))

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the device memory."""
        self._binding.close()

    def load(
        self, tensors: Iterable[tuple[Wanted, Array]], progress: Callable[[int], None] = lambda size: None
    ) -> None:
        """Load all tensors of a model; `progress` is called with the size of each in bytes."""
        for tensor, data in tensors:
            if tensor.layout:
                self._load_native(tensor, tensor.layout, data)
            else:
                self._load(tensor.name, tensor.layer, data)
            progress(tensor.bytes)

    def prefill(
        self, tokens: Sequence[int], *, sequence: int = 0, position: int = 0, logits: bool = False
    ) -> Logits | None:
        """Write the keys and values of tokens from `position` on; with `logits`, return those of the last token."""
        found: Logits | None = np.empty(self.config.vocabulary, np.float32) if logits else None
        self._binding.call("prefill", sequence, position, _ints(tokens), len(tokens), _floats(found))
        return found

    def decode(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        sampling: Sequence[Sampling],
        *,
        logits: bool = False,
    ) -> tuple[list[int], Logits | None]:
        """Run a step for at most `stats().max_tokens` sequences: return their next tokens, and logits if requested."""
        count = _expect_same_lengths(tokens, positions, sequences, sampling)
        picked = (ctypes.c_int32 * count)()
        found: Logits | None = np.empty((count, self.config.vocabulary), np.float32) if logits else None
        how = _c_samplings(sampling)
        places = (_ints(sequences), _ints(positions), _ints(tokens))
        self._binding.call("decode", *places, count, how, picked, _floats(found))
        return list(picked), found

    def decode_with(
        self,
        tokens: Sequence[int],
        positions: Sequence[int],
        sequences: Sequence[int],
        sampling: Sequence[Sampling],
        *,
        changes: Sequence[Changes | None] = (),
        rows: Sequence[int] = (),
    ) -> tuple[list[int], Logits]:
        """Run a step with changed logits: return the next tokens, and the logits of `rows` of them before the changes.

        `changes` has an entry for each token of the step, or none at all. Several tokens may be of one sequence, in the
        order of their positions: each sees those before it.
        """
        count = _expect_same_lengths(tokens, positions, sequences, sampling, changes or tokens)
        picked = (ctypes.c_int32 * count)()
        found: Logits = np.empty((len(rows), self.config.vocabulary), np.float32)
        how = _c_samplings(sampling)
        places = (_ints(sequences), _ints(positions), _ints(tokens))
        options = StepOptions(changes, rows)
        wanted = _floats(found) if rows else None
        self._binding.call("decode_with", *places, count, how, ctypes.byref(options.c), picked, wanted)
        return list(picked), found

    def hidden(self, tokens: Sequence[int], *, sequence: int = 0, position: int = 0) -> Logits:
        """Write the keys and values of tokens from `position` on; return the normalized output of the last layer.

        Its shape is (tokens, width).
        """
        found = np.empty((len(tokens), self.config.width), self._number)
        self._binding.call("hidden", sequence, position, _ints(tokens), len(tokens), found.ctypes.data)
        return found.astype(np.float32)

    def reuse(self, tokens: Sequence[int], *, sequence: int = 0) -> int:
        """Give an empty sequence what the cache has of these tokens, from whatever sequence; return their number.

        The sequence is continued from that position on.
        """
        found = ctypes.c_int32()
        self._binding.call("reuse", sequence, _ints(tokens), len(tokens), ctypes.byref(found))
        return found.value

    def generate(self, token: int, position: int, count: int, *, sequence: int = 0) -> list[int]:
        """Run `count` greedy steps of one sequence without waiting for the host, and return their tokens."""
        out = (ctypes.c_int32 * max(count, 0))()
        self._binding.call("generate", sequence, position, token, count, out)
        return list(out)

    def reset(self, sequence: int = 0) -> None:
        """Discard the cache and tokens of a sequence."""
        self._binding.call("reset", sequence)

    def stats(self) -> Stats:
        """Return the engine's statistics."""
        found = binding.Stats()
        self._binding.call("get_stats", ctypes.byref(found))
        values = {name: getattr(found, name) for name in Stats.__dataclass_fields__}
        return Stats(**values | {"device": found.device.decode(errors="replace")})

    def read_bandwidth(self) -> float:
        """Measure and return the bytes per second at which the device reads the weights."""
        found = ctypes.c_double()
        self._binding.call("read_bandwidth", ctypes.byref(found))
        return found.value

    def _load(self, name: str, layer: int, data: Array) -> None:
        whole = np.ascontiguousarray(data)
        self._binding.call("load", name.encode(), layer, whole.ctypes.data, whole.nbytes)

    def _load_native(self, tensor: Wanted, layout: Layout, data: Array) -> None:
        whole = np.ascontiguousarray(data)
        form = layout.format.number, layout.group
        self._binding.call("load_native", tensor.name.encode(), tensor.layer, *form, whole.ctypes.data, whole.nbytes)


def _c_config(
    config: ModelConfig, formats: Formats, positions: int, sequences: int, at_once: int, native_bytes: int
) -> binding.Config:
    same = ("layers", "width", "heads", "kv_heads", "head_width", "vocabulary", "qkv_bias", "head_norms", "epsilon")
    own, experts = config.architecture, config.experts
    # A window as long as the longest sequence hides nothing. With a RoPE of their own, layers need theirs nevertheless.
    windows = [window if window < positions or config.local_rope else 0 for window in config.windows]
    return binding.Config(
        **{name: getattr(config, name) for name in same},
        hidden=config.padded_hidden(formats.packing.tile_columns),
        max_positions=positions,
        max_sequences=sequences,
        max_tokens=at_once,
        native_bytes=native_bytes,
        windows=_ints(windows) if windows else None,
        local_rope=config.local_rope is not None,
        out_bias=own.out_bias,
        post_norms=own.post_norms,
        sinks=own.sinks,
        activation=ACTIVATIONS.index(own.activation),
        experts=experts.count if experts else 0,
        experts_chosen=experts.chosen if experts else 0,
        experts_of_all=experts is not None and experts.of_all,
        expert_biases=own.expert_biases,
        **(_c_experts(experts, config.layers, formats.packing.tile_columns) if experts else {}),
        **(_c_latent(config.latent, config.query_scale) if config.latent else {}),
    )


def _c_experts(experts: Experts, layers: int, columns: int) -> dict[str, Any]:
    dense = [int(layer in experts.dense) for layer in range(layers)]
    found: dict[str, Any] = {
        "dense": _ints(dense) if experts.dense else None,
        "dense_hidden": padded(experts.dense_hidden, columns),
        "shared_hidden": padded(experts.shared, columns),
        "shared_gate": experts.shared_gate,
    }
    if (own := experts.routing) is None:
        return found
    return found | {
        "expert_scores": 1 + SCORES.index(own.scores),
        "expert_groups": own.groups,
        "expert_groups_chosen": own.chosen_groups,
        "expert_group_best": own.best,
        "expert_normalized": own.normalized,
        "expert_choice_bias": own.biased,
        "expert_scale": own.scale,
    }


def _c_latent(latent: Latent, query_scale: float) -> dict[str, Any]:
    return {
        "latent_rank": latent.rank,
        "query_rank": latent.query_rank,
        "nope_width": latent.nope,
        "rope_width": latent.rope,
        "value_width": latent.value,
        "rope_interleaved": latent.interleaved,
        "query_scale": query_scale,
    }


def _expect_same_lengths(*columns: Sequence[object]) -> int:
    """Return the number of tokens of a step. Raises `HipportError` if its columns have different lengths."""
    count = len(columns[0])
    if any(len(column) != count for column in columns):
        raise HipportError(
            "a step needs a token, a position, a sequence and sampling parameters for each of its tokens"
        )
    return count


def _c_samplings(sampling: Sequence[Sampling]) -> ctypes.Array[binding.Sampling]:
    return (binding.Sampling * len(sampling)).from_buffer_copy(b"".join([one.in_c for one in sampling]))


def _ints(values: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
    return (ctypes.c_int32 * len(values))(*values)


def _floats(values: Logits | None) -> ctypes._Pointer[ctypes.c_float] | None:
    return None if values is None else values.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
