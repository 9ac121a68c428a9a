"""Options and libraries in Makefiles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.buildfiles.make.compiler import is_for_nvcc, nvcc_variables
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.words import Word, shell_words
from hipport.buildfiles.work import Found, Work

_FUNCTION = re.compile(r"\$[({][a-z-]+[ \t]")
_LATER_ARGUMENT = re.compile(r".*?,[ \t]*(?=-)", re.DOTALL)
_DEEPEST = 20


def run(work: Work) -> Iterator[Found]:
    """Translate the options of each line, and those inside functions such as `$(foreach ...)`."""
    compilers, flags = nvcc_variables(work.text, work.lines)
    for line in work.lines:
        nvcc = is_for_nvcc(work.text, line, compilers, flags)
        for words in _lists(work.text, line.start, line.end, _DEEPEST):
            yield from translate_options(work, words, nvcc=nvcc)


def _lists(text: str, start: int, end: int, depth: int) -> Iterator[list[Word]]:
    words = [_without_arguments(text, word) for word in shell_words(text, start, end)]
    yield words
    for word in words:
        function = _FUNCTION.match(text, word.start, word.end)
        if function and depth:
            yield from _lists(text, function.end(), word.end - 1, depth - 1)


def _without_arguments(text: str, word: Word) -> Word:
    """`sm,$(SMS),-gencode` is the option that the last argument of a function begins with."""
    earlier = None if word.text.startswith(("-", "$(", "${")) else _LATER_ARGUMENT.match(text, word.start, word.end)
    return Word(earlier.end(), word.end, text[earlier.end() : word.end]) if earlier else word
