"""Check one source whose text is in an editor, and not, or no longer, on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.files import sources
from hipport.mappings.loader import load_choice
from hipport.project import problems
from hipport.project.file_names import choose_names
from hipport.project.ports import without_ports
from hipport.project.request import ConvertRequest
from hipport.project.resolver import TreeResolver
from hipport.project.run import FindMeanings
from hipport.project.sinks import in_order
from hipport.project.task import Action, Task
from hipport.project.translate import Source, TreeTranslator, translate_tree
from hipport.support import is_support
from hipport.translate.context import Context
from hipport.translate.convert import check_source
from hipport.translate.meanings import Meanings

_SNIFFED = 8000


def check_buffer(
    path: str, data: bytes, request: ConvertRequest, find_meanings: FindMeanings | None = None
) -> tuple[Diagnostic, ...]:
    """Return the findings that `hipport check` has for a file at `path` with the content `data`.

    Headers that it includes are read from disk. `find_meanings` is called if the request asks for it and the file on
    disk has this content: libclang reads files. Raises HipportError.
    """
    folder = os.path.realpath(os.path.dirname(path) or ".")
    name = os.path.basename(path)
    task = Task(path, folder, name, name, os.path.join(folder, name), Action.TRANSLATE, len(data))
    if is_support(task.real):
        return ()
    if len(data) > sources.LARGEST:
        return (problems.too_large(path, len(data), sources.LARGEST),)
    if b"\0" in data[:_SNIFFED]:
        return (problems.binary(path),)
    tables = load_choice(request.names)

    def read(file: str) -> bytes:
        return data if file in (path, task.real) else sources.read(file)

    if not request.convert_ported:
        (planned,), ported = without_ports([task], tables, read)
        if planned.action is not Action.TRANSLATE:
            return ported
    names = {} if request.keep_names else choose_names([task], on_disk=False)[0]
    renamed = {os.path.basename(old): os.path.basename(new) for old, new in names.items()}
    context = Context(
        tables, request.options, renamed=renamed, keep_names=request.keep_names, rehearsal=request.rehearsal
    )
    meanings = _meanings(task, data, replace(request, paths=(path,)), context, find_meanings)
    translator = TreeTranslator(check_source, context, jobs=1, meanings=meanings, read=read)
    outcomes = translate_tree([Source(path, task.real, task.size)], TreeResolver(context), translator)
    return in_order([found for outcome in outcomes.values() for found in outcome.findings])


def _meanings(
    task: Task, data: bytes, request: ConvertRequest, context: Context, find_meanings: FindMeanings | None
) -> Mapping[str, Meanings]:
    if request.semantic is None or find_meanings is None:
        return {}
    try:
        if sources.read(task.source) != data:
            return {}
    except OSError:
        return {}
    return find_meanings(request, [task], context)
