"""Group findings by what they have in common, so that many can be reported in a few lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity

_Item = TypeVar("_Item")
_WEIGHTS = {Severity.ERROR: 4, Severity.WARNING: 2, Severity.NOTE: 1}
_WORDS = re.compile(r"\w+")
_NAME = re.compile(r"[A-Z_0-9./<:]")
"""Matches characters that an ordinary word within a sentence does not contain."""
_RELEASE = re.compile(r"\w+ (came with ROCm .*)")


class FindingKind(Struct, frozen=True):
    """Findings with one reason; a library that ROCm lacks is one kind, however many of its names are used."""

    severity: Severity
    code: str
    reason: str


class Group(Struct, frozen=True):
    """The findings of one kind: their number and subjects, most frequent first."""

    kind: FindingKind
    count: int
    subjects: tuple[str, ...]


def kind(found: Diagnostic) -> FindingKind:
    """Return the kind of a finding, whose message is `subject and what is wrong: reason`, or just the reason."""
    _, _, reason = found.message.partition(": ")
    reason = reason or found.message
    release = _RELEASE.fullmatch(reason)
    return FindingKind(found.severity, found.code, release[1] if release else reason)


def groups(diagnostics: Iterable[Diagnostic]) -> list[Group]:
    """Return the findings by kind, most important first."""
    subjects: dict[FindingKind, Counter[str]] = defaultdict(Counter)
    for found in diagnostics:
        subjects[kind(found)][_subject(found)] += 1
    found_groups = [
        Group(what, names.total(), tuple(name for name, _ in names.most_common() if name))
        for what, names in subjects.items()
    ]
    found_groups.sort(key=lambda group: -group.count)
    return fairly((group.kind.severity, group) for group in found_groups)


def _subject(found: Diagnostic) -> str:
    """Return the name that a message begins with; "" if it begins with an ordinary word, such as "warps"."""
    before, colon, _ = found.message.partition(": ")
    word = before.split(" ")[0]
    if not colon or found.quote is None:
        return word if colon and _NAME.search(word) else ""
    marked = found.quote.text[found.column - 1 : found.quote.end - 1]
    return word if word in _WORDS.findall(marked) or _NAME.search(word) else ""


def fairly(items: Iterable[tuple[Severity, _Item]]) -> list[_Item]:
    """Return items in an order in which errors lead, but warnings and notes are not left for the very end.

    Within a severity the order is kept. With many errors and warnings, two errors come before each warning.
    """
    rank: Counter[Severity] = Counter()
    keyed: list[tuple[float, int, int, _Item]] = []
    for severity, item in items:
        rank[severity] += 1
        keyed.append((rank[severity] / _WEIGHTS[severity], -_WEIGHTS[severity], len(keyed), item))
    return [item for *_, item in sorted(keyed, key=lambda entry: entry[:3])]
