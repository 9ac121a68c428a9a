"""Converting tokens to text, in whole characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from hipport.errors import HipportError
from hipport.llm.sources.text import read_text
from hipport.llm.text.tokenizer import NumberText, TokenizerText

BEGIN = 256


def byte_text() -> TokenizerText:
    """A tokenizer of bytes; a whole text begins with a special token."""
    words = {f"<0x{i:02X}>": i for i in range(256)} | {"<s>": BEGIN} | {f"|{i}": i for i in range(257, 300)}
    tokenizer = Tokenizer(models.BPE(words, [], byte_fallback=True))
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", BEGIN)])
    return TokenizerText(tokenizer)


TEXT = byte_text()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd")))
def test_no_half_characters(text: str) -> None:
    decode = TEXT.decoder()
    pieces = [decode(byte) for byte in text.encode()]
    assert "".join(pieces) == text
    assert all(len(piece) <= 1 for piece in pieces)


@given(st.lists(st.integers(0, 299)))
def test_any_tokens_have_a_text(tokens: list[int]) -> None:
    """Bytes that are not UTF-8 change how a tokenizer decodes the bytes before them."""
    words = [token for token in tokens if token > BEGIN]
    text = "".join(TEXT.pieces([*tokens, 257, 258]))
    assert [int(word) for word in re.findall(r"\|(\d+)", text)][-2:] == [257, 258]
    assert len(re.findall(r"\|(257|258)", text)) >= 2
    assert all(f"|{word}" in text for word in words)


def test_bytes_that_are_no_text() -> None:
    assert list(TEXT.pieces([0x42, 0xE2, 299, 0x43])) == ["B", "\ufffd|299", "C"]
    assert "".join(TEXT.pieces([0xFF] * 9 + [299])) == "\ufffd" * 9 + "|299"


@pytest.mark.parametrize("kind", ["metaspace", "byte level"])
def test_blanks_and_characters_of_other_tokenizers(kind: str) -> None:
    tokenizer = Tokenizer(models.BPE(unk_token=None))
    if kind == "metaspace":
        tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    else:
        tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    said = "Once upon a time, 你好 😀 there  was. " * 3
    tokenizer.train_from_iterator([said], trainers.BpeTrainer(vocab_size=330, initial_alphabet=list("你好😀")))
    text = TokenizerText(tokenizer)
    tokens = text.tokens("upon a 😀你 time  was")
    assert len(tokens) > 5
    assert "".join(text.pieces(tokens)) == tokenizer.decode(tokens)


def test_a_character_that_never_ends_is_not_shown() -> None:
    assert "".join(TEXT.pieces("ab€".encode()[:-1])) == "ab"


def test_what_the_model_wants_around_a_text() -> None:
    assert TEXT.tokens("ab") == [BEGIN, 97, 98]
    assert TEXT.tokens("<s>ab", whole=False) == [BEGIN, 97, 98]
    assert list(TEXT.pieces([BEGIN, 97])) == ["a"]


def test_numbers() -> None:
    text = NumberText()
    assert text.tokens("aé") == [97, 195, 169]
    assert list(text.pieces([300, 5])) == ["300 ", "5 "]


def test_tokenizers_that_are_not(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="is missing"):
        read_text(tmp_path)
    (tmp_path / "tokenizer.json").write_text('{"a": 1}')
    with pytest.raises(HipportError, match="is not a valid tokenizer"):
        read_text(tmp_path)
