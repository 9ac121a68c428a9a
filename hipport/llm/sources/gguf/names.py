"""GGUF's names of tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMES: Mapping[str, str] = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.qkv_proj": "attn_qkv",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.o_proj": "attn_output",
    "self_attn.sinks": "attn_sinks",
    "self_attn.q_a_proj": "attn_q_a",
    "self_attn.q_b_proj": "attn_q_b",
    "self_attn.q_a_layernorm": "attn_q_a_norm",
    "self_attn.kv_a_proj_with_mqa": "attn_kv_a_mqa",
    "self_attn.kv_a_layernorm": "attn_kv_a_norm",
    "self_attn.kv_b_proj": "attn_kv_b",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp",
    "mlp.router": "ffn_gate_inp",
    "block_sparse_moe.gate": "ffn_gate_inp",
    **{f"mlp.shared_experts.{name}_proj": f"ffn_{name}_shexp" for name in ("gate", "up", "down")},
    **{f"mlp.shared_expert.{name}_proj": f"ffn_{name}_shexp" for name in ("gate", "up", "down")},
    "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    "experts.gate_proj": "ffn_gate_exps",
    "experts.up_proj": "ffn_up_exps",
    "experts.down_proj": "ffn_down_exps",
    "experts.w1": "ffn_gate_exps",
    "experts.w3": "ffn_up_exps",
    "experts.w2": "ffn_down_exps",
}
"""Hugging Face's tensor names, without layer, number of an expert, weight and bias, and GGUF's."""
_OTHERS: Mapping[str, Mapping[str, str]] = {
    "gemma3": {"post_attention_layernorm": "post_attention_norm"},
    "gpt-oss": {"post_attention_layernorm": "post_attention_norm"},
    "glm4moe": {"post_attention_layernorm": "post_attention_norm"},
}
"""Names that differ in an architecture."""

_CHOICE_BIAS = re.compile(r"mlp\.(?:gate|moe_statics)\.e_score_correction_bias")
_LAYER = re.compile(r"model\.layers\.(\d+)\.(.+)")
_EXPERTS = re.compile(r"(?:mlp|block_sparse_moe)\.experts\.(?:(\d+)\.)?(\w+)")


def gguf_name(name: str, architecture: str = "llama") -> str:
    """Return GGUF's name for a Hugging Face tensor; of an expert's tensor, that of the one with all experts."""
    stem, kind = (name, "weight") if name.endswith(".sinks") else name.rsplit(".", 1)
    found = _LAYER.fullmatch(stem)
    if found is None:
        return f"{_NAMES[stem]}.{kind}"
    if _CHOICE_BIAS.fullmatch(f"{found[2]}.{kind}"):
        return f"blk.{found[1]}.exp_probs_b.bias"
    experts = _EXPERTS.fullmatch(found[2])
    own = f"experts.{experts[2]}" if experts else found[2]
    return f"blk.{found[1]}.{_OTHERS.get(architecture, {}).get(own, _NAMES[own])}.{kind}"


def expert_of(name: str) -> int | None:
    """Return the number of the expert whose tensor this is, or None."""
    found = re.search(r"\.experts\.(\d+)\.", name)
    return int(found[1]) if found else None
