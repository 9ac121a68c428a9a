"""Write the comment that silences a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.lsp.text import Text
from hipport.source import SourceFile
from hipport.translate.suppression import IGNORE, silenced
from hipport.translate.syntax.lexer import Lexed, lex

_SPACE = re.compile(r"[\s\\]+")
_IGNORE = re.compile(IGNORE.pattern.decode())


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to insert at an offset, in characters."""

    offset: int
    text: str


def silencing(text: Text, line: int, code: str) -> Insertion | None:
    """Return the insertion that silences `code` at a line (from 1); None if no comment can do that.

    The first candidate counts that has the effect and leaves the code as it is: the end of a line may be in a raw
    string, and a comment there may end a macro.
    """
    _, before = _lexed(text.data)
    for candidate, moved in _candidates(text, line, code):
        content = text.content[: candidate.offset] + candidate.text + text.content[candidate.offset :]
        source, after = _lexed(Text(content).data)
        if code in silenced(source, after).get(line + moved, ()) and _code(before) == _code(after):
            return candidate
    return None


def _lexed(data: bytes) -> tuple[SourceFile, Lexed]:
    source = SourceFile.decode(data, "")
    return source, lex(source.text.decode("latin-1"))


def _code(lexed: Lexed) -> str:
    return _SPACE.sub("", lexed.code)


def _candidates(text: Text, line: int, code: str) -> Iterator[tuple[Insertion, int]]:
    """Yield insertions, each with the number of lines by which it moves the finding."""
    start, end = text.line_start(line), text.line_end(line)
    here = text.content[start:end]
    for known in _IGNORE.finditer(here):
        yield Insertion(start + known.end(1), f", {code}"), 0
    continued = here.endswith("\\")
    if continued:
        yield Insertion(end - 1, f"/* hipport: ignore[{code}] */ "), 0
    else:
        yield Insertion(end, f"  // hipport: ignore[{code}]"), 0
    newline = "\r\n" if text.content[end : end + 2] == "\r\n" else "\n"
    indent = here[: len(here) - len(here.lstrip())]
    if line > 1 and text.content[: text.line_end(line - 1)].endswith("\\"):
        yield Insertion(start, f"{indent}/* hipport: ignore[{code}] */ \\{newline}"), 1
    else:
        yield Insertion(start, f"{indent}// hipport: ignore[{code}]{newline}"), 1
