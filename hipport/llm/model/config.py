"""The configuration of a model, read from the `config.json` of a Hugging Face folder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded

ARCHITECTURES: Mapping[str, bool] = {"LlamaForCausalLM": False, "MistralForCausalLM": False, "Qwen2ForCausalLM": True}
"""Supported architectures, and whether their queries, keys and values have a bias."""

_COLUMNS = 64
"""The length of vectors that are multiplied with matrices is a multiple of this."""
_MOST_LAYERS = 1000
"""Bounds the time spent on files that are not models."""


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position embedding with base `theta`, and a `factor` by which frequencies are divided.

    If `original` is 0, all frequencies are divided. Otherwise, as in Llama 3, frequencies that turn fewer than `low`
    times within `original` positions are divided, those that turn more than `high` times are kept, and those between
    are blended. `divisors`, if given, has a divisor for each pair of dimensions instead.
    """

    theta: float = 10000.0
    factor: float = 1.0
    low: float = 1.0
    high: float = 4.0
    original: int = 0
    divisors: tuple[float, ...] = ()


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
    qkv_bias: bool = False
    tied: bool = False
    rope: Rope = Rope()
    end_tokens: tuple[int, ...] = ()

    def padded_hidden(self, columns: int) -> int:
        """Return `hidden` as the engine stores it, rounded up to a multiple of a tile's columns."""
        return -(-self.hidden // columns) * columns

    @property
    def qkv_rows(self) -> int:
        """Rows of queries, keys and values together."""
        return (self.heads + 2 * self.kv_heads) * self.head_width


RANDOM_MODELS: Mapping[str, ModelConfig] = {
    "tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512),
    "llama2-7b": ModelConfig(32, 4096, 11008, 32, 32, 128, 32000, 4096),
    "llama2-13b": ModelConfig(40, 5120, 13824, 40, 40, 128, 32000, 4096),
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
    if "quantization_config" in data:
        raise HipportError(f"{path}: the weights are already quantized", hint="Use the model in 16 or 32 bits.")
    if data.get("hidden_act", "silu") != "silu":
        raise HipportError(f"{path}: the activation {data['hidden_act']} is not supported", hint="Supported: silu.")
    for key in ("attention_bias", "mlp_bias"):
        if data.get(key):
            raise HipportError(f"{path}: {key} is not supported", hint="Only Qwen2's biases are.")


def _config(data: Mapping[str, Any], qkv_bias: bool, end_tokens: tuple[int, ...]) -> ModelConfig:
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
            qkv_bias=qkv_bias,
            tied=bool(data.get("tie_word_embeddings", False)),
            rope=_rope(data),
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


def count(data: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """Return the positive integer at `key`, or `default` if it is missing.

    Raises `KeyError` if it is missing without a default, `ValueError` if it is not a positive integer.
    """
    value = data[key] if default is None else data.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def _positions(data: Mapping[str, Any]) -> int:
    """Return the longest sequence, limited to the sliding window, within which all positions see each other."""
    positions, window = count(data, "max_position_embeddings"), data.get("sliding_window")
    return (
        min(positions, count(data, "sliding_window")) if window and data.get("use_sliding_window", True) else positions
    )


def _rope(data: Mapping[str, Any]) -> Rope:
    """Read RoPE's parameters: transformers before 5 writes `rope_theta` and `rope_scaling`, later `rope_parameters`."""
    found = data.get("rope_parameters") or data.get("rope_scaling") or {}
    if not isinstance(found, dict):
        raise ValueError(f"rope_scaling is {found!r}")
    theta = rope_theta(found.get("rope_theta", data.get("rope_theta", 10000.0)))
    kind = found.get("rope_type", found.get("type", "default"))
    if kind == "default":
        return Rope(theta)
    if kind == "linear":
        return Rope(theta, float(found["factor"]))
    if kind == "llama3":
        factor, low, high = (float(found[key]) for key in ("factor", "low_freq_factor", "high_freq_factor"))
        return Rope(theta, factor, low, high, count(found, "original_max_position_embeddings"))
    raise ValueError(f"rope scaling {kind!r} is not supported; default, linear and llama3 are")


def rope_theta(told: Any) -> float:
    """Return RoPE's base. Raises `ValueError` unless it is finite and above 1."""
    theta = float(told)
    if not math.isfinite(theta) or theta <= 1.0:
        raise ValueError(f"RoPE's theta is {theta}")
    return theta


def _end_tokens(folder: Path, data: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the tokens that end a text, from `generation_config.json` if it has them, else from `config.json`."""
    path = folder / "generation_config.json"
    told = read_json(path).get("eos_token_id") if path.is_file() else None
    told = data.get("eos_token_id") if told is None else told
    tokens = tuple(told) if isinstance(told, list) else () if told is None else (told,)
    if not all(isinstance(token, int) for token in tokens):
        raise ValueError(f"eos_token_id is {told!r}")
    return tokens
