"""Conversion of text to tokens and back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hipport.errors import HipportError
from hipport.llm.text.decoder import Decoder
from hipport.llm.text.vocabulary import Vocabulary, vocabulary_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MOST_NUMBERS = 1 << 18


class Text(Protocol):
    """A model's tokenizer."""

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """Return the tokens of a text; if `whole`, with the special tokens that the model expects around it."""

    def decoder(self, *, special: bool = False) -> Callable[[int], str]:
        """Return a function that takes tokens one by one and returns the text that each one completes.

        With `special`, special tokens have a text, too.
        """

    def vocabulary(self) -> Vocabulary:
        """Return the bytes of all tokens."""

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of tokens as soon as it is known."""


@dataclass(frozen=True, slots=True)
class TokenizerText:
    """A tokenizer of the package tokenizers."""

    tokenizer: Tokenizer

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """Return the tokens of a text; if `whole`, with the special tokens that the model expects around it."""
        with errors_of_tokenizers("the model's tokenizer cannot encode this text"):
            return list(self.tokenizer.encode(text, add_special_tokens=whole).ids)

    def decoder(self, *, special: bool = False) -> Callable[[int], str]:
        """Return a decoder. A character that is spread over several tokens comes with the last one."""
        return Decoder(self.tokenizer, skip_special=not special)

    def vocabulary(self) -> Vocabulary:
        """Return the bytes of all tokens."""
        return vocabulary_of(self.tokenizer)

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of tokens as soon as it is known."""
        return filter(None, map(self.decoder(), tokens))


@dataclass(frozen=True, slots=True)
class NumberText:
    """A stand-in for random weights, which have no vocabulary: bytes go in as tokens, token numbers come out."""

    def tokens(self, text: str, *, whole: bool = True) -> list[int]:
        """Return the bytes of a text."""
        return list(text.encode(errors="surrogateescape"))

    def decoder(self, *, special: bool = False) -> Callable[[int], str]:
        """Return a function that formats a token as its number."""
        return "{} ".format

    def vocabulary(self) -> Vocabulary:
        """Return the numbers of as many tokens as random weights have at most."""
        return Vocabulary([f"{i} ".encode() for i in range(_MOST_NUMBERS)], frozenset(), self.tokens)

    def pieces(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the tokens' numbers."""
        return map(self.decoder(), tokens)


def read_tokenizer(folder: Path) -> TokenizerText:
    """Return the tokenizer of a Hugging Face folder. Raises `HipportError`."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise HipportError(f"{path} is missing", hint="Create it with transformers: tokenizer.save_pretrained(FOLDER).")
    with errors_of_tokenizers(f"{path} is not a valid tokenizer"):
        return TokenizerText(Tokenizer.from_file(str(path)))


@contextlib.contextmanager
def errors_of_tokenizers(message: str) -> Iterator[None]:
    """Turn errors of the package tokenizers into a HipportError that begins with `message`."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, HipportError):
        raise
    except KeyError as error:
        raise HipportError(f"{message}: {error} is missing") from None
    except BaseException as error:  # a panic of its Rust code is not even an Exception
        raise HipportError(f"{message}: {error}") from None
