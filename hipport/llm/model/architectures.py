"""The supported architectures, as differences from Llama's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Activation = Literal["silu", "gelu", "clamped"]
ACTIVATIONS: tuple[Activation, ...] = ("silu", "gelu", "clamped")
"""By their numbers in the engine."""


@dataclass(frozen=True, slots=True)
class ExpertNames:
    """The names of a mixture of experts in a layer of a checkpoint, without `.weight`.

    `{}` is the number of an expert. `fused`: a checkpoint has the experts in other tensors, from which
    `sources/fused_experts.py` makes these. `shared`: the part of the layer with the experts that all tokens take, if
    there are any, and `shared_gate` what weights them. `choice_bias`: the whole name of what is added to scores.
    """

    router: str = "mlp.gate"
    gate: str = "mlp.experts.{}.gate_proj"
    up: str = "mlp.experts.{}.up_proj"
    down: str = "mlp.experts.{}.down_proj"
    fused: bool = False
    shared: str = ""
    shared_gate: str = ""
    choice_bias: str = ""


@dataclass(frozen=True, slots=True)
class Architecture:
    """The differences of an architecture from Llama's.

    `qkv_bias`: queries, keys and values have a bias. `head_norms`: each head's queries and keys are normalized.
    `fused`: a checkpoint has queries, keys and values in one tensor, and gate and up in another.
    `windows`: which layers have the sliding window of `config.json`: all, those from `max_window_layers` on, all but
    every sixth, or every other, unless `layer_types` says it.
    `out_bias`: the attention's output has a bias. `sinks`: each head has a score beside those of the positions.
    `post_norms`: results are normalized before they are added to the residual stream. `gemma`: normalizations multiply
    with 1 + weight, embeddings with the root of the width, and layers with a window have a RoPE of their own.
    `theta`: RoPE's base where `config.json` does not say it.
    `latent`: latent attention. `interleaved`: RoPE rotates neighboring dimensions together, without latent attention.
    `routing`: experts are chosen by a softmax, by that with a bias, or by sigmoids with a bias and groups; else by
    logits. `told`: `attention_bias` and `use_qk_norm` in `config.json` say whether there are `qkv_bias` and
    `head_norms`. `defaults`: values that `config.json` may leave out.
    """

    qkv_bias: bool = False
    head_norms: bool = False
    fused: bool = False
    windows: Literal["all", "later", "most", "alternate"] = "all"
    out_bias: bool = False
    sinks: bool = False
    post_norms: bool = False
    gemma: bool = False
    activation: Activation = "silu"
    experts: ExpertNames | None = None
    theta: float = 10000.0
    latent: bool = False
    interleaved: bool = False
    routing: Literal["", "softmax", "biased", "grouped"] = ""
    told: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expert_biases(self) -> bool:
        return self.activation == "clamped"


_MIXTRAL = ExpertNames(
    "block_sparse_moe.gate",
    "block_sparse_moe.experts.{}.w1",
    "block_sparse_moe.experts.{}.w3",
    "block_sparse_moe.experts.{}.w2",
)

_CORRECTED = ExpertNames(shared="mlp.shared_experts", choice_bias="mlp.gate.e_score_correction_bias")
_LATENT = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}

ARCHITECTURES: Mapping[str, Architecture] = {
    "LlamaForCausalLM": Architecture(),
    "MistralForCausalLM": Architecture(),
    "Phi3ForCausalLM": Architecture(fused=True),
    "Qwen2ForCausalLM": Architecture(qkv_bias=True, windows="later"),
    "Qwen3ForCausalLM": Architecture(head_norms=True, windows="later"),
    "Qwen3MoeForCausalLM": Architecture(head_norms=True, windows="later", experts=ExpertNames()),
    "MixtralForCausalLM": Architecture(experts=_MIXTRAL),
    "Gemma3ForCausalLM": Architecture(
        head_norms=True, windows="most", post_norms=True, gemma=True, activation="gelu", theta=1e6
    ),
    "GptOssForCausalLM": Architecture(
        qkv_bias=True,
        windows="alternate",
        out_bias=True,
        sinks=True,
        activation="clamped",
        experts=ExpertNames("mlp.router", fused=True),
        theta=150000.0,
    ),
    "Qwen2MoeForCausalLM": Architecture(
        qkv_bias=True,
        windows="later",
        experts=ExpertNames(shared="mlp.shared_expert", shared_gate="mlp.shared_expert_gate"),
    ),
    "DeepseekV2ForCausalLM": Architecture(
        latent=True,
        experts=ExpertNames(shared="mlp.shared_experts"),
        routing="softmax",
        defaults=_LATENT | {"n_shared_experts": 2},
    ),
    "DeepseekV3ForCausalLM": Architecture(
        latent=True,
        experts=_CORRECTED,
        routing="grouped",
        defaults=_LATENT
        | {"n_shared_experts": 1, "n_group": 8, "topk_group": 4, "first_k_dense_replace": 3}
        | {"routed_scaling_factor": 2.5},
    ),
    "Glm4MoeForCausalLM": Architecture(
        told=True,
        experts=_CORRECTED,
        routing="grouped",
        defaults={"n_shared_experts": 1, "first_k_dense_replace": 1},
    ),
    "Ernie4_5_MoeForCausalLM": Architecture(
        interleaved=True,
        experts=ExpertNames(shared="mlp.shared_experts", choice_bias="mlp.moe_statics.e_score_correction_bias"),
        routing="biased",
        theta=500000.0,
        defaults={"moe_num_shared_experts": 2, "moe_layer_start_index": 1, "tie_word_embeddings": True},
    ),
}
"""By their names in `config.json`."""
