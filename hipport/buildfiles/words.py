"""Words of a command line or list, and what is put in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hipport.source import Replace

_PIECE = re.compile(r"""\\\r?\n|\s+|\\.|"(?:\\.|[^"\\])*"|'[^']*'|\$[({]|[(){}]|[^\s\\"'$(){}]+|.""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Word:
    """A word at its place; `text` is without the quotes around it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Notation:
    """How a list is spelled: what stands between the parts that replace a word, and around each."""

    separator: str = " "
    quote: str = ""

    def spell(self, parts: Sequence[str]) -> str:
        """The text for some words."""
        return self.separator.join(f"{self.quote}{part}{self.quote}" for part in parts)


SHELL = Notation()


@dataclass(frozen=True, slots=True)
class Change:
    """Words `first` to `last` become `parts`; none means that they go."""

    first: int
    last: int
    parts: tuple[str, ...]


def shell_words(text: str, start: int, end: int) -> Iterator[Word]:
    """The words of a shell command or of the value of a make variable; `$(f a b)` is one word."""
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
    """The edits for changes of words, by the number of their first word; what goes takes the blanks before it along."""
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
        last = _end_of_run(changes, index)
        start, end = _room(text, words, index, last)
        yield Replace(start, end, "")
        index = last + 1


def _end_of_run(changes: Mapping[int, Change], index: int) -> int:
    """The last word of a run that goes."""
    last = changes[index].last
    while last + 1 in changes and not changes[last + 1].parts:
        last = changes[last + 1].last
    return last


def _room(text: str, words: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    """What goes with the words `first` to `last`: what separates them from the others, unless that is a comment."""
    if first > 0 and _is_separator(text[words[first - 1].end : words[first].start]):
        return words[first - 1].end, words[last].end
    if first == 0 and last + 1 < len(words) and _is_separator(text[words[last].end : words[last + 1].start]):
        return words[first].start, words[last + 1].start
    return words[first].start, words[last].end


def is_followed(text: str, words: Sequence[Word], index: int) -> bool:
    """Whether the next word belongs to the same list, with nothing but a separator in between."""
    return index + 1 < len(words) and _is_separator(text[words[index].end : words[index + 1].start])


def _is_separator(between: str) -> bool:
    return not between.strip(" \t\r\n\\,;")
