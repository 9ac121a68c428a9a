"""Filter for diagnostics that are silenced by a comment, or about code that AMD's compiler never sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import SourceFile
from hipport.translate.syntax.lexer import Lexed
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit

IGNORE = re.compile(rb"hipport:\s*ignore\[([A-Z0-9,\s]+)\]")


def unsuppressed(unit: Unit, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics to report.

    `// hipport: ignore[HP101] reason` silences those codes on its line, or, alone on a line, on the next. Diagnostics
    in a branch that is not compiled for AMD are dropped; in a branch compiled for AMD only, notes are.
    """
    found = list(diagnostics)
    ignored = silenced(unit.source, unit.lexed) if found else {}
    for diagnostic in found:
        if diagnostic.code in ignored.get(diagnostic.line, ()):
            continue
        platform = platform_at(unit, unit.source.line_start(diagnostic.line))
        if platform is Platform.NVIDIA or (platform is Platform.AMD and diagnostic.severity is Severity.NOTE):
            continue
        yield diagnostic


def silenced(source: SourceFile, lexed: Lexed) -> dict[int, set[str]]:
    """Return the codes that comments silence, by line."""
    lines: dict[int, set[str]] = {}
    for comment in lexed.comments:
        match = IGNORE.search(source.text, comment.start, comment.end)
        if match is None:
            continue
        codes = set(match[1].decode().replace(",", " ").split())
        line, _ = source.position(comment.start)
        alone = not lexed.code[source.line_start(line) : comment.start].strip()
        lines.setdefault(line + 1 if alone else line, set()).update(codes)
    return lines
