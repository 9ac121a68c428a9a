"""Grammars and JSON schemas that answers must match."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hipport.errors import HipportError
from hipport.llm.guided.compiling import GrammarError, Kind, check_size, compiled, first_line
from hipport.llm.runtime.changes import Mask
from hipport.llm.text.vocabulary import Vocabulary
from hipport.llm.workers.process import Worker

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

SECONDS = 5.0
"""The time in which a trial must build a grammar and match its first bytes, the start of a process included."""

_PROBLEMS: Mapping[str, str] = {
    "time": "the grammar takes too long",
    "memory": "the grammar needs too much memory",
    "ended": "the grammar needs too much memory",
}


class Grammar:
    """A compiled grammar; each answer has a matcher of its own."""

    __slots__ = ("_first", "_words")

    def __init__(self, first: LLMatcher, words: int) -> None:
        self._first = first
        self._words = words

    def matcher(self) -> Matcher:
        """Return a matcher at the beginning of an answer."""
        return Matcher(self._first.deep_copy(), self._words)


class Matcher:
    """Follows an answer token by token. Raises `GrammarError` if the grammar becomes too complex."""

    __slots__ = ("_matcher", "_words")

    def __init__(self, matcher: LLMatcher, words: int) -> None:
        self._matcher = matcher
        self._words = words

    def mask(self) -> Mask:
        """Return the tokens that may come next."""
        mask: Mask = np.zeros(self._words, np.int32)
        found = np.frombuffer(self._matcher.compute_bitmask(), np.int32)
        self._check()
        mask[: len(found)] = found[: self._words]
        return mask

    def took(self, token: int) -> bool:
        """Continue with a token; return whether the answer is complete and cannot be continued."""
        self._matcher.consume_token(token)
        self._check()
        return bool(self._matcher.is_stopped())

    def _check(self) -> None:
        if self._matcher.is_error():
            raise GrammarError(f"the grammar: {first_line(self._matcher.get_error())}")


class Grammars:
    """Compiles grammars for a model's vocabulary, which is prepared on first use. Usable from any thread."""

    def __init__(
        self, vocabulary: Vocabulary, size: int, end_tokens: Sequence[int], *, seconds: float = SECONDS
    ) -> None:
        self._vocabulary = vocabulary
        self._size = size
        self._end_tokens = tuple(end_tokens)
        self._lock = threading.Lock()
        self._tokenizer: LLTokenizer | None = None
        self._trial = Worker("hipport.llm.guided.trial_worker", "grammars", seconds)

    def compile(self, kind: Kind, text: str) -> Grammar:
        """Compile a grammar. Raises `GrammarError`, and `HipportError` if llguidance is not installed."""
        tokenizer = self._prepared()
        check_size(kind, text)
        tried = self._trial.ask({"kind": kind, "text": text})
        if "ok" not in tried:
            raise GrammarError(_PROBLEMS.get(tried["kind"], tried["error"]))
        return Grammar(compiled(tokenizer, kind, text), (self._size + 31) // 32)

    def marker(self, text: str) -> str:
        """Return a text as a part of a Lark grammar: the special token with that text if there is one."""
        for token in self._vocabulary.special:
            if self._vocabulary.pieces[token] == text.encode():
                return f"<[{token}]>"
        return json.dumps(text)

    def _prepared(self) -> LLTokenizer:
        try:
            import llguidance
        except ImportError:
            hint = "pip install 'hipport[guided]'"
            raise HipportError("grammars and JSON schemas need the package llguidance", hint=hint) from None
        if not self._end_tokens:
            raise HipportError("grammars and JSON schemas need a model with an end token")
        with self._lock:
            if self._tokenizer is None:
                wrapped = llguidance.TokenizerWrapper(_Encoder(self._vocabulary, self._size, self._end_tokens[0]))
                self._tokenizer = llguidance.LLTokenizer(wrapped, eos_token=list(self._end_tokens))
        return self._tokenizer


class _Encoder:
    """A vocabulary in the form that llguidance expects."""

    def __init__(self, vocabulary: Vocabulary, size: int, end_token: int) -> None:
        self.eos_token_id = end_token
        self.bos_token_id = None
        self.tokens = list(vocabulary.pieces[:size])
        self.special_token_ids = sorted(token for token in {*vocabulary.special, end_token} if token < len(self.tokens))
        self._encode = vocabulary.encode

    def __call__(self, text: str) -> list[int]:
        if not isinstance(text, str):
            raise TypeError("texts only")
        return self._encode(text)


def one_of(texts: Sequence[str]) -> str:
    """Return a Lark grammar of several texts."""
    return "start: " + " | ".join(json.dumps(text) for text in texts)
