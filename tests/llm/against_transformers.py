"""Compares the references with transformers' models; by hand, since PyTorch is too large for CI.

python -m tests.llm.against_transformers      (needs torch and transformers)
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.numpy import save_file

from hipport.llm.examples import bert, vit
from hipport.llm.examples.encoder import made_up
from tests.llm import encoders
from tests.llm.models import MODELS, make_weights, write_model
from tests.llm.reference import greedy, logits

_STEPS = 64


def main() -> None:
    """Print for each model how far the logits are apart, and whether the greedy tokens are the same."""
    print(f"torch {torch.__version__}, transformers {transformers.__version__}")
    for name, config in MODELS.items():
        weights = make_weights(config, 1)
        with tempfile.TemporaryDirectory() as folder:
            write_model(Path(folder), config, weights)
            theirs = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64)
        prompt = [1, 17, 254, 99, 3]
        made = theirs.generate(torch.tensor([prompt]), max_new_tokens=_STEPS, do_sample=False, eos_token_id=None)[
            0
        ].tolist()
        with torch.no_grad():
            expected = theirs(torch.tensor([made])).logits[0].numpy()
        error = np.abs(logits(config, weights, made) - expected).max() / np.abs(expected).max()
        same = greedy(config, weights, prompt, _STEPS) == made[len(prompt) :]
        print(
            f"{name}: logits within {error:.1e} of the largest, {_STEPS} greedy tokens {'equal' if same else 'DIFFER'}"
        )
    print(f"bert: hidden states within {bert_error():.1e} of the largest")
    print(f"vit: hidden states within {vit_error():.1e} of the largest")


def bert_error() -> float:
    """Of the reference, on a small model with masked positions."""
    config = {**bert.CONFIG, **encoders.SMALL, "vocab_size": 100, "max_position_embeddings": 40}
    weights, random = made_up(bert.names(config)), np.random.default_rng(1)
    theirs = _loaded(transformers.BertModel(transformers.BertConfig(**config)), config, weights)
    tokens, types, lengths = random.integers(0, 100, (3, 23)), random.integers(0, 2, (3, 23)), np.array([23, 1, 9])
    seen = np.arange(23) < lengths[:, None]
    with torch.no_grad():
        expected = theirs(torch.tensor(tokens), torch.tensor(seen.astype(int)), torch.tensor(types)).last_hidden_state
    return _error(encoders.bert(config, weights, tokens, types, lengths)[seen], expected.numpy()[seen])


def vit_error() -> float:
    """Of the reference, on a small model."""
    config = {**vit.CONFIG, **encoders.SMALL, "image_size": 32, "patch_size": 8}
    weights = made_up(vit.names(config))
    theirs = _loaded(transformers.ViTModel(transformers.ViTConfig(**config)), config, weights)
    images = np.random.default_rng(2).standard_normal((2, 3, 32, 32))
    with torch.no_grad():
        expected = theirs(torch.tensor(images)).last_hidden_state.numpy()
    return _error(encoders.vit(config, weights, images), expected)


def _loaded(model: Any, config: Mapping[str, Any], weights: Mapping[str, Any]) -> Any:
    """A model that has read these weights from a folder."""
    with tempfile.TemporaryDirectory() as folder:
        model.config.save_pretrained(folder)
        save_file(dict(weights), Path(folder) / "model.safetensors")
        return type(model).from_pretrained(folder, dtype=torch.float64).eval()


def _error(values: Any, expected: Any) -> float:
    return float(np.abs(values - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    main()
