"""The tokenizer and the chat template of a model, which is a Hugging Face folder or a GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hipport.llm.text.chat_template import ChatTemplate, compile_template, read_source
from hipport.llm.text.folder_template import folder_template, folder_tokens
from hipport.llm.text.tokenizer import TokenizerText, read_tokenizer

if TYPE_CHECKING:
    from hipport.llm.sources.gguf.reader import Gguf


def read_text(model: Path) -> TokenizerText:
    """Return the tokenizer of a model folder or GGUF file. Raises `HipportError`."""
    if model.is_file():
        from hipport.llm.text.gguf_tokenizer import gguf_text

        file = _gguf(model)
        return gguf_text(file.path, file.metadata)
    return read_tokenizer(model)


def read_template(model: Path) -> ChatTemplate | None:
    """Return a model's chat template, or None if it has none. Raises `HipportError` if the template is broken."""
    if model.is_file():
        from hipport.llm.text.gguf_template import gguf_template

        return gguf_template(model, _gguf(model).metadata)
    return folder_template(model)


def read_template_file(path: Path, model: Path | None = None) -> ChatTemplate:
    """Return the template in a file, with the special tokens of `model`. Raises `HipportError`."""
    source = read_source(path)
    return compile_template(source, _special_tokens(model) if model else {}, str(path))


def _special_tokens(model: Path) -> dict[str, str]:
    """Return a model's special tokens under their template names (bos_token, eos_token)."""
    if model.is_file():
        from hipport.llm.text.gguf_template import gguf_tokens

        return gguf_tokens(_gguf(model).metadata)
    return folder_tokens(model)


def _gguf(path: Path) -> Gguf:
    from hipport.llm.sources.gguf.reader import read_gguf

    return read_gguf(path)
