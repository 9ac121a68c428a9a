"""Filter for diagnostics that are silenced by a comment, or about code that AMD's compiler never sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit

IGNORE = re.compile(rb"hipport:\s*ignore\[([A-Z0-9,\s]+)\]")


def unsuppressed(unit: Unit, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics to report.

    `// hipport: ignore[HP101] reason` silences those codes on its line, or, alone on a line, on the next. Diagnostics
    in a branch that is not compiled for AMD are dropped; in a branch compiled for AMD only, notes are.
    """
    found = list(diagnostics)
    ignored = _ignored(unit) if found else {}
    for diagnostic in found:
        if diagnostic.code in ignored.get(diagnostic.line, ()):
            continue
        platform = platform_at(unit, unit.source.line_start(diagnostic.line))
        if platform is Platform.NVIDIA or (platform is Platform.AMD and diagnostic.severity is Severity.NOTE):
            continue
        yield diagnostic


def _ignored(unit: Unit) -> dict[int, set[str]]:
    """Return the codes that comments silence, by line."""
    text = unit.source.text
    lines: dict[int, set[str]] = {}
    for comment in unit.lexed.comments:
        match = IGNORE.search(text, comment.start, comment.end)
        if match is None:
            continue
        codes = set(match[1].decode().replace(",", " ").split())
        line, _ = unit.source.position(comment.start)
        alone = not unit.code[unit.source.line_start(line) : comment.start].strip()
        lines.setdefault(line + 1 if alone else line, set()).update(codes)
    return lines
