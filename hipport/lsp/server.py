"""The server: keeps open documents, checks them when typing pauses, and answers requests."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.uris import to_fs_path

import hipport
from hipport.audit.query import Index
from hipport.errors import HipportError
from hipport.lsp.actions import KINDS, code_actions
from hipport.lsp.checks import Checked, Document, Requests, check, path_of
from hipport.lsp.convert import diagnostics, span
from hipport.lsp.hover import explain, index_for
from hipport.lsp.text import Text
from hipport.mappings.choice import NameChoice

_PAUSE = 0.2
"""Seconds without a change after which a document is checked."""
_PATIENCE = 10.0
"""Seconds that a request for code actions waits for the check of the present text."""
_Result = TypeVar("_Result")


class _Protocol(LanguageServerProtocol):
    """Hands changes of documents to the server, whose lines end as the protocol says: pygls ends them at form feeds."""

    _server: Server

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.opened(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.changed(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.closed(params.text_document.uri)


class Server(LanguageServer):
    """A session with one editor. Checks run one after another in a thread, so that requests are answered meanwhile."""

    def __init__(self, requests: Requests) -> None:
        super().__init__("hipport", hipport.__version__, protocol_cls=_Protocol, converter_factory=default_converter)
        self.ended_well = False
        self._requests = requests
        self._documents: dict[str, Document] = {}
        self._checked: dict[str, Checked] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._told: set[str] = set()
        self._index: tuple[NameChoice, Index] | None = None
        self._worker = ThreadPoolExecutor(max_workers=1)

    def opened(self, item: types.TextDocumentItem) -> None:
        text = Text(item.text, str(self.workspace.position_encoding or "utf-16"))
        path = path_of(item.uri, to_fs_path(item.uri), self._folder())
        self._documents[item.uri] = Document(item.uri, path, item.language_id, item.version, text)
        self.check_soon(item.uri, 0)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        old = self._documents.get(uri)
        if old is None:
            return
        text = old.text
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                text = text.edited((start.line, start.character), (end.line, end.character), change.text)
            else:
                text = Text(change.text, text.encoding)
        self._documents[uri] = Document(uri, old.path, old.language, params.text_document.version, text)
        self.check_soon(uri, _PAUSE)

    def closed(self, uri: str) -> None:
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()
        self._documents.pop(uri, None)
        self._checked.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def check_all(self) -> None:
        """Check all documents again: a header or the settings may have changed."""
        self._checked.clear()
        for uri in self._documents:
            self.check_soon(uri, 0)

    def check_soon(self, uri: str, pause: float) -> asyncio.Task[None]:
        """Check a document after a pause, in place of the check that waits."""
        waiting = self._tasks.get(uri)
        if waiting is not None:
            waiting.cancel()
        task = asyncio.get_running_loop().create_task(self._check(uri, pause))
        self._tasks[uri] = task
        return task

    async def _check(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        document = self._documents[uri]
        checked = await self._apart(functools.partial(check, document, self._requests))
        if self._documents.get(uri) is not document:
            return
        self._checked[uri] = checked
        self._tell(checked.error)
        shown = diagnostics(document.text, checked.findings)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, document.version))

    async def _apart(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def _tell(self, error: str) -> None:
        """Show an error in the settings, once until it is corrected."""
        if error and error not in self._told:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"hipport: {error}"))
        self._told = {error} if error else set()

    async def checked(self, uri: str) -> Checked | None:
        """Return the findings of the present text, checked now if need be; None if that takes too long."""
        document = self._documents.get(uri)
        found = self._checked.get(uri)
        if document is not None and (found is None or found.document is not document):
            await asyncio.wait({self.check_soon(uri, 0)}, timeout=_PATIENCE)
            found = self._checked.get(uri)
        return found if found is not None and found.document is self._documents.get(uri) else None

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        checked = await self.checked(params.text_document.uri)
        if checked is None:
            return []
        workspace = self.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace is not None else None
        versioned = bool(edits is not None and edits.document_changes)
        return await self._apart(functools.partial(code_actions, checked, params, versioned=versioned))

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self._documents.get(params.text_document.uri)
        if document is None or not document.is_checked:
            return None
        place = (params.position.line, params.position.character)
        with contextlib.suppress(HipportError):  # told when the document was checked
            return await self._apart(functools.partial(self._explain, document, document.text.offset(place)))
        return None

    def _explain(self, document: Document, offset: int) -> types.Hover | None:
        names = self._requests(document.path).names
        if self._index is None or self._index[0] != names:
            self._index = names, index_for(names)
        found = explain(document.text, offset, self._index[1])
        if found is None:
            return None
        markdown = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
        return types.Hover(markdown, span(document.text, found.start, found.end))

    def _folder(self) -> str:
        """Return the first folder that is open in the editor."""
        folders = [to_fs_path(folder.uri) for folder in self.workspace.folders.values()]
        return next(filter(None, folders), None) or self.workspace.root_path or str(Path.cwd())

    def shutdown(self) -> None:
        super().shutdown()  # type: ignore[no-untyped-call]
        self._worker.shutdown(wait=False, cancel_futures=True)


def make_server(requests: Requests) -> Server:
    """Return a server; `requests` says what to check a path for."""
    server = Server(requests)
    save = types.SaveOptions(include_text=False)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, save)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_params: types.DidChangeWatchedFilesParams) -> None:
        server.check_all()

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(KINDS))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.actions(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params)

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        server.ended_well = True

    return server
