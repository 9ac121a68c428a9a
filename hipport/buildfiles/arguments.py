"""Translate nvcc options and CUDA libraries in command arguments, using the tables for build files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.context import BuildContext
from hipport.buildfiles.options import translated_words
from hipport.buildfiles.tables import Option, load_build_tables
from hipport.buildfiles.words import Word
from hipport.diagnostics import Diagnostic
from hipport.mappings.choice import Flavour
from hipport.source import SourceFile

_ARCHITECTURES = "HP403"


class Arguments(Struct, frozen=True):
    """Translated arguments: `words` for every compile and for the link, `host` for the host compiler only.

    `architectures` are the NVIDIA ones, as spelled; they are not replaced.
    """

    words: tuple[str, ...]
    host: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    found: tuple[Diagnostic, ...] = ()


def translate_arguments(arguments: Sequence[str], flavour: Flavour = "hip") -> Arguments:
    """Translate arguments that may be for nvcc into those of clang and the linker; others are unchanged."""
    work, words = _work(arguments, flavour)
    changes, found = translated_words(work, words, nvcc=True)
    kept: list[str] = []
    host: list[str] = []
    architectures: list[str] = []
    index = 0
    while index < len(words):
        change, option = changes.get(index), nvcc_option(words[index].text)
        if change is None:
            kept.append(arguments[index])
        elif option is not None and option.action == "targets":
            architectures.append(" ".join(arguments[index : change.last + 1]))
        else:
            (host if option is not None and option.action == "host" else kept).extend(map(_as_argument, change.parts))
        index = index + 1 if change is None else change.last + 1
    heard = tuple(diagnostic for diagnostic in found if diagnostic.code != _ARCHITECTURES)
    return Arguments(tuple(kept), tuple(host), tuple(architectures), heard)


def nvcc_option(word: str) -> Option | None:
    """Return the row of the option that a word is, with or without a value after `=`."""
    name, equals, _ = word.partition("=")
    option = load_build_tables().options.get(name)
    return None if option is None or (equals and not option.value) else option


def option_words(arguments: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Split arguments into nvcc's options, each with its value, and all other words."""
    index = 0
    while index < len(arguments):
        option = nvcc_option(arguments[index])
        apart = option is not None and option.value == "separate" and "=" not in arguments[index]
        yield tuple(arguments[index : index + 1 + apart])
        index += 1 + apart


def _work(arguments: Sequence[str], flavour: Flavour) -> tuple[BuildFile, tuple[Word, ...]]:
    """Write the arguments as one text, where each argument is one word regardless of its contents."""
    texts = [os.fsencode(argument).decode("ascii", "surrogateescape") for argument in arguments]
    words: list[Word] = []
    start = 0
    for text in texts:
        words.append(Word(start, start + len(text), text))
        start += len(text) + 1
    data = " ".join(texts).encode("ascii", "surrogateescape")
    context = BuildContext(load_build_tables(), (), flavour)
    return BuildFile(SourceFile("command line", data), context), tuple(words)


def _as_argument(text: str) -> str:
    return os.fsdecode(text.encode("ascii", "surrogateescape"))
