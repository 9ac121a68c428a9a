"""The chat template in a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hipport.llm.chat_template import ChatTemplate, compile_template
from hipport.llm.gguf.reader import read_gguf

_TOKENS = {"bos_token": "bos", "eos_token": "eos", "pad_token": "padding", "unk_token": "unknown"}
"""Template names of special tokens, and GGUF's."""


def gguf_template(path: Path) -> ChatTemplate | None:
    """Return the file's chat template, or None if it has none. Raises `HipportError` if the template is broken."""
    metadata = read_gguf(path).metadata
    source = metadata.get("tokenizer.chat_template")
    if not isinstance(source, str):
        return None
    return compile_template(source, _tokens(metadata), f"the chat template of {path}")


def gguf_tokens(path: Path) -> dict[str, str]:
    """Return the file's special tokens under their template names. Raises `HipportError`."""
    return _tokens(read_gguf(path).metadata)


def _tokens(metadata: Mapping[str, Any]) -> dict[str, str]:
    words = metadata.get("tokenizer.ggml.tokens") or []
    numbers = {name: metadata.get(f"tokenizer.ggml.{own}_token_id") for name, own in _TOKENS.items()}
    return {name: words[i] for name, i in numbers.items() if isinstance(i, int) and 0 <= i < len(words)}
