"""Numbers of characters in the messages of assertions: `static_assert(ok, "\\033[1mno")`.

nvcc and GCC take them; Clang 17 and newer, ROCm's since 6.0, reject them, since nothing evaluates such a string.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, skip_blanks, split_arguments
from hipport.translate.work import Work

_NAMES = frozenset({"static_assert", "_Static_assert"})
_LITERAL = re.compile(rb'(?<![\w"\\])(?:u8|[uUL])?"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:((?:033|x1[bB]|e)\[[0-9;]*m|x[0-9A-Fa-f]+|[0-7]{1,3}|e)|.)", re.DOTALL)
"""Matches a number, with what makes it a command to a terminal, or another escape sequence."""
WORDS = (_NAMES,)


def run(work: Work) -> Iterator[Edit]:
    """Remove them from the literals of the message, in macros, too."""
    code, text = work.unit.code, work.unit.source.text
    if is_hip(work):
        return
    for name, offset in work.unit.occurrences(_NAMES):
        opening = skip_blanks(code, offset + len(name))
        close = matching_close(code, opening) if code.startswith("(", opening) else None
        arguments = split_arguments(code, opening + 1, close) if close is not None else []
        for literal in _LITERAL.finditer(text, arguments[-1].start, arguments[-1].end) if arguments[1:] else ():
            for match in _ESCAPE.finditer(text, literal.start(), literal.end()):
                if match[1] is not None:
                    yield Replace(match.start(), match.end(), "")
