"""Builds a tokenizer of the package tokenizers from the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from hipport.errors import HipportError
from hipport.llm.text.splittings import SPLITTINGS
from hipport.llm.text.tokenizer import TokenizerText, errors_of_tokenizers

_UNKNOWN, _CONTROL, _USER_DEFINED = 2, 3, 4
"""GGUF's token types."""
_SPACE = "▁"
_LONGEST = 1000
"""Characters of a word that other words merge to; the time to find those grows with the square of its length."""


def gguf_text(path: Path, metadata: Mapping[str, Any]) -> TokenizerText:
    """Return the tokenizer of a file. Raises `HipportError` if it is missing, unsupported or broken."""
    kind = metadata.get("tokenizer.ggml.model")
    make = {"llama": _sentencepiece, "gpt2": _byte_level}.get(str(kind))
    if make is None:
        raise HipportError(f"{path}: a tokenizer {kind!r} is not supported", hint="Supported: llama and gpt2.")
    try:
        with errors_of_tokenizers("invalid tokenizer"):
            words = _Words.read(metadata)
            tokenizer, begins = make(metadata, words)
            _add_special(tokenizer, words)
            if metadata.get("tokenizer.ggml.add_bos_token", begins):
                _begin(tokenizer, words.words, metadata["tokenizer.ggml.bos_token_id"])
    except HipportError as error:
        raise HipportError(f"{path}: {error}", hint=error.hint) from None
    return TokenizerText(tokenizer)


@dataclass(frozen=True, slots=True)
class _Words:
    """A vocabulary: the text and type of each token."""

    words: Sequence[str]
    types: Sequence[int]

    @classmethod
    def read(cls, metadata: Mapping[str, Any]) -> _Words:
        words = metadata["tokenizer.ggml.tokens"]
        return cls(words, metadata.get("tokenizer.ggml.token_type", [1] * len(words)))

    @property
    def tokens(self) -> dict[str, int]:
        return {word: token for token, word in enumerate(self.words)}

    def of(self, *types: int) -> list[str]:
        return [word for word, kind in zip(self.words, self.types, strict=True) if kind in types]


def _sentencepiece(metadata: Mapping[str, Any], words: _Words) -> tuple[Tokenizer, bool]:
    """Build a SentencePiece tokenizer: merges with the highest score first; unknown characters become bytes."""
    merges = _merges(words.tokens, metadata["tokenizer.ggml.scores"])
    unknown = next(iter(words.of(_UNKNOWN)), None)
    tokenizer = Tokenizer(models.BPE(words.tokens, merges, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    prefix = metadata.get("tokenizer.ggml.add_space_prefix", True)
    before = [normalizers.Prepend(_SPACE)] if prefix else []
    tokenizer.normalizer = normalizers.Sequence([*before, normalizers.Replace(" ", _SPACE)])
    after = [decoders.Strip(" ", 1, 0)] if prefix else []
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *after]
    )
    return tokenizer, True


def _merges(tokens: Mapping[str, int], scores: Sequence[float]) -> list[tuple[str, str]]:
    """Return all pairs of words that concatenate to a word, the word with the highest score first."""
    ranked = sorted((word for word in tokens if len(word) <= _LONGEST), key=lambda word: -scores[tokens[word]])
    return [
        (word[:i], word[i:])
        for word in ranked
        for i in range(1, len(word))
        if word[:i] in tokens and word[i:] in tokens
    ]


def _byte_level(metadata: Mapping[str, Any], words: _Words) -> tuple[Tokenizer, bool]:
    """Build a byte-level BPE tokenizer, which merges bytes, written as letters, in the file's order."""
    name = metadata.get("tokenizer.ggml.pre", "default")
    if name not in SPLITTINGS:
        raise HipportError(
            f"texts are split by {name!r}, which is not supported", hint=f"Supported: {', '.join(sorted(SPLITTINGS))}."
        )
    splitting = SPLITTINGS[name]
    merges = [_pair(merge) for merge in metadata["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(words.tokens, merges, ignore_merges=splitting.whole))
    if splitting.composed:
        tokenizer.normalizer = normalizers.NFC()
    patterns = (*splitting.before, splitting.pattern)
    split = [pre_tokenizers.Split(Regex(pattern), behavior="isolated") for pattern in patterns]
    bytes_to_letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*split, bytes_to_letters])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, splitting.begins


def _pair(merge: str) -> tuple[str, str]:
    first, second = merge.split(" ")
    return first, second


def _add_special(tokenizer: Tokenizer, words: _Words) -> None:
    """Add the tokens that are matched before any merging. Control tokens are omitted from decoded text."""
    tokenizer.add_special_tokens([AddedToken(word, normalized=False) for word in words.of(_CONTROL, _UNKNOWN)])
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in words.of(_USER_DEFINED)])


def _begin(tokenizer: Tokenizer, words: Sequence[str], token: int) -> None:
    word = words[token]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=[word, "$A"], pair=[word, "$A", word, "$B"], special_tokens=[(word, token)]
    )
