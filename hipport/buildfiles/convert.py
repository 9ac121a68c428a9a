"""Translate one build file: run the rules and apply their edits."""

from __future__ import annotations

import functools
import importlib

from msgspec.structs import replace

from hipport.buildfiles.build_file import BuildFile, Rule
from hipport.buildfiles.build_systems import BuildSystem, is_about_cuda, kind_of
from hipport.buildfiles.context import BuildContext
from hipport.buildfiles.overlaps import without_overlaps
from hipport.buildfiles.suppression import unsuppressed
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


def _look(data: bytes, name: str, context: BuildContext) -> tuple[BuildFile, list[Replace], tuple[Diagnostic, ...]]:
    work = BuildFile(SourceFile.decode(data, name), context)
    kind = kind_of(name)
    if kind is None or not (is_about_cuda(work.source.text) or _sets_architectures(work)):
        return work, [], ()
    edits: list[Replace] = []
    diagnostics: list[Diagnostic] = []
    for rule in rules(kind):
        for found in rule(work):
            if isinstance(found, Diagnostic):
                diagnostics.append(found)
            else:
                edits.append(_with_line_ends(found, work.source.newline))
    heard = unsuppressed(work.source.text, diagnostics)
    return (
        work,
        without_overlaps(edits),
        tuple(sorted(set(heard), key=lambda found: (found.line, found.column, found.code))),
    )


def _with_line_ends(edit: Replace, newline: str) -> Replace:
    """Return an edit whose lines end as those of the file."""
    return edit if newline == "\n" else replace(edit, text=edit.text.replace("\r\n", "\n").replace("\n", newline))


def _sets_architectures(work: BuildFile) -> bool:
    return any(name.encode() in work.source.text for name in work.context.architectures)


@functools.cache
def rules(kind: BuildSystem) -> tuple[Rule, ...]:
    """Return the rules for a kind of build file, specific ones first."""
    return tuple(importlib.import_module(f"hipport.buildfiles.{kind.value}").RULES)
