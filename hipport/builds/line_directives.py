"""Add `#line` directives to translated text, so that compilers report lines of the CUDA source."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence

from hipport.source import SourceFile, Span
from hipport.translate.syntax.lexer import lex

_BRANCH = re.compile(r"[ \t]*#[ \t]*(?:else|elif|elifdef|elifndef|endif)\b")


def with_line_directives(data: bytes, name: str, line_map: Sequence[tuple[int, int]]) -> bytes:
    """Return the translation with `#line` where its line numbers diverge from the source called `name`.

    `line_map` has (line of the translation, line of the source) pairs, each valid up to the next. A directive is
    deferred to the next line where one is allowed: outside comments, raw strings and continued lines. The compiler
    may skip directives inside a conditional, so they are repeated after its branches. The result has no byte order
    mark, which is not allowed after the first directive.
    """
    text = SourceFile.decode(data, name).text
    lexed = lex(text.decode("latin-1"))
    lines = _lines(text)
    code = _lines(lexed.code.encode("latin-1"))
    safe = _safe_lines(lines, lexed.code, lexed.comments)
    wanted = {line for line, _ in line_map[1:]}
    if wanted:
        wanted |= {number + 1 for number, line in enumerate(code, 1) if _BRANCH.match(line.decode("latin-1"))}
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').encode(errors="surrogateescape")
    pieces = [b'#line 1 "%s"\n' % quoted]
    marks = set(_put_off(sorted(wanted), safe, len(lines)))
    for number, line in enumerate(lines, 1):
        if number in marks:
            pieces.append(b'#line %d "%s"\n' % (_source_line(number, line_map), quoted))
        pieces.append(line)
    return b"".join(pieces)


def _lines(text: bytes) -> list[bytes]:
    """Return the lines of text with their ends; only a line feed ends a line."""
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _source_line(number: int, line_map: Sequence[tuple[int, int]]) -> int:
    output, source = line_map[bisect.bisect_right(line_map, (number, 1 << 62)) - 1]
    return max(1, source + number - output)


def _safe_lines(lines: list[bytes], code: str, comments: Iterable[Span]) -> set[int]:
    """Return the numbers of the lines that a directive may precede."""
    starts: list[int] = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    inside = set(_inside_comments(starts, comments))
    return {
        number
        for number in range(1, len(lines) + 1)
        if number == 1
        or (
            number not in inside
            and code[starts[number - 1] - 1] == "\n"  # the lexer also blanks line ends in raw strings
            and not lines[number - 2].rstrip(b"\r\n").endswith(b"\\")
        )
    }


def _inside_comments(starts: list[int], comments: Iterable[Span]) -> Iterator[int]:
    for comment in comments:
        first = bisect.bisect_right(starts, comment.start)
        last = bisect.bisect_left(starts, comment.end)
        yield from range(first + 1, last + 1)


def _put_off(wanted: list[int], safe: set[int], count: int) -> Iterator[int]:
    """Yield each wanted line, or the next safe line after it."""
    for number in wanted:
        while number <= count and number not in safe:
            number += 1
        if number <= count:
            yield number
