"""Code actions: the quick fixes of findings, and comments that silence them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from lsprotocol import types

from hipport.diagnostics import Change, Diagnostic
from hipport.lsp.checks import Checked, Document
from hipport.lsp.convert import diagnostic, place_of, position, text_edit
from hipport.lsp.silence import silencing
from hipport.lsp.text import Text
from hipport.quote import changes
from hipport.source import SourceFile

FIX_ALL = "source.fixAll.hipport"
KINDS: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]
_MOST = 10
"""Findings of a range for which actions are offered: each needs a look at the whole source."""


def code_actions(checked: Checked, params: types.CodeActionParams, *, versioned: bool) -> list[types.CodeAction]:
    """Return the actions for a range of a document; with `versioned` edits name the version that they belong to."""
    only = params.context.only
    document = checked.document
    actions: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix, only):
        for found in list(_inside(checked, params.range))[:_MOST]:
            actions += _for_finding(document, found, versioned)
    if _wanted(FIX_ALL, only) and any(found.fix for found in checked.findings):
        edits = [text_edit(document.text, change) for change in all_fixes(document.text, checked.findings)]
        title = "Apply all quick fixes of hipport in this file"
        actions.append(types.CodeAction(title, FIX_ALL, edit=_edit(document, edits, versioned)))
    return actions


def all_fixes(text: Text, findings: Iterable[Diagnostic]) -> list[Change]:
    """Return what `hipport check --fix` changes: findings may share edits."""
    source = SourceFile.decode(text.data, "")
    return list(changes(source, dict.fromkeys(edit for found in findings for edit in found.fix)))


def _wanted(kind: str, only: Iterable[str] | None) -> bool:
    return only is None or any(kind == one or kind.startswith(f"{one}.") for one in only)


def _inside(checked: Checked, asked: types.Range) -> Iterator[Diagnostic]:
    text = checked.document.text
    first = text.offset((asked.start.line, asked.start.character))
    last = text.offset((asked.end.line, asked.end.character))
    for found in checked.findings:
        start, end = place_of(text, found)
        if start <= last and first <= end:
            yield found


def _for_finding(document: Document, found: Diagnostic, versioned: bool) -> Iterator[types.CodeAction]:
    text = document.text
    shown = [diagnostic(text, found)]
    if found.changes:
        edits = [text_edit(text, change) for change in found.changes]
        advice = textwrap.shorten(found.advice or found.message, 90, placeholder=" ...")
        kind = types.CodeActionKind.QuickFix
        edit = _edit(document, edits, versioned)
        yield types.CodeAction(f"{found.code}: {advice}", kind, shown, is_preferred=True, edit=edit)
    comment = silencing(text, found.line, found.code) if found.quote is not None else None
    if comment is not None:
        place = position(text, comment.offset)
        edit = _edit(document, [types.TextEdit(types.Range(place, place), comment.text)], versioned)
        yield types.CodeAction(f"Ignore {found.code} here", types.CodeActionKind.QuickFix, shown, edit=edit)


def _edit(document: Document, edits: list[types.TextEdit], versioned: bool) -> types.WorkspaceEdit:
    if not versioned:
        return types.WorkspaceEdit(changes={document.uri: edits})
    named = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(named, [*edits])])
