"""Split command lines and lists into words, and make edits that replace them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Replace

_PIECE = re.compile(r"""\\\r?\n|\s+|\\.|"(?:\\.|[^"\\])*"|'[^']*'|\$[({]|[(){}]|[^\s\\"'$(){}]+|.""", re.DOTALL)


class Word(Struct, frozen=True):
    """A word with its range; `text` is without the surrounding quotes."""

    start: int
    end: int
    text: str


class Notation(Struct, frozen=True):
    """The spelling of a list: the separator between the parts that replace a word, and the quote around each."""

    separator: str = " "
    quote: str = ""

    def spell(self, parts: Sequence[str]) -> str:
        """Return the text for several words."""
        return self.separator.join(f"{self.quote}{part}{self.quote}" for part in parts)


SHELL = Notation()


class Change(Struct, frozen=True):
    """Replace words `first` to `last` with `parts`, or remove them if there are none."""

    first: int
    last: int
    parts: tuple[str, ...]


def shell_words(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield the words of a shell command or of a make variable's value; `$(f a b)` is one word."""
    begin, depth = -1, 0
    for match in _PIECE.finditer(text, start, end):
        piece = match[0]
        blank = piece.isspace() or piece in ("\\\n", "\\\r\n")
        if blank and depth == 0:
            if begin >= 0:
                yield _word(text, begin, match.start())
            begin = -1
            continue
        if begin < 0 and not blank:
            begin = match.start()
        if piece in ("$(", "${", "("):
            depth += 1
        elif piece in (")", "}") and depth > 0:
            depth -= 1
    if begin >= 0:
        yield _word(text, begin, end)


def _word(text: str, start: int, end: int) -> Word:
    raw = text[start:end]
    quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" and raw[0] not in raw[1:-1]
    return Word(start, end, raw[1:-1] if quoted else raw)


def edits(
    text: str, words: Sequence[Word], changes: Mapping[int, Change], notation: Notation = SHELL
) -> Iterator[Replace]:
    """Yield the edits for changes, keyed by the index of their first word; removals include the preceding blanks."""
    index = 0
    while index < len(words):
        change = changes.get(index)
        if change is None:
            index += 1
            continue
        if change.parts:
            yield Replace(words[index].start, words[change.last].end, notation.spell(change.parts))
            index = change.last + 1
            continue
        last = _end_of_run(text, words, changes, index)
        start, end = _room(text, words, index, last)
        yield Replace(start, end, "")
        index = last + 1


def _end_of_run(text: str, words: Sequence[Word], changes: Mapping[int, Change], index: int) -> int:
    """Return the last word of a run of removed words with only separators in between: what else is there stays."""
    last = changes[index].last
    while is_followed(text, words, last) and last + 1 in changes and not changes[last + 1].parts:
        last = changes[last + 1].last
    return last


def _room(text: str, words: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    """Return the range to remove with words `first` to `last`: they and their separator, unless that has a comment."""
    if first > 0 and _is_separator(text[words[first - 1].end : words[first].start]):
        return words[first - 1].end, words[last].end
    if first == 0 and last + 1 < len(words) and _is_separator(text[words[last].end : words[last + 1].start]):
        return words[first].start, words[last + 1].start
    return words[first].start, words[last].end


def is_followed(text: str, words: Sequence[Word], index: int) -> bool:
    """Return whether the next word belongs to the same list, with only a separator in between."""
    return index + 1 < len(words) and _is_separator(text[words[index].end : words[index + 1].start])


def _is_separator(between: str) -> bool:
    return not between.strip(" \t\r\n\\,;")
