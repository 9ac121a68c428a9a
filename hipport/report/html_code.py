"""Render lines of code as HTML: syntax in color, parts marked."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hipport.report.displayable import shown

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Line = Sequence[tuple[str, str]]
"""The parts of a line, each with its CSS class, "" for plain text."""
Span = tuple[int, int]

_LARGEST = 400_000
"""Characters of a file above which it is shown without colors."""
_LONGEST = 1000
"""Characters of a line above which its changed words are not searched for."""
_LEAST_ALIKE = 0.35
"""Similarity of two lines below which marking the words that differ would mark nearly everything."""
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_BUILD_FILES = {".cmake": "CMakeLexer", ".txt": "CMakeLexer", ".py": "PythonLexer", ".mk": "MakefileLexer"}
_CLASSES = (("Comment", "Preproc", "p"), ("Comment", "", "c"), ("Keyword", "", "k"), ("Literal", "String", "s"))
_NUMBER = ("Literal", "Number", "n")


def highlighted(text: str, name: str) -> list[Line]:
    r"""Return the lines of a file, split at `\n` only, as the line numbers of findings are."""
    if len(text) > _LARGEST:
        return [[("", line)] for line in text.split("\n")]
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, value in _lexer(name).get_tokens(text):
        first, *others = value.split("\n")
        lines[-1].append((_class(kind), first))
        lines += [[(_class(kind), part)] for part in others]
    return list(lines)


def code(line: Line, marks: Sequence[Span] = ()) -> str:
    """Return a line as HTML with the given ranges of characters marked."""
    return "".join(_colored(kind, text, marked) for kind, text, marked in _pieces(line, marks))


def changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return the ranges of characters in which two versions of a line differ; none if they have little in common."""
    if max(len(old), len(new)) > _LONGEST:
        return [], []
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return [], []
    steps = [step for step in matcher.get_opcodes() if step[0] != "equal"]
    return [_span(left, a, b) for _, a, b, _, _ in steps if a < b], [_span(right, c, d) for *_, c, d in steps if c < d]


def _span(words: Sequence[str], start: int, end: int) -> Span:
    before = sum(map(len, words[:start]))
    return before, before + sum(map(len, words[start:end]))


def _pieces(line: Line, marks: Sequence[Span]) -> Iterator[tuple[str, str, bool]]:
    """Yield the parts of a line, split where a marked range starts or ends."""
    at = 0
    for kind, text in line:
        end = at + len(text)
        inner = {place for mark in marks for place in mark if at < place < end}
        cuts = [at, *sorted(inner), end]
        for start, stop in itertools.pairwise(cuts):
            if start < stop:
                marked = any(first <= start and stop <= last for first, last in marks)
                yield kind, text[start - at : stop - at], marked
        at = end


def _colored(kind: str, text: str, marked: bool) -> str:
    inner = escape(shown(text))
    inner = f"<span class={kind}>{inner}</span>" if kind else inner
    return f"<mark>{inner}</mark>" if marked else inner


def _lexer(name: str) -> Lexer:
    from pygments import lexers

    path = PurePath(name)
    if path.name.lower() in ("makefile", "gnumakefile"):
        wanted = "MakefileLexer"
    else:
        wanted = _BUILD_FILES.get(path.suffix.lower(), "CudaLexer")
    lexer: Lexer = getattr(lexers, wanted)(stripnl=False, ensurenl=False)
    return lexer


def _class(kind: Any) -> str:
    """Return the CSS class of a token type of Pygments."""
    names = tuple(kind)
    for first, second, name in (*_CLASSES, _NUMBER):
        if names[:1] == (first,) and (not second or second in names[1:]):
            return name
    return ""
