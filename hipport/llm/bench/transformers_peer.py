"""transformers' own generation of the same model, with which `hipport llm bench` is compared.

Weights are in half precision on GPUs and in single precision on the CPU: transformers has no kernels for the engine's
formats. With random weights the model has the same shape, with other numbers: only the speed counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.llm.bench.peer import Peer, device_of, load_torch
from hipport.llm.model.architectures import ARCHITECTURES
from hipport.llm.model.config import ModelConfig

_TYPES = {"LlamaForCausalLM": "llama", "Qwen3ForCausalLM": "qwen3", "Qwen3MoeForCausalLM": "qwen3_moe"}
"""transformers' names of the architectures that there are random weights for."""
_CACHES: Mapping[str, Mapping[str, Any]] = {"": {}, ", static cache, compiled": {"cache_implementation": "static"}}
"""How transformers keeps keys and values; on GPUs it compiles the steps with a cache of fixed size."""


def load_transformers() -> tuple[Any, Any]:
    """Import and return PyTorch and transformers. Raises `HipportError` if one is not installed."""
    torch = load_torch()
    try:
        import transformers
    except ImportError:
        raise HipportError("transformers is not installed", hint="pip install transformers") from None
    return torch, transformers


def measure_transformers(
    source: Path | ModelConfig, prompt_tokens: int, tokens: int, repeat: int, batches: Sequence[int] = ()
) -> Iterator[Peer]:
    """Yield the median speeds for one sequence, with each kind of cache, and for batches, with the usual one.

    `source`: a folder, or the shape of a model with random weights. Raises `HipportError` for other models.
    """
    torch, transformers = load_transformers()
    device, shown = device_of(torch)
    number = torch.float16 if device == "cuda" else torch.float32
    with torch.inference_mode():
        model = _model(torch, transformers, source, number, device)
        name = f"transformers {transformers.__version__}, {str(number).removeprefix('torch.')}"
        run = _Run(torch, model, device, repeat)
        for suffix, cache in _CACHES.items() if device == "cuda" else [("", _CACHES[""])]:
            rate, prompt_rate = run.rates(1, prompt_tokens, tokens, cache)
            yield Peer(name + suffix, shown, rate, 1, prompt_rate)
        for sequences in batches:
            rate, prompt_rate = run.rates(sequences, prompt_tokens, tokens, {})
            yield Peer(name, shown, rate, sequences, prompt_rate)


def check_comparable(path: Path) -> None:
    """Raise `HipportError` if transformers is not compared on this model."""
    if not path.is_dir():
        raise HipportError(f"{path} is not a folder", hint="transformers is compared with folders, not GGUF files.")


@dataclass(frozen=True, slots=True)
class _Run:
    torch: Any
    model: Any
    device: str
    repeat: int

    def rates(self, sequences: int, prompt: int, tokens: int, cache: Mapping[str, Any]) -> tuple[float, float]:
        """Return the tokens per second that are generated after the first, and those of the prompt until then."""
        ids = self.torch.arange(prompt, device=self.device).mul(7).add(1) % self.model.config.vocab_size
        ids = ids.repeat(sequences, 1)
        counts = (1, tokens + 1)
        for count in counts:
            self._seconds(ids, count, cache)  # compiles
        first, whole = (
            statistics.median(self._seconds(ids, count, cache) for _ in range(self.repeat)) for count in counts
        )
        return sequences * tokens / max(whole - first, 1e-9), sequences * prompt / first

    def _seconds(self, ids: Any, count: int, cache: Mapping[str, Any]) -> float:
        started = time.perf_counter()
        told = {"max_new_tokens": count, "do_sample": False, "pad_token_id": 0, "eos_token_id": None}
        made = self.model.generate(ids, attention_mask=self.torch.ones_like(ids), **told, **cache)
        made[0, -1].item()  # waits for the device
        return time.perf_counter() - started


def _model(torch: Any, transformers: Any, source: Path | ModelConfig, number: Any, device: str) -> Any:
    if isinstance(source, Path):
        try:
            found = transformers.AutoModelForCausalLM.from_pretrained(source, dtype=number, local_files_only=True)
        except (OSError, ValueError) as error:
            raise HipportError(f"transformers cannot read {source}: {error}") from None
        model = found.to(device)
    else:
        with torch.device(device):
            model = transformers.AutoModelForCausalLM.from_config(_config(transformers, source), dtype=number)
    model.generation_config.eos_token_id = None  # as many tokens as asked for
    return model.eval()


def _config(transformers: Any, config: ModelConfig) -> Any:
    name = next(name for name, architecture in ARCHITECTURES.items() if architecture == config.architecture)
    if name not in _TYPES:
        raise HipportError(f"random weights of {name} cannot be compared with transformers")
    told: dict[str, Any] = {
        "hidden_size": config.width,
        "intermediate_size": config.hidden,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_width,
        "vocab_size": config.vocabulary,
        "max_position_embeddings": config.positions,
        "rms_norm_eps": config.epsilon,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.rope.theta},
        "tie_word_embeddings": config.tied,
    }
    if config.experts:
        told |= {
            "num_experts": config.experts.count,
            "num_experts_per_tok": config.experts.chosen,
            "moe_intermediate_size": config.hidden,
        }
    return transformers.AutoConfig.for_model(_TYPES[name], **told)
