"""Query libclang about the sources of a run, if the user requested that."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from hipport.files.hashes import digest
from hipport.mappings.loader import tables_digest
from hipport.project.request import ConvertRequest
from hipport.project.state import setup as setups
from hipport.project.task import Task
from hipport.translate.context import Context
from hipport.translate.meanings import Meanings

if TYPE_CHECKING:
    from hipport.semantic.cache import AnswerCache


def meanings_of(request: ConvertRequest, tasks: Sequence[Task], context: Context) -> Mapping[str, Meanings]:
    """Return what the names in the sources refer to, by `Task.source`; empty without `request.semantic`."""
    if request.semantic is None:
        return {}
    from hipport.semantic.run import find_meanings

    return find_meanings(request.semantic, tasks, context.tables, request.jobs, memory=_memory(request, context))


def _memory(request: ConvertRequest, context: Context) -> AnswerCache:
    """Return the store for the answers between runs, keyed by what was named and how it is compiled."""
    from hipport.semantic.cache import AnswerCache

    paths = sorted(os.path.abspath(path) for path in request.paths)
    name = digest(repr((paths, os.path.abspath("."), request.semantic)).encode("utf-8", "surrogateescape"))
    releases = context.tables.releases
    of_tables = {"tables": tables_digest(request.names), "releases": astuple(releases), "libs": request.names.flavour}
    return AnswerCache(name, setups.key(of_tables))
