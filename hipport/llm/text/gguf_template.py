"""The chat template in the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hipport.llm.text.chat_template import ChatTemplate, compile_template

_TOKENS = {"bos_token": "bos", "eos_token": "eos", "pad_token": "padding", "unk_token": "unknown"}
"""Template names of special tokens, and GGUF's."""


def gguf_template(path: Path, metadata: Mapping[str, Any]) -> ChatTemplate | None:
    """Return the file's chat template, or None if it has none. Raises `HipportError` if the template is broken."""
    source = metadata.get("tokenizer.chat_template")
    if not isinstance(source, str):
        return None
    return compile_template(source, gguf_tokens(metadata), f"the chat template of {path}")


def gguf_tokens(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the file's special tokens under their template names."""
    told = metadata.get("tokenizer.ggml.tokens")
    words = told if isinstance(told, list) else []
    numbers = {name: metadata.get(f"tokenizer.ggml.{own}_token_id") for name, own in _TOKENS.items()}
    found = {name: words[i] for name, i in numbers.items() if isinstance(i, int) and 0 <= i < len(words)}
    return {name: word for name, word in found.items() if isinstance(word, str)}
