"""Translate sources, options and libraries of extensions in setup.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.buildfiles.libraries import library_word
from hipport.buildfiles.options import translate_options, translated_words
from hipport.buildfiles.setup_py.tree import Strings, nodes, strings
from hipport.buildfiles.words import Change, Notation, Word, edits
from hipport.diagnostics import Diagnostic, Severity
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
            translate = translate_options if group.is_list else _alone
            yield from translate(work, group.words, nvcc=nvcc, notation=notation)
        for word in group.words:
            yield from source_names(work, word.start, word.end)
            yield from toolkit_folders(work, word.start, word.end)
    for part in nodes(work, "string_content"):
        yield from _ends_of_names(work, part.start_byte, part.end_byte)


def _alone(work: BuildFile, words: Sequence[Word], *, nvcc: bool, notation: Notation) -> Iterator[Found]:
    """Translate a string outside of lists, which no other number of strings can replace: `"-ccbin={}".format(gcc)`."""
    changes, found = translated_words(work, words, nvcc=nvcc, targets=work.context.targets)
    if all(len(change.parts) == 1 for change in changes.values()):
        yield from found
        yield from edits(work.text, words, changes, notation)
        return
    for number, change in changes.items():
        message = f"{words[number].text} is left unchanged, because it is not in a list"
        advice = f"Give {' '.join(change.parts)} instead, as a list." if change.parts else "Leave the option out."
        yield work.report(words[number].start, "HP401", Severity.ERROR, message, advice)


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
