"""Text to tokens and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hipport.errors import HipportError
from hipport.llm.decoder import Decoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Text(Protocol):
    """How a model's tokens are written."""

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """The tokens of a text; of a `whole` one, with those that the model wants around it."""

    def decoder(self) -> Callable[[int], str]:
        """A function that is told tokens one by one, and returns what is known of their text since the last time."""

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """The text of tokens, as soon as it is known."""


@dataclass(frozen=True, slots=True)
class TokenizerText:
    """Text of a model with a `tokenizer.json`."""

    tokenizer: Tokenizer

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """The tokens of a text; of a `whole` one, with those that the model wants around it."""
        return list(self.tokenizer.encode(text, add_special_tokens=whole).ids)

    def decoder(self) -> Callable[[int], str]:
        """Tokens to text. A character that is spread over several comes with its last."""
        return Decoder(self.tokenizer)

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """The text of tokens, as soon as it is known."""
        return filter(None, map(self.decoder(), tokens))


@dataclass(frozen=True, slots=True)
class NumberText:
    """For made-up weights, which have no words: bytes go in as tokens, numbers come out."""

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """The bytes of a text."""
        return list(text.encode(errors="surrogateescape"))

    def decoder(self) -> Callable[[int], str]:
        """Tokens to their numbers."""
        return "{} ".format

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """The tokens' numbers."""
        return map(self.decoder(), tokens)


def read_text(model: Path) -> TokenizerText:
    """The tokenizer of a model, a folder or a GGUF file. Raises `HipportError`."""
    if model.is_file():
        from hipport.llm.gguf.reader import read_gguf
        from hipport.llm.gguf.text import gguf_text

        return gguf_text(read_gguf(model))
    return _folder_text(model / "tokenizer.json")


def _folder_text(path: Path) -> TokenizerText:
    from tokenizers import Tokenizer

    if not path.is_file():
        raise HipportError(f"{path} is missing", hint="transformers writes it: tokenizer.save_pretrained(FOLDER).")
    try:
        return TokenizerText(Tokenizer.from_file(str(path)))
    except Exception as error:  # tokenizers raises nothing more particular
        raise HipportError(f"{path} is no tokenizer: {error}") from None
