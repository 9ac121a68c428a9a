"""Handle `# hipport: ignore[HP401] reason` in a build file, on the line or alone on the line before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.translate.suppression import IGNORE

_COMMENT = re.compile(rb"(?P<before>[^\n#]*)#[^\n]*")


def unsuppressed(text: bytes, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Return the diagnostics that no comment silences."""
    found = list(diagnostics)
    ignored = _ignored(text) if found and IGNORE.search(text) else {}
    return (diagnostic for diagnostic in found if diagnostic.code not in ignored.get(diagnostic.line, ()))


def _ignored(text: bytes) -> dict[int, set[str]]:
    lines: dict[int, set[str]] = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        comment = _COMMENT.match(line)
        match = IGNORE.search(line, comment.end("before")) if comment else None
        if comment and match:
            codes = set(match[1].decode().replace(",", " ").split())
            lines.setdefault(number if comment["before"].strip() else number + 1, set()).update(codes)
    return lines
