"""Translate sources, options and libraries of extensions in setup.py."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.buildfiles.libraries import library_word
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.setup_py.tree import Strings, nodes, strings
from hipport.buildfiles.words import Change, Notation, edits
from hipport.diagnostics import Diagnostic
from hipport.files.sources import RENAMED
from hipport.source import Replace

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
    for part in nodes(work, "string_content"):
        yield from _ends_of_names(work, part.start_byte, part.end_byte)


_NAME_END = re.compile(r"[\w+~-]*\.cu\Z")


def _ends_of_names(work: BuildFile, start: int, end: int) -> Iterator[Found]:
    """Rename the end of a source's name, whose beginning is computed: `f"{name}_cuda.cu"`, `name + "_cuda.cu"`."""
    match = _NAME_END.search(work.text[start:end])
    tail = match[0] if match else ""
    if tail and tail not in work.context.renamed and any(name.endswith(tail) for name in work.context.renamed):
        yield Replace(end - len(".cu"), end, RENAMED[".cu"])


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
