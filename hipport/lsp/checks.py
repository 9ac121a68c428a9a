"""The findings of a document: those of `hipport check` for the file, if it were saved now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from hipport.buildfiles.build_systems import kind_of
from hipport.diagnostics import Diagnostic
from hipport.errors import HipportError
from hipport.files import sources
from hipport.lsp.text import Text
from hipport.project import problems
from hipport.project.buffer import check_buffer
from hipport.project.request import ConvertRequest

_LANGUAGES = frozenset({"cuda", "cuda-cpp", "cudacpp", "hip"})
"""Names that editors have for the language, whatever the file is called."""

Requests = Callable[[str], ConvertRequest]
"""Returns what to check a path for, from the options and the project's settings. Raises HipportError."""


@dataclass(frozen=True, slots=True)
class Document:
    """An open document: `path` is where it is saved, or would be; `version` is the editor's count of its changes."""

    uri: str
    path: str
    language: str
    version: int | None
    text: Text

    @property
    def is_checked(self) -> bool:
        """Return whether `hipport check` would take it for a source."""
        return self.language in _LANGUAGES or (sources.is_source(self.path) and kind_of(self.path) is None)


@dataclass(frozen=True, slots=True)
class Checked:
    """A document and its findings, or the error that settings have."""

    document: Document
    findings: tuple[Diagnostic, ...] = ()
    error: str = ""


def check(document: Document, requests: Requests) -> Checked:
    """Check a document; never raises."""
    if not document.is_checked:
        return Checked(document)
    from hipport.project.settings import find_settings
    from hipport.report.selection import selected
    from hipport.semantic.project import meanings_of

    try:
        found = check_buffer(document.path, document.text.data, requests(document.path), meanings_of)
        return Checked(document, selected(found, find_settings([document.path])))
    except HipportError as error:
        return Checked(document, error=f"{error}\n{error.hint}" if error.hint else str(error))
    except Exception as error:  # a bug of ours must not end the session
        problem = problems.internal_error(document.path, f"{type(error).__name__}: {error}")
        return Checked(document, (problem,))


def path_of(uri: str, path: str | None, folder: str) -> str:
    """Return where a document is saved; one that is on no disk is taken for a CUDA source in the folder."""
    if uri.startswith("file:") and path:
        return path
    name = PurePath(path or "").name or "untitled"
    return str(PurePath(folder, name if sources.is_source(name) else f"{name}.cu"))
