"""HP508: a program that reads a CUDA source by its name, which changes with the conversion."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace
from hipport.translate.syntax.literals import Literal, literals
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = frozenset({"char", "string", "string_view", "ifstream", "fopen", "FILE", "argv", "auto"})
"""Words that occur in code that reads files by name; words inside literals are not matched."""
_NAME = re.compile(r"[\w./-]*\w\.cu")
_SUFFIX = re.compile(rb"\.cu\b", re.ASCII)
_OF_NAMES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_LONGEST_NAME = 1024
_READS = re.compile(
    r"\w*(?:open|load|read|find|file|path|stream)\w*"
    r"(?:\s+\w+)?\s*(?:[({](?:[^(){};]*,)?|(?:\[\s*\]\s*)?=)\s*\Z",
    re.IGNORECASE,
)
"""Matches code in front of a file name to open: `read_file(` and further arguments, `ifstream name(`, `path =`."""
_BEFORE = 200


def run(work: Work) -> Iterator[Diagnostic]:
    """Report names of renamed files where a file is opened or searched."""
    for literal in _read(work.unit) if work.context.renamed else ():
        folder, slash, name = literal.text.rpartition("/")
        if name in work.context.renamed:
            new = folder + slash + work.context.renamed[name]
            message = f'"{literal.text}" is a file that the conversion renames to "{new}"'
            advice = "Use the new name, or silence this if the program reads another file."
            yield work.report(literal.span, "HP508", Severity.WARNING, message, advice, _fix(work, literal, new))


def named_sources(text: bytes) -> tuple[str, ...]:
    """Return the names of `.cu` files, without folders, in a text: its translation may depend on their new names."""
    found: dict[int, bytes] = {}
    for match in _SUFFIX.finditer(text):
        front = text[max(0, match.start() - _LONGEST_NAME) : match.start()]
        stem = front[len(front.rstrip(_OF_NAMES)) :]
        if stem and stem[-1:] not in b".-":
            found[match.start() - len(stem)] = stem + b".cu"  # a longer name from the same place replaces `a.cu`
    return tuple(sorted({name.decode() for name in found.values()}))


def _read(unit: Unit) -> Iterator[Literal]:
    """Yield the names of `.cu` files where a file is opened or searched."""
    for literal in literals(unit) if b'.cu"' in unit.source.text else ():
        before = unit.code[max(0, literal.span.start - _BEFORE) : literal.span.start]
        if _NAME.fullmatch(literal.text) and _READS.search(before):
            yield literal


def _fix(work: Work, literal: Literal, new: str) -> tuple[Edit, ...]:
    """Replace a literal that consists of the name alone and is in one piece, unless the file still has the old name."""
    if work.context.rehearsal:
        return ()
    span = literal.span
    plain = work.unit.source.text[span.start : span.end] == f'"{literal.text}"'.encode()
    return (Replace(span.start, span.end, f'"{new}"'),) if plain else ()
