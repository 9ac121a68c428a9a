"""Tokens become text, whole characters at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, processors

from hipport.errors import HipportError
from hipport.llm.text import NumberText, TokenizerText, read_text

BEGIN = 256


def byte_text() -> TokenizerText:
    """Tokens are bytes; a whole text begins with a token of its own."""
    words = {f"<0x{i:02X}>": i for i in range(256)} | {"<s>": BEGIN}
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
    with pytest.raises(HipportError, match="is no tokenizer"):
        read_text(tmp_path)
