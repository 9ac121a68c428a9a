"""The configuration of a model, read from the `config.json` of a Hugging Face folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.llm.model.rope_scaling import Rope, read_rope
from hipport.llm.model.values import count


@dataclass(frozen=True, slots=True)
class Architecture:
    """The differences of an architecture from Llama's.

    `qkv_bias`: queries, keys and values have a bias. `head_norms`: each head's queries and keys are normalized.
    `fused`: a checkpoint has queries, keys and values in one tensor, and gate and up in another.
    """

    qkv_bias: bool = False
    head_norms: bool = False
    fused: bool = False


ARCHITECTURES: Mapping[str, Architecture] = {
    "LlamaForCausalLM": Architecture(),
    "MistralForCausalLM": Architecture(),
    "Phi3ForCausalLM": Architecture(fused=True),
    "Qwen2ForCausalLM": Architecture(qkv_bias=True),
    "Qwen3ForCausalLM": Architecture(head_norms=True),
}
"""The supported architectures by their names in `config.json`."""

_COLUMNS = 64
"""The length of vectors that are multiplied with matrices is a multiple of this."""
_PLAIN_ROPE = Rope()
_MOST_LAYERS = 1000
"""Bounds the time spent on files that are not models."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A Llama-family model. `hidden`: feed-forward width; `tied`: output head and embedding share their weights."""

    layers: int
    width: int
    hidden: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    positions: int
    epsilon: float = 1e-5
    architecture: Architecture = Architecture()
    tied: bool = False
    rope: Rope = _PLAIN_ROPE
    end_tokens: tuple[int, ...] = ()

    def padded_hidden(self, columns: int) -> int:
        """Return `hidden` as the engine stores it, rounded up to a multiple of a tile's columns."""
        return -(-self.hidden // columns) * columns

    @property
    def qkv_bias(self) -> bool:
        return self.architecture.qkv_bias

    @property
    def head_norms(self) -> bool:
        return self.architecture.head_norms

    @property
    def qkv_rows(self) -> int:
        """Rows of queries, keys and values together."""
        return (self.heads + 2 * self.kv_heads) * self.head_width


RANDOM_MODELS: Mapping[str, ModelConfig] = {
    "tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512),
    "llama2-7b": ModelConfig(32, 4096, 11008, 32, 32, 128, 32000, 4096),
    "llama2-13b": ModelConfig(40, 5120, 13824, 40, 40, 128, 32000, 4096),
    "qwen3-tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512, architecture=ARCHITECTURES["Qwen3ForCausalLM"]),
    "qwen3-8b": ModelConfig(
        36, 4096, 12288, 32, 8, 128, 151936, 40960, 1e-6, ARCHITECTURES["Qwen3ForCausalLM"], rope=Rope(1e6)
    ),
}
"""Models that can be run with random weights."""


def read_config(folder: Path) -> ModelConfig:
    """Return the configuration of the model in a folder. Raises `HipportError` if it is incomplete or unsupported."""
    path = folder / "config.json"
    data = read_json(path)
    try:
        _refuse(path, data)
        return _config(data, ARCHITECTURES[data["architectures"][0]], _end_tokens(folder, data))
    except KeyError as error:
        raise HipportError(f"{path} lacks {error}") from None
    except (TypeError, ValueError) as error:
        raise HipportError(f"{path} is not a valid configuration: {error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Raises `HipportError`."""
    try:
        data = parse_json(read_bounded(path, LARGEST_JSON), str(path))
    except OSError as error:
        raise HipportError(
            f"cannot read {path}: {error.strerror}",
            hint="A model is a GGUF file or a folder with config.json and weights.",
        ) from None
    except ValueError as error:
        raise HipportError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise HipportError(f"{path} is not a JSON object")
    return data


def _refuse(path: Path, data: Mapping[str, Any]) -> None:
    """Raise `HipportError` for models that the engine cannot run or would run incorrectly."""
    names = data.get("architectures") or ["a model without an architecture"]
    if names[0] not in ARCHITECTURES:
        raise HipportError(f"{path}: {names[0]} is not supported", hint=f"Supported: {', '.join(ARCHITECTURES)}.")
    if data.get("hidden_act", "silu") != "silu":
        raise HipportError(f"{path}: the activation {data['hidden_act']} is not supported", hint="Supported: silu.")
    for key in ("attention_bias", "mlp_bias"):
        if data.get(key):
            raise HipportError(f"{path}: {key} is not supported", hint="Only Qwen2's biases are.")
    if data.get("partial_rotary_factor", 1.0) != 1.0:
        raise HipportError(f"{path}: rotating only a part of each head (partial_rotary_factor) is not supported")


def _config(data: Mapping[str, Any], architecture: Architecture, end_tokens: tuple[int, ...]) -> ModelConfig:
    heads, width = count(data, "num_attention_heads"), count(data, "hidden_size")
    return checked(
        ModelConfig(
            layers=count(data, "num_hidden_layers"),
            width=width,
            hidden=count(data, "intermediate_size"),
            heads=heads,
            kv_heads=count(data, "num_key_value_heads", heads),
            head_width=count(data, "head_dim", width // heads),
            vocabulary=count(data, "vocab_size"),
            positions=_positions(data),
            epsilon=float(data.get("rms_norm_eps", 1e-6)),
            architecture=architecture,
            tied=bool(data.get("tie_word_embeddings", False)),
            rope=read_rope(data, count(data, "head_dim", width // heads)),
            end_tokens=end_tokens,
        )
    )


def checked(config: ModelConfig) -> ModelConfig:
    """Return the configuration if the engine can run it. Raises `ValueError`."""
    if config.layers > _MOST_LAYERS:
        raise ValueError(f"{config.layers} layers exceed the limit of {_MOST_LAYERS}")
    if config.width % _COLUMNS or config.head_width not in (64, 128) or config.heads % config.kv_heads:
        raise ValueError(
            f"a width of {config.width}, {config.heads} heads of {config.head_width} and {config.kv_heads} for keys; "
            f"the engine takes widths that are multiples of {_COLUMNS}, heads of 64 or 128"
        )
    return config


def _positions(data: Mapping[str, Any]) -> int:
    """Return the longest sequence, limited to the sliding window, within which all positions see each other."""
    positions, window = count(data, "max_position_embeddings"), data.get("sliding_window")
    return (
        min(positions, count(data, "sliding_window")) if window and data.get("use_sliding_window", True) else positions
    )


def _end_tokens(folder: Path, data: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the tokens that end a text, from `generation_config.json` if it has them, else from `config.json`."""
    path = folder / "generation_config.json"
    told = read_json(path).get("eos_token_id") if path.is_file() else None
    told = data.get("eos_token_id") if told is None else told
    tokens = tuple(told) if isinstance(told, list) else () if told is None else (told,)
    if not all(isinstance(token, int) for token in tokens):
        raise ValueError(f"eos_token_id is {told!r}")
    return tokens
