"""What a model is made of, and the `config.json` of a Hugging Face folder that says so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipport.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.errors import HipportError

ARCHITECTURES: Mapping[str, bool] = {"LlamaForCausalLM": False, "MistralForCausalLM": False, "Qwen2ForCausalLM": True}
"""The architectures that the engine runs: whether queries, keys and values have a bias."""

_COLUMNS = 64
"""Vectors that matrices are multiplied with are multiples of so many elements."""
_MOST_LAYERS = 1000
"""So that what is no model is not looked through for ever."""


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position embedding: `theta`, and a factor by which frequencies are divided.

    With `original` positions as in Llama 3: frequencies that turn less often than `low` times within them are divided,
    those above `high` stay, those between are blended. 0: all are divided. `divisors` says it for each pair instead.
    """

    theta: float = 10000.0
    factor: float = 1.0
    low: float = 1.0
    high: float = 4.0
    original: int = 0
    divisors: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model of the Llama family. `hidden`: the feed-forward network's width; `tied`: head and embedding are one."""

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
        """`hidden` as the engine has it: a multiple of the columns of a tile."""
        return -(-self.hidden // columns) * columns

    @property
    def qkv_rows(self) -> int:
        """Queries, keys and values together."""
        return (self.heads + 2 * self.kv_heads) * self.head_width


RANDOM_MODELS: Mapping[str, ModelConfig] = {
    "tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512),
    "llama2-7b": ModelConfig(32, 4096, 11008, 32, 32, 128, 32000, 4096),
    "llama2-13b": ModelConfig(40, 5120, 13824, 40, 40, 128, 32000, 4096),
}
"""Shapes for which weights can be made up."""


def read_config(folder: Path) -> ModelConfig:
    """The model in a folder. Raises `HipportError` for what is missing there or cannot be run."""
    path = folder / "config.json"
    data = read_json(path)
    try:
        _refuse(path, data)
        return _config(data, ARCHITECTURES[data["architectures"][0]], _end_tokens(folder, data))
    except KeyError as error:
        raise HipportError(f"{path} lacks {error}") from None
    except (TypeError, ValueError) as error:
        raise HipportError(f"{path} cannot be understood: {error}") from None


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file. Raises `HipportError`."""
    try:
        data = parse_json(read_bounded(path, LARGEST_JSON), str(path))
    except OSError as error:
        raise HipportError(
            f"cannot read {path}: {error.strerror}",
            hint="A model is a GGUF file or a folder with config.json and weights.",
        ) from None
    except ValueError as error:
        raise HipportError(f"{path} is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise HipportError(f"{path} does not hold an object")
    return data


def _refuse(path: Path, data: Mapping[str, Any]) -> None:
    """Raise for models that the engine cannot run, or would run wrongly."""
    names = data.get("architectures") or ["no architecture"]
    if names[0] not in ARCHITECTURES:
        raise HipportError(f"{path}: {names[0]} is not supported", hint=f"There are {', '.join(ARCHITECTURES)}.")
    if "quantization_config" in data:
        raise HipportError(f"{path}: the weights are quantised already", hint="Take the model in 16 or 32 bits.")
    if data.get("hidden_act", "silu") != "silu":
        raise HipportError(f"{path}: the activation {data['hidden_act']} is not supported", hint="Only silu is.")
    for key in ("attention_bias", "mlp_bias"):
        if data.get(key):
            raise HipportError(f"{path}: {key} is not supported", hint="Qwen2's biases are.")


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
    """A model that the engine can run. Raises `ValueError`."""
    if config.layers > _MOST_LAYERS:
        raise ValueError(f"{config.layers} layers are more than {_MOST_LAYERS}")
    if config.width % _COLUMNS or config.head_width not in (64, 128) or config.heads % config.kv_heads:
        raise ValueError(
            f"a width of {config.width}, {config.heads} heads of {config.head_width} and {config.kv_heads} for keys; "
            f"the engine takes widths that are multiples of {_COLUMNS}, heads of 64 or 128"
        )
    return config


def count(data: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A whole number above 0. Raises `KeyError` where it is missing, `ValueError` where it is none."""
    value = data[key] if default is None else data.get(key)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def _positions(data: Mapping[str, Any]) -> int:
    """How long a sequence can be; within the window in which all positions see each other."""
    positions, window = count(data, "max_position_embeddings"), data.get("sliding_window")
    return (
        min(positions, count(data, "sliding_window")) if window and data.get("use_sliding_window", True) else positions
    )


def _rope(data: Mapping[str, Any]) -> Rope:
    """Releases of transformers before 5 write `rope_theta` and `rope_scaling`, later ones `rope_parameters`."""
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
    """RoPE's base. Raises `ValueError`."""
    theta = float(told)
    if not math.isfinite(theta) or theta <= 1.0:
        raise ValueError(f"RoPE's theta is {theta}")
    return theta


def _end_tokens(folder: Path, data: Mapping[str, Any]) -> tuple[int, ...]:
    """The tokens that end a text: what `generation_config.json` says, else the model's own."""
    path = folder / "generation_config.json"
    told = read_json(path).get("eos_token_id") if path.is_file() else None
    told = data.get("eos_token_id") if told is None else told
    tokens = tuple(told) if isinstance(told, list) else () if told is None else (told,)
    if not all(isinstance(token, int) for token in tokens):
        raise ValueError(f"eos_token_id is {told!r}")
    return tokens
