"""Grammars as the package llguidance takes them, with limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.llm.guided.sizes import MOST, largest_count, patterns_of, written_out

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

Kind: TypeAlias = Literal["json", "regex", "lark"]

LARGEST = 1 << 16
"""Size limit of a grammar in bytes."""

WITHOUT_SPACES: Mapping[str, Any] = {"whitespace_flexible": False}
"""Options for JSON inside of a grammar, as for JSON alone: optional spaces could fill an answer."""

_LIMITS: Mapping[str, Any] = {
    "max_items_in_row": 1000,
    "initial_lexer_fuel": 500_000,
    "step_lexer_fuel": 100_000,
    "step_max_items": 20_000,
    "max_lexer_states": 50_000,
    "max_grammar_size": 200_000,
    "precompute_large_lexemes": False,
    "verbose_errors": False,
}


class GrammarError(HipportError):
    """A grammar is invalid, or too large or complex."""


def check_size(kind: Kind, text: str) -> None:
    """Raise `GrammarError` for grammars that are too large, as written or with repetitions written out."""
    if len(text.encode(errors="replace")) > LARGEST:
        raise GrammarError(f"the grammar is larger than {LARGEST >> 10} KiB")
    patterns = [text]
    if kind == "json":
        try:
            schema = parse_json(text, "the schema")
        except ValueError as error:
            raise GrammarError(f"the schema is not JSON: {error}") from None
        except HipportError as error:
            raise GrammarError(str(error)) from None
        patterns = list(patterns_of(schema))
        if largest_count(schema) > MOST:
            raise GrammarError(f"the schema counts further than {MOST}")
    if any(written_out(pattern) > MOST for pattern in patterns):
        raise GrammarError(f"the grammar has more than {MOST} parts once its repetitions are written out")


def compiled(tokenizer: LLTokenizer, kind: Kind, text: str) -> LLMatcher:
    """Return a matcher at the beginning of an answer. Raises `GrammarError`."""
    from llguidance import LLMatcher, LLParserLimits

    try:
        matcher = LLMatcher(tokenizer, _source(kind, text), log_level=0, limits=LLParserLimits(**_LIMITS))
    except (ValueError, RuntimeError) as error:
        raise GrammarError(f"the grammar is invalid: {first_line(str(error))}") from None
    if matcher.is_error():
        raise GrammarError(f"the grammar is invalid: {first_line(matcher.get_error())}")
    return matcher


def first_line(text: str) -> str:
    """Return the first line of an error, which may go on with the grammar or a trace."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "unknown error")[:300]


def _source(kind: Kind, text: str) -> str:
    from llguidance import LLMatcher

    if kind == "json":
        return LLMatcher.grammar_from_json_schema(text, overrides={"whitespace_flexible": False})
    return LLMatcher.grammar_from_regex(text) if kind == "regex" else LLMatcher.grammar_from_lark(text)
