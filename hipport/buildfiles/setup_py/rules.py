"""Translate sources, options and libraries of extensions in setup.py."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.buildfiles.libraries import library_word
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.setup_py.tree import Strings, strings
from hipport.buildfiles.words import Change, Notation, edits
from hipport.diagnostics import Diagnostic

_FOR_NVCC = re.compile(r"nvcc|cuda_?flags|nvcc_\w+", re.IGNORECASE)


def run(work: BuildFile) -> Iterator[Found]:
    """Translate string literals; computed values are left unchanged."""
    for group in strings(work):
        notation = _notation(work, group)
        if group.name == "libraries":
            yield from _libraries(work, group, notation)
        elif len(group.words) > 1 or group.name:
            nvcc = bool(_FOR_NVCC.match(group.name))
            yield from translate_options(work, group.words, nvcc=nvcc, notation=notation)
        for word in group.words:
            yield from source_names(work, word.start, word.end)
            yield from toolkit_folders(work, word.start, word.end)


def _notation(work: BuildFile, group: Strings) -> Notation:
    quote = next(
        (character for word in group.words[:1] for character in work.text[word.start : word.end] if character in "\"'"),
        '"',
    )
    return Notation(", ", quote)


def _libraries(work: BuildFile, group: Strings, notation: Notation) -> Iterator[Found]:
    changes: dict[int, Change] = {}
    for number, word in enumerate(group.words):
        result = library_word(work, word.start, word.text)
        if isinstance(result, Diagnostic):
            yield result
        elif result is not None:
            changes[number] = Change(number, number, (result.name,) if result.name else ())
            yield from result.found
    yield from edits(work.text, group.words, changes, notation)
