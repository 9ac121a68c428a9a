"""Names and entries of an image of tables, which are unpacked as far as they are asked for.

A run asks for a few hundred of 17,000 names. Names with the same first letters are one text, which is split when a
word begins with these letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

from hipport.mappings.entry import ArgChange, Entry, Kind
from hipport.mappings.life import format_life, format_target, parse_life, parse_target

_LETTERS = 5
_WIDTH = 3
_OFTEN = 64
"""Number of questions about whole sets of words after which a set of all names is made: slow once, then fast."""


class Lines:
    """Lines of text by name: each is a name, a tab and the rest, in the text of all names with its first letters.

    `order` has for each name, in their order, the number of its text, in three bytes.
    """

    __slots__ = ("_order", "_texts", "_unpacked")

    def __init__(self, texts: Mapping[str, str], order: bytes) -> None:
        self._texts = texts
        self._order = order
        self._unpacked: dict[str, dict[str, str]] = {}

    @staticmethod
    def pack(lines: Mapping[str, str]) -> tuple[dict[str, str], bytes]:
        """Return the texts and the order of lines, which are given by name and without the name."""
        texts: dict[str, list[str]] = {}
        for name, line in lines.items():
            texts.setdefault(name[:_LETTERS], []).append(f"{name}\t{line}")
        number = {start: number for number, start in enumerate(texts)}
        order = b"".join(number[name[:_LETTERS]].to_bytes(_WIDTH, "little") for name in lines)
        return {start: "\n".join(found) for start, found in texts.items()}, order

    def get(self, name: str) -> str | None:
        """Return the rest of a name's line; None if there is no such name."""
        start = name[:_LETTERS]
        return self._with(start).get(name) if start in self._texts else None

    def __len__(self) -> int:
        return len(self._order) // _WIDTH

    def names(self) -> Iterator[str]:
        """Yield all names in their order."""
        found = [iter(self._with(start)) for start in self._texts]
        for at in range(0, len(self._order), _WIDTH):
            yield next(found[int.from_bytes(self._order[at : at + _WIDTH], "little")])

    def _with(self, start: str) -> dict[str, str]:
        if start not in self._unpacked:
            rows = (line.partition("\t") for line in self._texts[start].split("\n"))
            self._unpacked[start] = {name: rest for name, _, rest in rows}
        return self._unpacked[start]


class Names(Set[str]):
    """The names of lines, without those in `less`."""

    __slots__ = ("_all", "_asked", "_less", "_lines")

    def __init__(self, lines: Lines, less: frozenset[str] = frozenset()) -> None:
        self._lines = lines
        self._less = less
        self._asked = 0
        self._all: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name not in self._less and self._lines.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def __and__(self, others: Iterable[object]) -> Set[str]:
        self._asked += 1
        if self._all is None and self._asked < _OFTEN:
            return frozenset(name for name in others if isinstance(name, str) and name in self)
        return self._whole().intersection(others)

    __rand__ = __and__

    def __hash__(self) -> int:
        return self._hash()

    @classmethod
    def _from_iterable(cls, names: Iterable[Any]) -> Any:
        """Return the result of another operation, such as a union."""
        return frozenset(names)

    def _whole(self) -> frozenset[str]:
        if self._all is None:
            self._all = frozenset(self._lines.names()) - self._less
        return self._all


class Entries(Mapping[str, Entry]):
    """Entries by name, unpacked on first access; `shared` are the sentences and argument changes that many use."""

    __slots__ = ("_lines", "_shared", "_unpacked")

    def __init__(self, lines: Lines, shared: tuple[Any, ...]) -> None:
        self._lines = lines
        self._shared = shared
        self._unpacked: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        entry = self._unpacked.get(name)
        if entry is None:
            line = self._lines.get(name)
            if line is None:
                raise KeyError(name)
            entry = self._unpacked[name] = _entry(name, line, self._shared)
        return entry

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._lines.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return self._lines.names()

    def __len__(self) -> int:
        return len(self._lines)


def pack_entry(entry: Entry, shared: dict[Any, int]) -> str:
    """Return the line of an entry without its name; what others may have in common with it is added to `shared`."""
    args = tuple(
        (change.op, change.at, change.before, change.after, change.text, change.arity, change.given, change.header)
        for change in entry.args
    )
    advice = (entry.reason, entry.alternative, entry.note)
    common = (
        (entry.kind.value, entry.library),
        args,
        *advice,
        (entry.ordinary, entry.drop, entry.absent, entry.support, entry.tag, entry.overloads),
    )
    numbers = (str(shared.setdefault(item, len(shared))) for item in common)
    targets = (format_target(target) if target else "" for target in (entry.hip, entry.roc))
    return "\t".join((format_life(entry.cuda), *targets, *numbers))


def _entry(name: str, line: str, shared: tuple[Any, ...]) -> Entry:
    life, hip, roc, *numbers = line.split("\t")
    origin, args, *advice, flags = (shared[int(number)] for number in numbers)
    return Entry(
        name,
        Kind(origin[0]),
        origin[1],
        parse_life(life),
        parse_target(hip) if hip else None,
        parse_target(roc) if roc else None,
        tuple(ArgChange(*change) for change in args),
        *advice,
        *flags,
    )
