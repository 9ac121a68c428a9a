"""Grammars over a vocabulary of bytes, and grammars that try to take much time or memory."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.llm.guided.compiling import GrammarError, Kind, check_size
from hipport.llm.guided.grammar import Grammars
from hipport.llm.guided.sizes import written_out
from hipport.llm.text.vocabulary import Vocabulary

END = 256
PIECES = [*(bytes([i]) for i in range(256)), b"</s>", b"ab", b'{"', b"true"]


@pytest.fixture(scope="module")
def grammars() -> Grammars:
    return Grammars(Vocabulary(PIECES, frozenset({END}), lambda text: list(text.encode())), 300, (END,))


def written(grammars: Grammars, kind: Kind, text: str, seed: int, most: int = 400) -> bytes | None:
    """Return a random text that matches, or None if it does not end."""
    matcher, chance = grammars.compile(kind, text).matcher(), np.random.default_rng(seed)
    found = b""
    for _ in range(most):
        allowed = np.flatnonzero(np.unpackbits(matcher.mask().view(np.uint8), bitorder="little"))
        assert len(allowed), "some token may always come"
        token = int(chance.choice(allowed))
        if token == END:
            return found
        found += PIECES[token]
        if matcher.took(token):
            return found
    return None


SCHEMAS: list[Any] = [
    {"type": "object", "properties": {"a": {"enum": ["x", 5, None]}, "b": {"type": "boolean"}}, "required": ["a"]},
    {"type": "array", "items": {"type": "integer", "minimum": -3, "maximum": 300}, "maxItems": 4},
    {"anyOf": [{"type": "null"}, {"type": "string", "pattern": "^[a-f]{2,8}$"}, {"const": {"k": [1, 2]}}]},
    {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}, "maxItems": 1}}, "$ref": "#/$defs/t"},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_what_matches_a_schema_is_valid(grammars: Grammars, schema: Any) -> None:
    import jsonschema

    ended = 0
    for seed in range(12):
        text = written(grammars, "json", json.dumps(schema | {"additionalProperties": False}), seed)
        if text is not None:
            jsonschema.validate(json.loads(text), schema)
            ended += 1
    assert ended > 6


def test_matchers_of_one_grammar_do_not_disturb_each_other(grammars: Grammars) -> None:
    grammar = grammars.compile("regex", "ab|ba")
    first, second = grammar.matcher(), grammar.matcher()
    assert not first.took(ord("a"))
    assert not second.took(ord("b"))
    assert first.took(ord("b"))
    assert second.took(ord("a"))
    with pytest.raises(GrammarError):
        grammar.matcher().took(ord("c"))


def nested(depth: int) -> Any:
    found: Any = {"type": "string"}
    for _ in range(depth):
        found = {"type": "array", "items": found}
    return found


def chained(count: int, word: str) -> Any:
    """A schema that grows exponentially where references are written out."""
    parts: Any = {f"d{i}": {word: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": parts | {f"d{count}": {"type": "null"}}}


BOMBS: list[tuple[Kind, str]] = [
    ("regex", "(a{1000}){1000}"),
    ("regex", "((((a{30}){30}){30}){30}){30}"),
    ("regex", "(" * 5000 + "a" + ")" * 5000),
    ("regex", "a{99999999999999999999}"),
    ("regex", "([ab]*a[ab]{300}){9}c"),
    ("regex", "(.*a){25}[b-z]*(.*c){25}"),
    ("regex", "|".join(f"[a-z]*{i}[a-z]*" for i in range(400))),
    ("lark", 'start: a\na: a a | "x"'),
    ("lark", 'start: "x"{100000}'),
    ("lark", "start: " + '("a" | ' * 3000 + '"b"' + ")" * 3000),
    ("lark", "start: x\n" + "\n".join(f"{chr(97 + i)}: {chr(98 + i)} {chr(98 + i)}" for i in range(25)) + '\nz: "q"'),
    ("json", json.dumps(nested(90))),
    ("json", json.dumps(nested(45))),
    ("json", json.dumps({"type": "array", "minItems": 100000, "items": {"type": "integer"}})),
    ("json", json.dumps({"type": "string", "minLength": 50000})),
    ("json", json.dumps({"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"})),
    ("json", json.dumps(chained(60, "anyOf"))),
    ("json", json.dumps(chained(40, "allOf"))),
    ("json", '{"$ref": "#"}'),
    ("json", json.dumps({"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(2000)}})),
]


@pytest.mark.parametrize(("kind", "text"), BOMBS, ids=range(len(BOMBS)))
def test_bombs_are_refused_or_harmless(grammars: Grammars, kind: Kind, text: str) -> None:
    started = time.process_time()
    try:
        written(grammars, kind, text, 1, most=12)
    except GrammarError as error:
        assert len(str(error)) < 500
    assert time.process_time() - started < 5


@pytest.mark.slow
def test_a_trial_that_takes_too_long_is_ended() -> None:
    vocabulary = Vocabulary(PIECES, frozenset({END}), lambda text: list(text.encode()))
    with pytest.raises(GrammarError, match="takes too long"):
        Grammars(vocabulary, 300, (END,), seconds=0.01).compile("regex", "a+")


def test_what_grammars_need() -> None:
    with pytest.raises(HipportError, match="a model with an end token"):
        Grammars(Vocabulary(PIECES, frozenset(), list), 300, ()).compile("regex", "a")


def test_a_marker_is_a_token_if_there_is_one(grammars: Grammars) -> None:
    assert (grammars.marker("</s>"), grammars.marker("<x>")) == ("<[256]>", '"<x>"')


@pytest.mark.parametrize(
    ("pattern", "size"),
    [("abc", 3), ("a{3}", 3), ("(ab){2,5}", 15), ("(a{10}){10}", 110), ("[a-z]{4}", 4), (r"\(\{", 2), ("a{}", 2)],
)
def test_sizes_with_repetitions_written_out(pattern: str, size: int) -> None:
    assert written_out(pattern) == size


@given(st.text(alphabet="ab(){}[]\\,123|*", max_size=40))
def test_any_pattern_has_a_size(pattern: str) -> None:
    assert written_out(pattern) >= 0
    for kind in ("json", "regex", "lark"):
        try:
            check_size(kind, pattern)  # type: ignore[arg-type]
        except GrammarError as error:
            assert re.search("JSON|written out", str(error))
