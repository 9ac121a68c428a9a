"""The chat template of a Hugging Face folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hipport.llm.model.config import read_json
from hipport.llm.text.chat_template import ChatTemplate, compile_template, read_source

_TOKENIZER_CONFIG = "tokenizer_config.json"


def folder_template(folder: Path) -> ChatTemplate | None:
    """Return the folder's chat template, or None if it has none. Raises `HipportError` if the template is broken."""
    path = folder / "chat_template.jinja"
    if path.is_file():
        source = read_source(path)
        return compile_template(source, folder_tokens(folder), str(path))
    told = _tokenizer_config(folder)
    default = _default(told.get("chat_template"))
    return None if default is None else compile_template(default, _tokens(told), str(folder / _TOKENIZER_CONFIG))


def folder_tokens(folder: Path) -> dict[str, str]:
    """Return the folder's special tokens under their template names. Raises `HipportError`."""
    return _tokens(_tokenizer_config(folder))


def _tokenizer_config(folder: Path) -> dict[str, Any]:
    path = folder / _TOKENIZER_CONFIG
    return read_json(path) if path.is_file() else {}


def _tokens(told: Mapping[str, Any]) -> dict[str, str]:
    return {name: text for name, token in told.items() if name.endswith("_token") and (text := _content(token))}


def _content(token: object) -> str:
    """Return the text of a special token, which is given as a string or as an object with a `content` string."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) else ""


def _default(told: object) -> str | None:
    """Return the only template, or the one named `default` in a list."""
    if isinstance(told, list):
        named = (item for item in told if isinstance(item, dict) and item.get("name") == "default")
        told = next((item.get("template") for item in named), None)
    return told if isinstance(told, str) else None
