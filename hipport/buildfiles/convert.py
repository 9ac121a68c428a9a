"""Translate one build file: run the rules and apply their edits."""

from __future__ import annotations

import functools
import importlib

from hipport.buildfiles.context import BuildContext
from hipport.buildfiles.names import Kind, is_about_cuda, kind_of
from hipport.buildfiles.settle import settled
from hipport.buildfiles.silence import audible
from hipport.buildfiles.work import Rule, Work
from hipport.diagnostics import Diagnostic
from hipport.source import Replace, SourceFile, apply, line_map
from hipport.translate.conversion import Conversion


def convert_build_file(data: bytes, name: str, context: BuildContext) -> Conversion:
    """Translate the bytes of a build file, whose kind follows from its name.

    Never raises for any input bytes: what cannot be understood is left unchanged.
    """
    work, edits, diagnostics = _look(data, name, context)
    text = apply(work.source.text, edits)
    return Conversion(
        work.source.encode(text) if edits else data, diagnostics, line_map=line_map(work.source.text, edits)
    )


def check_build_file(data: bytes, name: str, context: BuildContext) -> Conversion:
    """Return the findings of `convert_build_file` without translating the file."""
    return Conversion(data, _look(data, name, context)[2])


def _look(data: bytes, name: str, context: BuildContext) -> tuple[Work, list[Replace], tuple[Diagnostic, ...]]:
    work = Work(SourceFile.decode(data, name), context)
    kind = kind_of(name)
    if kind is None or not is_about_cuda(work.source.text):
        return work, [], ()
    edits: list[Replace] = []
    diagnostics: list[Diagnostic] = []
    for rule in rules(kind):
        for found in rule(work):
            if isinstance(found, Diagnostic):
                diagnostics.append(found)
            else:
                edits.append(found)
    heard = audible(work.source.text, diagnostics)
    return work, settled(edits), tuple(sorted(set(heard), key=lambda found: (found.line, found.column, found.code)))


@functools.cache
def rules(kind: Kind) -> tuple[Rule, ...]:
    """Return the rules for a kind of build file, specific ones first."""
    return tuple(importlib.import_module(f"hipport.buildfiles.{kind.value}").RULES)
