"""Compares the reference with transformers' models; by hand, since PyTorch is too large for CI.

python -m tests.llm.against_transformers      (needs torch and transformers)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers

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


if __name__ == "__main__":
    main()
