"""The configuration of a model, read from the `config.json` of a Hugging Face folder."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.llm.model.architectures import ARCHITECTURES, Architecture, ExpertNames
from hipport.llm.model.experts import Experts, Routing, checked_experts, read_experts
from hipport.llm.model.latent import Latent, read_latent
from hipport.llm.model.layers import MOST_LAYERS, read_windows
from hipport.llm.model.rope_scaling import Rope, read_local_rope, read_rope
from hipport.llm.model.values import count, positive, shown

_COLUMNS = 64
"""The length of vectors that are multiplied with matrices is a multiple of this."""
HEAD_WIDTHS = (64, 80, 96, 112, 128, 192, 256)
"""The widths of heads that there are kernels for."""
_PERSISTENT_WIDTHS = (64, 128)
_MOST_EXPERTS, _MOST_CHOSEN = 512, 32
_ACTIVATIONS = {"silu": "silu", "gelu": "gelu_pytorch_tanh", "clamped": "silu"}
"""The names of activations in `config.json`."""
_PLAIN_ROPE, _LLAMA = Rope(), ARCHITECTURES["LlamaForCausalLM"]


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A Llama-family model. `hidden`: feed-forward width; `tied`: output head and embedding share their weights.

    `windows`: how many positions a token of each layer sees, 0 for all; empty if all layers see all. `local_rope`: that
    of layers with a window, if they have their own. `query_scale`: factor of queries, besides that for the width of
    heads. `latent`: latent attention, whose heads are padded to `head_width`. `unused_layers`: layers of a checkpoint
    behind the others that only predict further tokens.
    """

    layers: int
    width: int
    hidden: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    positions: int
    epsilon: float = 1e-5
    architecture: Architecture = _LLAMA
    tied: bool = False
    rope: Rope = _PLAIN_ROPE
    end_tokens: tuple[int, ...] = ()
    windows: tuple[int, ...] = ()
    local_rope: Rope | None = None
    experts: Experts | None = None
    query_scale: float = 1.0
    latent: Latent | None = None
    unused_layers: int = 0

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
    def expert_names(self) -> ExpertNames:
        """The names of the tensors of a mixture of experts."""
        assert self.architecture.experts is not None
        return self.architecture.experts

    @property
    def general(self) -> bool:
        """Whether the engine needs to be built for models that differ from Llama in more than their sizes."""
        own = self.architecture
        return (
            self.head_width not in _PERSISTENT_WIDTHS
            or self.experts is not None
            or self.local_rope is not None
            or self.latent is not None
            or own.activation != "silu"
            or own.post_norms
            or own.sinks
            or own.out_bias
        )

    @property
    def qkv_rows(self) -> int:
        """Rows of queries, keys and values together."""
        return (self.heads + 2 * self.kv_heads) * self.head_width


RANDOM_MODELS: Mapping[str, ModelConfig] = {
    "tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512),
    "llama2-7b": ModelConfig(32, 4096, 11008, 32, 32, 128, 32000, 4096),
    "llama2-13b": ModelConfig(40, 5120, 13824, 40, 40, 128, 32000, 4096),
    "qwen3-tiny": ModelConfig(2, 256, 704, 4, 2, 64, 512, 512, architecture=ARCHITECTURES["Qwen3ForCausalLM"]),
    "qwen3-moe-tiny": ModelConfig(
        2,
        256,
        192,
        4,
        2,
        64,
        512,
        512,
        architecture=ARCHITECTURES["Qwen3MoeForCausalLM"],
        experts=Experts(8, 2),
    ),
    "deepseek-tiny": ModelConfig(
        2,
        256,
        128,
        4,
        4,
        64,
        512,
        512,
        architecture=ARCHITECTURES["DeepseekV3ForCausalLM"],
        rope=Rope(rotated=16),
        experts=Experts(
            8, 2, routing=Routing("sigmoid", 4, 2, 2, True, True, 2.5), dense=(0,), dense_hidden=704, shared=192
        ),
        query_scale=math.sqrt(64 / 48),
        latent=Latent(query_rank=128, rank=64, nope=32, rope=16, value=32),
    ),
    "deepseek-v2-lite": ModelConfig(
        27,
        2048,
        1408,
        16,
        16,
        192,
        102400,
        163840,
        1e-6,
        ARCHITECTURES["DeepseekV2ForCausalLM"],
        rope=Rope(rotated=64),
        experts=Experts(64, 6, routing=Routing("softmax"), dense=(0,), dense_hidden=10944, shared=2816),
        latent=Latent(query_rank=0, rank=512, nope=128, rope=64, value=128),
    ),
    "qwen3-8b": ModelConfig(
        36, 4096, 12288, 32, 8, 128, 151936, 40960, 1e-6, ARCHITECTURES["Qwen3ForCausalLM"], rope=Rope(1e6)
    ),
    "qwen3-30b-a3b": ModelConfig(
        48,
        2048,
        768,
        32,
        4,
        128,
        151936,
        40960,
        1e-6,
        ARCHITECTURES["Qwen3MoeForCausalLM"],
        rope=Rope(1e6),
        experts=Experts(128, 8),
    ),
}
"""Models that can be run with random weights."""


def read_config(folder: Path) -> ModelConfig:
    """Return the configuration of the model in a folder. Raises `HipportError` if it is incomplete or unsupported."""
    path = folder / "config.json"
    data = read_json(path)
    try:
        _refuse(path, data)
        architecture = ARCHITECTURES[data["architectures"][0]]
        return _config({**architecture.defaults, **data}, _told(architecture, data), _end_tokens(folder, data))
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
    architecture = ARCHITECTURES[names[0]]
    expected = _ACTIVATIONS[architecture.activation]
    told = data.get("hidden_activation") or data.get("hidden_act") or expected
    if told != expected:
        raise HipportError(f"{path}: the activation {told} is not supported", hint=f"Supported: {expected}.")
    for key in ("attention_bias", "mlp_bias", "use_bias"):
        if data.get(key) and not architecture.out_bias and not (architecture.told and key == "attention_bias"):
            raise HipportError(
                f"{path}: {key} is not supported", hint="Only Qwen2's, GLM-4-MoE's and gpt-oss's biases are."
            )
    for key in ("attn_logit_softcapping", "final_logit_softcapping", "use_bidirectional_attention"):
        if data.get(key):
            raise HipportError(f"{path}: {key} is not supported")


def _told(architecture: Architecture, data: Mapping[str, Any]) -> Architecture:
    """Return an architecture with what `config.json` says about it."""
    if not architecture.told:
        return architecture
    return replace(
        architecture, qkv_bias=bool(data.get("attention_bias")), head_norms=bool(data.get("use_qk_norm", False))
    )


def _config(data: Mapping[str, Any], architecture: Architecture, end_tokens: tuple[int, ...]) -> ModelConfig:
    heads, width = count(data, "num_attention_heads"), count(data, "hidden_size")
    layers = count(data, "num_hidden_layers")
    latent = read_latent(data, heads) if architecture.latent else None
    head_width = latent.head_width(HEAD_WIDTHS) if latent else count(data, "head_dim", width // heads)
    experts = read_experts(data, architecture, layers)
    query_scale = gemma_scale(data, head_width) if architecture.gemma else 1.0
    return checked(
        ModelConfig(
            layers=layers,
            width=width,
            hidden=count(
                data, "moe_intermediate_size" if experts and "moe_intermediate_size" in data else "intermediate_size"
            ),
            heads=heads,
            kv_heads=heads if latent else count(data, "num_key_value_heads", heads),
            head_width=head_width,
            vocabulary=count(data, "vocab_size"),
            positions=count(data, "max_position_embeddings"),
            epsilon=positive(data, "rms_norm_eps", 1e-6),
            architecture=architecture,
            tied=bool(data.get("tie_word_embeddings", architecture.gemma)),
            rope=latent_rope(read_rope(data, latent.rope, architecture.theta), latent)
            if latent
            else read_rope(data, head_width, architecture.theta),
            end_tokens=end_tokens,
            windows=read_windows(data, architecture, layers),
            local_rope=read_local_rope(data, head_width) if architecture.gemma else None,
            experts=experts,
            query_scale=latent.query_scale(data, head_width) if latent else query_scale,
            latent=latent,
            unused_layers=count(data, "num_nextn_predict_layers") if data.get("num_nextn_predict_layers") else 0,
        )
    )


def latent_rope(rope: Rope, latent: Latent) -> Rope:
    """Return the rotation of latent attention's heads, of which only a part is rotated."""
    if rope.rotated:
        raise ValueError(f"{rope.rotated} of {latent.rope} dimensions are rotated")
    return replace(rope, rotated=latent.rope)


def gemma_scale(data: Mapping[str, Any], head_width: int) -> float:
    """Return the factor of queries that Gemma's `query_pre_attn_scalar` means, besides that for the head's width."""
    return math.sqrt(head_width / count(data, "query_pre_attn_scalar", head_width))


def checked(config: ModelConfig) -> ModelConfig:
    """Return the configuration if the engine can run it, without end tokens that its vocabulary lacks.

    Raises `ValueError`.
    """
    if config.layers > MOST_LAYERS:
        raise ValueError(f"{config.layers} layers exceed the limit of {MOST_LAYERS}")
    if config.width % _COLUMNS or config.head_width not in HEAD_WIDTHS or config.heads % config.kv_heads:
        raise ValueError(
            f"a width of {config.width}, {config.heads} heads of {config.head_width} and {config.kv_heads} for keys; "
            f"the engine takes widths that are multiples of {_COLUMNS}, heads of {', '.join(map(str, HEAD_WIDTHS))}"
        )
    if config.heads * config.head_width % _COLUMNS:
        raise ValueError(f"{config.heads} heads of {config.head_width} are not a multiple of {_COLUMNS}")
    if config.experts:
        checked_experts(config.experts, _MOST_EXPERTS, _MOST_CHOSEN)
    # A window as long as the longest sequence hides nothing; where it decides on the layers' RoPE, it is kept.
    hides_nothing = config.local_rope is None and min(config.windows, default=0) >= config.positions
    known = tuple(token for token in config.end_tokens if 0 <= token < config.vocabulary)
    return replace(config, windows=() if hides_nothing else config.windows, end_tokens=known)


def _end_tokens(folder: Path, data: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the tokens that end a text, from `generation_config.json` if it has them, else from `config.json`."""
    path = folder / "generation_config.json"
    told = read_json(path).get("eos_token_id") if path.is_file() else None
    told = data.get("eos_token_id") if told is None else told
    tokens = tuple(told) if isinstance(told, list) else () if told is None else (told,)
    if not all(isinstance(token, int) and not isinstance(token, bool) for token in tokens):
        raise ValueError(f"eos_token_id is {shown(told)}")
    return tokens
