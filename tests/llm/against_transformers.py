"""Compare the engine with transformers' models, in double precision and with the engine's rounded weights.

python -m tests.llm.against_transformers [--target cpu|amd|nvidia] [--wave-size 32|64] [--weights FORMAT]

compares them where it is run, and ends with 1 where they differ. Tests compare with transformers the references of
other tests, too. Needs torch and transformers, which take seconds to import.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import transformers
from safetensors.numpy import save_file

from hipport.builds.shipped import Target, choose_target
from hipport.llm.examples import bert, vit
from hipport.llm.examples.encoder import made_up
from hipport.llm.runtime.engine import Sampling
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.formats import PACKED, USUAL, Formats
from hipport.toolchain.places import Surroundings
from tests.llm.examples import encoders
from tests.llm.models import MODELS, Config, Weights, make_weights, quantized, untied, write_model
from tests.llm.other_models import OTHERS, kept_others, make_others
from tests.llm.reference import logits

PROMPT, STEPS = [1, 17, 254, 99, 3], 64
TOLERANCE = 1e-2
"""Of logits, as a part of the largest: the engine computes in 16 bits."""
ALL = {**MODELS, **OTHERS}
"""The models that are compared."""
_SEED = 3
_SEEDS: Mapping[str, int] = {
    "qwen3_moe, of all": 6,
    "gpt_oss": 4,
    "gemma3": 4,
    "deepseek_v2": 9,
    "deepseek_v2, groups": 4,
    "deepseek_v3": 4,
    "glm4_moe": 7,
}
"""Of models in which, with the usual seed, two tokens or experts are so close that rounding decides between them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The greedy `tokens`, and logits.

    They are those after the prompt without its last token and after all tokens, the latter twice: the engine also takes
    all tokens as one prompt.
    """

    tokens: list[int]
    logits: npt.NDArray[Any]


def main() -> int:
    """Print for each model the error of the logits, and whether the greedy tokens are the same."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", choices=("cpu", "amd", "nvidia"))
    parser.add_argument("--wave-size", type=int, choices=(32, 64))
    parser.add_argument("--weights", choices=PACKED, default=USUAL.weights)
    told = parser.parse_args()
    target, formats = choose_target(Surroundings(), told.target, told.wave_size), Formats(told.weights)
    print(f"{target}, {formats.weights}, transformers {transformers.__version__}, torch {torch.__version__}")
    alike = [_shown(name, target, formats) for name in ALL]
    return 0 if all(alike) else 1


def _shown(name: str, target: Target, formats: Formats) -> bool:
    ours, theirs = of_the_engine(name, target, formats), of_transformers(name, formats)
    apart, same = error(ours.logits, theirs.logits), ours.tokens == theirs.tokens
    print(f"{name}: logits within {apart:.1e} of the largest, {STEPS} greedy tokens {'equal' if same else 'DIFFER'}")
    return apart <= TOLERANCE and same


def of_the_engine(name: str, target: Target, formats: Formats = USUAL) -> Answer:
    """Run the engine on a folder with a random model; return its tokens and logits."""
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), ALL[name], _weights(name), shards=2)
        with (
            open_checkpoint(Path(folder), formats) as model,
            open_engine(model, target, positions=len(PROMPT) + STEPS) as engine,
        ):
            first = engine.prefill(PROMPT[:-1], logits=True)
            made = engine.generate(PROMPT[-1], len(PROMPT) - 1, STEPS)
            _, last = engine.decode([made[-1]], [len(PROMPT) + STEPS - 1], [0], [Sampling()], logits=True)
            engine.reset()
            whole = engine.prefill([*PROMPT, *made], logits=True)
    assert first is not None and last is not None and whole is not None
    return Answer(made, np.stack((first, last[0], whole)))


def of_transformers(name: str, formats: Formats = USUAL) -> Answer:
    """Run transformers on the same model, with the weights as the engine rounds them; return tokens and logits."""
    config, weights = kept(name, formats)
    model = _loaded(config, weights)
    model.generation_config.eos_token_id = None  # 64 tokens, whatever they are
    text = model.generate(torch.tensor([PROMPT]), max_new_tokens=STEPS, do_sample=False)
    with torch.no_grad():
        found = model(text).logits[0].numpy()
    return Answer(text[0, len(PROMPT) :].tolist(), found[[len(PROMPT) - 2, -1, -1]])


def kept(name: str, formats: Formats = USUAL) -> tuple[Config, Weights]:
    """Return a model with its weights as the engine rounds them."""
    config, weights = untied(ALL[name], _weights(name))
    return config, (kept_others if name in OTHERS else quantized)(config, weights, formats)


def _weights(name: str) -> Weights:
    """Return random weights. Tied embeddings are scaled down, or every token would repeat the one before it."""
    weights = (make_others if name in OTHERS else make_weights)(ALL[name], _SEEDS.get(name, _SEED))
    if ALL[name]["tie_word_embeddings"]:
        weights["model.embed_tokens.weight"] *= np.float32(0.02 if ALL[name]["model_type"] == "gemma3_text" else 0.1)
    return weights


def reference_error(name: str) -> float:
    """Return the error of the tests' own reference implementation against transformers."""
    config, weights = kept(name)
    tokens = np.random.default_rng(1).integers(0, config["vocab_size"], 70)
    with torch.no_grad():
        expected = _loaded(config, weights)(torch.tensor(tokens[None])).logits[0].numpy()
    return error(logits(config, weights, tokens.tolist()), expected)


def bert_error() -> float:
    """Return the error of the BERT reference on a small model with masked positions."""
    config = {**bert.CONFIG, **encoders.SMALL, "vocab_size": 100, "max_position_embeddings": 40}
    weights, random = made_up(bert.names(config)), np.random.default_rng(1)
    theirs = _read(transformers.BertModel(transformers.BertConfig(**config)), weights)
    tokens, types, lengths = random.integers(0, 100, (3, 23)), random.integers(0, 2, (3, 23)), np.array([23, 1, 9])
    seen = np.arange(23) < lengths[:, None]
    with torch.no_grad():
        expected = theirs(torch.tensor(tokens), torch.tensor(seen.astype(int)), torch.tensor(types)).last_hidden_state
    return error(encoders.bert(config, weights, tokens, types, lengths)[seen], expected.numpy()[seen])


def vit_error() -> float:
    """Return the error of the ViT reference on a small model."""
    config = {**vit.CONFIG, **encoders.SMALL, "image_size": 32, "patch_size": 8}
    weights = made_up(vit.names(config))
    theirs = _read(transformers.ViTModel(transformers.ViTConfig(**config)), weights)
    images = np.random.default_rng(2).standard_normal((2, 3, 32, 32))
    with torch.no_grad():
        expected = theirs(torch.tensor(images)).last_hidden_state.numpy()
    return error(encoders.vit(config, weights, images), expected)


def error(values: npt.NDArray[Any], expected: npt.NDArray[Any]) -> float:
    """Return the largest difference relative to the largest value."""
    return float(np.abs(values - expected).max() / np.abs(expected).max())


def _loaded(config: Config, weights: Weights) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), config, weights)
        return transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float64, experts_implementation="eager"
        )


def _read(model: Any, weights: Mapping[str, Any]) -> Any:
    """Write weights to a folder and return the transformers model that read them."""
    with tempfile.TemporaryDirectory() as folder:
        model.config.save_pretrained(folder)
        save_file(dict(weights), Path(folder) / "model.safetensors")
        return type(model).from_pretrained(folder, dtype=torch.float64).eval()


if __name__ == "__main__":
    sys.exit(main())
