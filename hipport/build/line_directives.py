"""Marks translated text with `#line`, so that compilers speak of the lines of the CUDA source."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Sequence

from hipport.source import SourceFile, Span
from hipport.syntax.lexer import lex

_BRANCH = re.compile(r"[ \t]*#[ \t]*(?:else|elif|elifdef|elifndef|endif)\b")


def with_line_directives(data: bytes, name: str, line_map: Sequence[tuple[int, int]]) -> bytes:
    """The translation with `#line` where its line numbers change against the source called `name`.

    `line_map` has (line of the translation, line of the source) pairs, each true up to the next. A directive is put
    off to the next line where one may stand: outside comments, raw strings and continued lines. Directives inside a
    conditional may be skipped by the compiler, so they are repeated after its branches. The result has no byte order
    mark, which could not stand behind the first directive.
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
    """The lines of text with their ends; only a line feed ends one."""
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _source_line(number: int, line_map: Sequence[tuple[int, int]]) -> int:
    output, source = line_map[bisect.bisect_right(line_map, (number, 1 << 62)) - 1]
    return max(1, source + number - output)


def _safe_lines(lines: list[bytes], code: str, comments: Iterable[Span]) -> set[int]:
    """Numbers of the lines in front of which a directive may stand."""
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
            and code[starts[number - 1] - 1] == "\n"  # in a raw string the lexer blanks line ends too
            and not lines[number - 2].rstrip(b"\r\n").endswith(b"\\")
        )
    }


def _inside_comments(starts: list[int], comments: Iterable[Span]) -> Iterator[int]:
    for comment in comments:
        first = bisect.bisect_right(starts, comment.start)
        last = bisect.bisect_left(starts, comment.end)
        yield from range(first + 1, last + 1)


def _put_off(wanted: list[int], safe: set[int], count: int) -> Iterator[int]:
    """Each wanted line, or the next safe one after it."""
    for number in wanted:
        while number <= count and number not in safe:
            number += 1
        if number <= count:
            yield number
