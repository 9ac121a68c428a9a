"""Tokenizers in GGUF files give the same tokens as the tokenizers from which they were made."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from gguf import TokenType
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from hipport.errors import HipportError
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.sources.text import read_template, read_template_file
from hipport.llm.text.tokenizer import Text
from tests.llm.gguf_files import F16, matrices, vocabulary, write_gguf
from tests.llm.models import MODELS, make_weights

LLAMA = MODELS["llama3"]
LINES = [
    line
    for name in ("README.md", "CONTRIBUTING.md", "docs/llm.md")
    for line in (Path(__file__).parents[3] / name).read_text().splitlines()
    if line.strip()
]
TEXTS = [
    "Hello world",
    "  two  spaces ",
    "naïve Ω 漢字 \U0001f600",
    "a\nb\t1234567",
    "don't DON'T",
    "x" * 30,
    *LINES[:60],
]
BEGIN, END, SYSTEM = "<|begin|>", "<|end|>", "<|system|>"


def opened(path: Path, **metadata: Any) -> Text:
    write_gguf(path, LLAMA, make_weights(LLAMA, 1), matrices(F16), **metadata)
    with open_checkpoint(path) as model:
        return model.source.text()


@pytest.fixture(scope="module")
def sentences() -> sentencepiece.SentencePieceProcessor:
    """A tokenizer like that of Llama 2 and Mistral."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=made,
        model_type="bpe",
        vocab_size=500,
        byte_fallback=True,
        character_coverage=0.99,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        user_defined_symbols=[SYSTEM],
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())


def sentencepiece_metadata(own: sentencepiece.SentencePieceProcessor) -> dict[str, Any]:
    words = [own.id_to_piece(i) for i in range(own.vocab_size())]
    types = {"<unk>": TokenType.UNKNOWN, "<s>": TokenType.CONTROL, "</s>": TokenType.CONTROL}
    types |= {SYSTEM: TokenType.USER_DEFINED} | {f"<0x{i:02X}>": TokenType.BYTE for i in range(256)}
    return vocabulary(words, types) | {
        "tokenizer__ggml__model": "llama",
        "tokenizer__ggml__scores": [own.get_score(i) for i in range(own.vocab_size())],
        "tokenizer__ggml__bos_token_id": 1,
    }


def test_a_sentencepiece_vocabulary(sentences: sentencepiece.SentencePieceProcessor, tmp_path: Path) -> None:
    text = opened(tmp_path / "model.gguf", **sentencepiece_metadata(sentences))
    for sentence in TEXTS:
        assert text.tokens(sentence) == [1, *sentences.encode(sentence)]
        assert "".join(text.pieces(text.tokens(sentence))) == sentence
    system = sentences.piece_to_id(SYSTEM)
    assert text.tokens(f"{SYSTEM}Hi", whole=False)[0] == system
    assert "".join(text.pieces([1, 2, system, *sentences.encode("Hi")])) == f"{SYSTEM} Hi"


def test_no_token_to_begin_with_where_the_file_says_so(
    sentences: sentencepiece.SentencePieceProcessor, tmp_path: Path
) -> None:
    told = sentencepiece_metadata(sentences) | {"tokenizer__ggml__add_bos_token": False}
    assert opened(tmp_path / "model.gguf", **told).tokens("Hi there") == sentences.encode("Hi there")


def trained() -> Tokenizer:
    """A byte-level tokenizer like that of GPT-2."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=498, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.add_special_tokens([BEGIN, END])
    return tokenizer


def byte_metadata(own: Tokenizer, tmp_path: Path) -> dict[str, Any]:
    words = sorted(own.get_vocab(), key=own.token_to_id)
    types = {BEGIN: TokenType.CONTROL, END: TokenType.CONTROL}
    own.model.save(str(tmp_path))
    merges = (tmp_path / "merges.txt").read_text().splitlines()[1:]
    begin = {"tokenizer__ggml__bos_token_id": own.token_to_id(BEGIN)}
    return vocabulary(words, types) | begin | {"tokenizer__ggml__model": "gpt2", "tokenizer__ggml__merges": merges}


def test_a_vocabulary_of_bytes(tmp_path: Path) -> None:
    own = trained()
    text = opened(tmp_path / "model.gguf", **byte_metadata(own, tmp_path), tokenizer__ggml__pre="gpt-2")
    for sentence in [*TEXTS, f"{BEGIN}Hi{END}"]:
        assert text.tokens(sentence) == own.encode(sentence).ids
        assert "".join(text.pieces(text.tokens(sentence))) == own.decode(own.encode(sentence).ids)


@pytest.mark.parametrize(
    ("name", "parts", "begins"),
    [
        ("deepseek-v3", ["Don", "'t", " pay", " ", "123", "45", ".\n\n", "\t", "\tx", "!!"], True),
        ("deepseek-v3", ["日本", "(foo", " ", "1", "は", "."], True),
        ("llama-bpe", ["Don", "'t", " pay", " ", "123", "45", ".\n\n", "\t", "\tx", "!!"], True),
        ("qwen2", ["Don", "'t", " pay", " ", "1", "2", "3", "4", "5", ".\n\n", "\t", "\tx", "!!"], False),
        ("gpt-2", ["Don", "'t", " pay", " 12345", ".", "\n\n\t", "\t", "x", "!!"], False),
        ("smollm", ["Don", "'t", " pay", " ", "1", "2", "3", "4", "5", ".", "\n\n\t", "\t", "x", "!!"], False),
        ("glm4", ["Don", "'t", " pay", " ", "123", "45", ".\n\n", "\t", "\tx", "!!"], False),
        ("tekken", ["Hello", "World", " don", "'t", " HTTPServer", "X", " ", "1", "2", " a", "/b", "://\n"], True),
        ("gpt-4o", ["Hello", "World", " don't", " HTTPServer", " ", "123", "4", "../\n", "\t", "\tx"], False),
        ("kimi-k2", ["Hello", "World", "don't", "日本", "は", "カナ", "x", " ", "123", "4", "..\n", "/"], False),
        ("seed-coder", ["Don", "'t", " ", "1", "2", "...", "\n\n", "x"], False),
        ("deepseek-llm", ["Don", "'", "t", " Ωέγα", " ", "1", "2", ".,", "\n", " ,", "日本", "  "], False),
        ("deepseek-coder", ["Don", "'", "t", " Ωmega", "1", "2", ".,", "\n", " ,", "日本", "+"], False),
    ],
)
def test_how_texts_are_divided(name: str, parts: list[str], begins: bool, tmp_path: Path) -> None:
    """Without merges a part has one token per byte; if all parts are words, a part is one token."""
    own, text = trained(), "".join(parts)
    told = byte_metadata(own, tmp_path)
    letters = {part: own.pre_tokenizer.pre_tokenize_str(part) for part in parts}
    words = ["".join(piece for piece, _ in letters[part]) for part in parts]
    known = list(dict.fromkeys([*pre_tokenizers.ByteLevel.alphabet(), *words, *_beginnings(words), BEGIN]))
    told |= vocabulary(known, {BEGIN: TokenType.CONTROL})
    told["tokenizer__ggml__merges"] = [f"{word[:i]} {word[i]}" for word in words for i in range(1, len(word))]
    told["tokenizer__ggml__bos_token_id"] = known.index(BEGIN)
    found = opened(tmp_path / "model.gguf", **told, tokenizer__ggml__pre=name).tokens(text)
    assert found == [known.index(word) for word in ([BEGIN] if begins else []) + words]


def _beginnings(words: list[str]) -> list[str]:
    return [word[:i] for word in words for i in range(1, len(word))]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tokenizer__ggml__model": "rwkv"}, "a tokenizer 'rwkv' is not supported"),
        ({"tokenizer__ggml__model": None}, "a tokenizer None is not supported"),
        ({"tokenizer__ggml__pre": "unheard-of"}, "'unheard-of', which is not supported"),
        ({"tokenizer__ggml__tokens": None}, "invalid tokenizer"),
        ({"tokenizer__ggml__token_type": [1, 1]}, "invalid tokenizer"),
        ({"tokenizer__ggml__merges": ["a"]}, "invalid tokenizer"),
        ({"tokenizer__ggml__merges": ["a nowhere"]}, "invalid tokenizer"),
        ({"tokenizer__ggml__add_bos_token": True, "tokenizer__ggml__bos_token_id": 9999}, "invalid tokenizer"),
    ],
)
def test_broken_tokenizers(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    told = byte_metadata(trained(), tmp_path) | changes
    with pytest.raises(HipportError, match=said) as caught:
        opened(tmp_path / "model.gguf", **told)
    assert "model.gguf" in str(caught.value)


def test_the_chat_template(tmp_path: Path) -> None:
    own = trained()
    told = byte_metadata(own, tmp_path) | {"tokenizer__ggml__eos_token_id": own.token_to_id(END)}
    said = "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}"
    for source in (None, said):
        opened(tmp_path / "model.gguf", **told, tokenizer__chat_template=source)
        template = read_template(tmp_path / "model.gguf")
        assert (template is None) == (source is None)
    assert template is not None
    assert template.render([{"role": "user", "content": "Hi"}]) == f"{BEGIN}user: Hi{END}"
    (tmp_path / "other").write_text("{{ bos_token }}other{{ eos_token }}")
    assert read_template_file(tmp_path / "other", tmp_path / "model.gguf").render([]) == f"{BEGIN}other{END}"
