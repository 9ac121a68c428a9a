"""A tiny model with a tokenizer of bytes, for tests of what needs text."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from tests.llm.models import MODELS, make_weights, write_model

VOCABULARY = 320
TEMPLATE = (
    "{% if tools %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}Call: <tool_call>{% endif %}"
    "{% for message in messages %}{{ message.role }}: {{ message.content }}{{ '\\n' }}{% endfor %}assistant: "
)


def write_text_model(folder: Path, *, layers: int = 2, seed: int = 4) -> Path:
    """Write a model with random weights whose tokens are bytes, a few words and special tokens."""
    shape = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": layers, "vocab_size": VOCABULARY}
    config = MODELS["llama3"] | shape | {"max_position_embeddings": 1024, "eos_token_id": VOCABULARY - 1}
    config["rope_scaling"] = None
    write_model(folder, config, make_weights(config, seed))
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    return folder


def byte_level_tokenizer() -> Tokenizer:
    """Return a byte-level BPE tokenizer without merges, except for a few."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "r"), ("u", "e"), ("tr", "ue"), ('"', ":"), ("\u0120", "a")]
    words = {name: i for i, name in enumerate([*letters, *(a + b for a, b in merges)])}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    unused = [f"<unused{i}>" for i in range(VOCABULARY - len(words) - 1)]
    tokenizer.add_special_tokens([AddedToken(name, special=True) for name in (*unused, "</s>")])
    return tokenizer
