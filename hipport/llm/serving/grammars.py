"""The grammars that requests ask for: formats of the answer, and forced calls of tools."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from hipport.errors import HipportError
from hipport.llm.guided.compiling import Kind
from hipport.llm.guided.grammar import Grammar, Grammars, one_of
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.schema import Common
from hipport.llm.serving.tool_formats import ToolFormat
from hipport.llm.text.tokenizer import Text
from hipport.llm.text.vocabulary import Vocabulary

_ANY_OBJECT = '{"type": "object"}'


class GrammarsOf:
    """Compiles grammars for a model. What takes long is prepared on first use. Usable from any thread."""

    def __init__(self, text: Text, size: int, end_tokens: Sequence[int]) -> None:
        self._text = text
        self._size = size
        self._end_tokens = tuple(end_tokens)
        self._lock = threading.Lock()
        self._known: Vocabulary | None = None
        self._grammars: Grammars | None = None

    def vocabulary(self) -> Vocabulary:
        """Return the texts of the model's tokens. Raises `HipportError` if the tokenizer's are not known."""
        with self._lock:
            if self._known is None:
                self._known = self._text.vocabulary()
            return self._known

    def of(self, asked: Common) -> Grammar | None:
        """Return the grammar that a request asks for. Raises `ApiError`."""
        wanted = _wanted(asked)
        return None if wanted is None else self._compiled(wanted[1], wanted[2], wanted[0])

    def calls(self, form: ToolFormat, functions: Mapping[str, Any], *, parallel: bool) -> Grammar:
        """Return the grammar of answers that are calls of these functions. Raises `ApiError`."""
        try:
            text = form.grammar(functions, self._prepared(), parallel=parallel)
        except HipportError as error:
            raise _refused(error, "tools") from None
        return self._compiled("lark", text, "tools")

    def _compiled(self, kind: Kind, text: str, param: str) -> Grammar:
        try:
            return self._prepared().compile(kind, text)
        except HipportError as error:
            raise _refused(error, param) from None

    def _prepared(self) -> Grammars:
        vocabulary = self.vocabulary()
        with self._lock:
            if self._grammars is None:
                self._grammars = Grammars(vocabulary, self._size, self._end_tokens)
            return self._grammars


def _wanted(asked: Common) -> tuple[str, Kind, str] | None:
    """Return the parameter, the kind and the text of the grammar that a request asks for."""
    form = asked.response_format
    if form and form.json_schema and form.json_schema.schema_ is not None:
        return "response_format", "json", json.dumps(form.json_schema.schema_)
    if form and form.type == "json_object":
        return "response_format", "json", _ANY_OBJECT
    if asked.guided_json is not None:
        return "guided_json", "json", json.dumps(asked.guided_json)
    if asked.guided_regex is not None:
        return "guided_regex", "regex", asked.guided_regex
    if asked.guided_choice is not None:
        return "guided_choice", "lark", one_of(asked.guided_choice)
    return None if asked.guided_grammar is None else ("guided_grammar", "lark", asked.guided_grammar)


def _refused(error: HipportError, param: str) -> ApiError:
    message = f"{param}: {error}" + (f"; {error.hint}" if error.hint else "")
    return ApiError(400, message, param=param)
