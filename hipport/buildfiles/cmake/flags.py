"""Translate options for nvcc in CMake: strings, lists and generator expressions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.readers.cmake import Argument, Command
from hipport.buildfiles.words import Notation, Word
from hipport.source import Replace

_WORD = re.compile(r"""(?:\$\{[^{}]*\}|\\"[^"]*\\"|[^\s;<>"$\\]|\\.)+|\$""")
_EXPRESSION = re.compile(r":?(?:[A-Z_]+:)*(?=-)|:")
_STRINGS = re.compile(r"(CMAKE_CUDA_FLAGS|CUDA_NVCC_FLAGS)\w*")
_LISTS = {"target_compile_options", "add_compile_options", "target_link_options", "add_link_options"}
_PROPERTIES = {"set_target_properties", "set_source_files_properties"}
_OPTIONS = {"COMPILE_OPTIONS", "LINK_OPTIONS"}
"""Properties that are lists; COMPILE_FLAGS and LINK_FLAGS are strings."""
_QUOTE = re.compile(r'(?<!\\)"')
_OLD = re.compile(r"CUDA_NVCC_FLAGS\w*")


def run(work: BuildFile) -> Iterator[Found]:
    """Translate the options in each command."""
    for command in work.commands:
        texts = command.texts()
        variable = texts[0] if command.name == "set" and texts else "".join(texts[1:2])
        if command.name in ("set", "list", "string") and _STRINGS.fullmatch(variable):
            yield from _flags_variable(work, command, variable)
        elif command.name != "project":
            yield from _options(work, command)


def _flags_variable(work: BuildFile, command: Command, variable: str) -> Iterator[Found]:
    """Translate a variable with flags for all CUDA sources: a string, but with FindCUDA a list."""
    first = 1 if command.name == "set" else 2
    values = list(takewhile(_is_value, command.arguments[first:]))
    words = [word for value in values for word in _words(work.text, value)]
    yield from translate_options(work, words, nvcc=True, targets=False)
    if _OLD.fullmatch(variable) and values:
        yield from _as_string(command, values)


def _is_value(argument: Argument) -> bool:
    """Return whether an argument of `set` is a value, and not about where it is kept: `CACHE STRING "About" FORCE`."""
    return argument.quoted or argument.text not in ("CACHE", "PARENT_SCOPE")


def _as_string(command: Command, values: list[Argument]) -> Iterator[Found]:
    blank = " " if command.name == "list" else ""
    if command.name == "list":
        name, verb = command.arguments[0], "string"
        yield Replace(command.start, command.start + 4, verb)
        if name.text != "APPEND":
            return
    yield Replace(values[0].start - values[0].quoted, values[0].start - values[0].quoted, f'"{blank}')
    for value in values:  # words that options have removed are already gone
        if value.quoted:
            yield Replace(value.start - 1, value.start, "")
            yield Replace(value.end, value.end + 1, "")
        else:
            for match in _QUOTE.finditer(value.text):  # ${FLAGS}"-O3" is one unquoted argument
                yield Replace(value.start + match.end() - 1, value.start + match.end(), "")
        for match in re.finditer(r"[ \t]*;[ \t]*", value.text):
            yield Replace(value.start + match.start(), value.start + match.end(), " ")
    yield Replace(values[-1].end + values[-1].quoted, values[-1].end + values[-1].quoted, '"')


def _options(work: BuildFile, command: Command) -> Iterator[Found]:
    if work.text.find("-", command.start, command.end) < 0:
        return
    plain: list[Word] = []
    for argument in command.arguments:
        words = list(_words(work.text, argument))
        if not argument.quoted and "$<" not in argument.text and len(words) == 1:
            plain += words
            continue
        notation = Notation(" " if _is_string(work, command, argument) else ";")
        yield from translate_options(work, words, nvcc="CUDA" in argument.text, notation=notation, targets=False)
    about = any("CUDA" in text for text in command.texts()[:1])
    notation = Notation("\\ " if _is_of_string(work, command) else " ")
    yield from translate_options(work, plain, nvcc=about, notation=notation, targets=False)


def _is_string(work: BuildFile, command: Command, argument: Argument) -> bool:
    """Return whether blanks, rather than semicolons, separate the options in an argument."""
    if "SHELL:" in argument.text:
        return True
    if command.name in _LISTS or ";" in argument.text:
        return False
    return len(argument.text.split()) > 1 or not _is_element(work, command, argument)


def _is_element(work: BuildFile, command: Command, argument: Argument) -> bool:
    """Return whether an argument that is one word is an element of a list."""
    texts, number = command.texts(), command.arguments.index(argument)
    if command.name in _PROPERTIES:
        return any(text.removeprefix("INTERFACE_") in _OPTIONS for text in texts[max(0, number - 1) : number])
    if command.name == "set_property" and "PROPERTY" in texts:
        return any(text.removeprefix("INTERFACE_") in _OPTIONS for text in texts[texts.index("PROPERTY") + 1 :][:1])
    return command.name in ("set", "list") and not _is_of_string(work, command)


def _is_of_string(work: BuildFile, command: Command) -> bool:
    """Return whether a command sets a variable to one word, and the file uses the variable as a part of a string."""
    texts = command.texts()
    name = texts[0] if command.name == "set" and len(texts) == 2 else ""
    if not re.match(r"\w+\Z", name):
        return False
    use = rf"\$\{{{name}\}}"
    return re.search(rf'"[^"\n;]*[^"\n;]{use}[^"\n;]*"|"{use}[^"\n;]+"', work.text) is not None


def _words(text: str, argument: Argument) -> Iterator[Word]:
    for match in _WORD.finditer(text, argument.start, argument.end):
        head = _EXPRESSION.match(text, match.start(), match.end())
        start = head.end() if head else match.start()
        if start < match.end():
            yield Word(start, match.end(), text[start : match.end()])
