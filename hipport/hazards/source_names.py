"""HP508: a program that reads a CUDA source by its name, which is another one after the conversion."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.passes.work import Work
from hipport.project.sources import renamed
from hipport.source import Edit, Replace
from hipport.syntax.literals import Literal, literals

WORDS = frozenset({"char", "string", "string_view", "ifstream", "fopen", "FILE", "argv", "auto"})
"""What stands where files are read by name: the words inside of literals do not count."""
_NAME = re.compile(r"[\w./-]*\w\.cu")
_READS = re.compile(
    r"\w*(?:open|load|read|find|file|path|stream)\w*"
    r"(?:\s+\w+)?\s*(?:[({](?:[^(){};]*,)?|(?:\[\s*\]\s*)?=)\s*\Z",
    re.IGNORECASE,
)
"""`read_file(` and further arguments, `ifstream name(`, `path =`: in front of a name that is used to find a file."""
_BEFORE = 200


def run(work: Work) -> Iterator[Diagnostic]:
    """Report names of `.cu` files where a file is looked for, unless all files keep their names."""
    if work.context.keep_names or b'.cu"' not in work.unit.source.text:
        return
    for literal in literals(work.unit):
        before = work.unit.code[max(0, literal.span.start - _BEFORE) : literal.span.start]
        if _NAME.fullmatch(literal.text) and _READS.search(before):
            new = renamed(literal.text)
            message = f'"{literal.text}" is a file that a conversion of its folder calls "{new}"'
            advice = "Say the new name; or silence this where the file keeps its name."
            yield work.report(literal.span, "HP508", Severity.WARNING, message, advice, _fix(work, literal, new))


def _fix(work: Work, literal: Literal, new: str) -> tuple[Edit, ...]:
    """Replace a literal that is nothing but the name, and in one piece; not while the file still has the old name."""
    if work.context.rehearsal:
        return ()
    span = literal.span
    plain = work.unit.source.text[span.start : span.end] == f'"{literal.text}"'.encode()
    return (Replace(span.start, span.end, f'"{new}"'),) if plain else ()
