"""Split a Makefile into logical lines.

tree-sitter-make is not used: it has errors in 26 of 137 real Makefiles, at nothing more unusual than `else` followed by
a blank, `~` in a path or `%.o: %.[ch]`. Lines are all that the rules need.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re

_LINE = re.compile(r"(?:[^\\\n]|\\\r?\n|\\.|\\\Z)+|\n", re.DOTALL)
_ASSIGNMENT = re.compile(
    r"[ \t]*(?:(?:export|override|private|define)[ \t]+)*(?:[^\s:=#]+:[ \t]*)?(?P<name>[\w.$(){}-]+)[ \t]*"
    r"(?::::|::|:|\+|\?|!)?=[ \t]*"
)


class Line(Struct, frozen=True):
    """A line with its backslash continuations, without its comment.

    In an assignment, `variable` is the name assigned to, and `start` is where the value begins.
    """

    start: int
    end: int
    variable: str = ""


def logical_lines(text: str) -> Iterator[Line]:
    """Yield the lines that are not empty, in order."""
    for match in _LINE.finditer(text):
        end = _end_without_comment(text, match.start(), match.end())
        assignment = _ASSIGNMENT.match(text, match.start(), end)
        if assignment:
            yield Line(assignment.end(), end, assignment["name"])
        elif text[match.start() : end].strip():
            yield Line(match.start(), end)


def _end_without_comment(text: str, start: int, end: int) -> int:
    """Return the start of a comment, a `#` at the beginning of a word outside quotes, or else `end`."""
    for match in re.finditer(r"\"(?:\\.|[^\"\\])*\"|'[^'\n]*'|\\#|#", text[start:end], re.DOTALL):
        at = start + match.start()
        if match[0] == "#" and (at == start or text[at - 1].isspace() or text[at - 1] == ";"):
            return at
    return end
