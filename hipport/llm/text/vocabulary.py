"""The bytes that each token of a vocabulary stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hipport.errors import HipportError
from hipport.files.documents import parse_json

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SPACE = "\u2581"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """By token: the bytes of its text. `special`: tokens without a text. `encode` returns the tokens of a text."""

    pieces: Sequence[bytes]
    special: frozenset[int]
    encode: Callable[[str], list[int]]


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """Return the vocabulary of a tokenizer of the package tokenizers. Raises `HipportError` for unknown decoders."""
    parts = _decoders(parse_json(tokenizer.to_str(), "the model's tokenizer").get("decoder"))
    bytes_of = (
        _byte_level() if "ByteLevel" in parts else _sentence_piece if parts & {"ByteFallback", "Metaspace"} else None
    )
    if bytes_of is None:
        raise HipportError(f"the tokenizer's decoder is not supported here: {', '.join(sorted(parts)) or 'none'}")
    added = tokenizer.get_added_tokens_decoder()
    pieces = []
    for number in range(tokenizer.get_vocab_size(with_added_tokens=True)):
        name = tokenizer.id_to_token(number)
        pieces.append(b"" if name is None else name.encode() if number in added else bytes_of(name))
    special = frozenset(number for number, token in added.items() if token.special)
    return Vocabulary(pieces, special, lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids))


def _decoders(decoder: Any) -> set[str]:
    if not isinstance(decoder, dict):
        return set()
    inner = [part.get("type") for part in decoder.get("decoders", []) if isinstance(part, dict)]
    return {str(kind) for kind in (decoder.get("type"), *inner)}


def _sentence_piece(name: str) -> bytes:
    byte = _BYTE.fullmatch(name)
    return bytes([int(byte[1], 16)]) if byte else name.replace(_SPACE, " ").encode()


def _byte_level() -> Callable[[str], bytes]:
    """Return the inverse of GPT-2's table of printable characters for bytes."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}
    return lambda name: bytes(table[each] for each in name) if set(name) <= table.keys() else name.encode()
