"""The input of a rule for build files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport import lazy_re as re
from hipport.buildfiles.context import BuildContext
from hipport.buildfiles.tables import Library
from hipport.diagnostics import Diagnostic, Severity
from hipport.quote import quote
from hipport.source import Replace, SourceFile, Span

if TYPE_CHECKING:
    from hipport.buildfiles.readers.cmake import Command
    from hipport.buildfiles.readers.make import Line

Found = Replace | Diagnostic
_WORD = re.compile(r"[^\s;,()\"'<>]+")
_LIBRARY_FILE = re.compile(r"(?::|(?:.*/)?)lib([\w+.-]+?)\.(?:so|a)[.\d]*")


class BuildFile(Struct, frozen=True, dict=True):
    """One build file and its context."""

    source: SourceFile
    context: BuildContext

    @cached_property
    def text(self) -> str:
        """Return the text with one character per byte, so that offsets are byte offsets; edits are encoded back."""
        return self.source.text.decode("ascii", "surrogateescape")

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        from hipport.buildfiles.readers.cmake import read_commands

        return read_commands(self.text)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        from hipport.buildfiles.readers.make import logical_lines

        return tuple(logical_lines(self.text))

    def report(self, offset: int, code: str, severity: Severity, message: str, advice: str = "") -> Diagnostic:
        """Return a diagnostic at an offset."""
        word = _WORD.match(self.text, offset)
        quoted = quote(self.source, Span(offset, word.end() if word else offset + 1))
        place = self.source.position(offset)
        return Diagnostic(self.source.name, *place, code, severity, _shown(message), _shown(advice), quote=quoted)

    def library(self, name: str) -> Library | None:
        """Return the row of a CUDA library by its file or what `-l` takes: cublas, cublas_static, :libcublas.so.12."""
        rows = self.context.tables.libraries[self.context.flavour]
        file = _LIBRARY_FILE.fullmatch(name)
        plain = file[1] if file else name
        return rows.get(plain) or rows.get(plain.removesuffix("_static"))


def _shown(text: str) -> str:
    """Return text of the file in displayable form."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


Rule = Callable[[BuildFile], Iterator[Found]]
