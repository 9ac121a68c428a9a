"""Translate options and libraries in Makefiles."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.make.compiler import is_for_nvcc, nvcc_variables
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.words import Word, shell_words

_FUNCTION = re.compile(r"\$[({][a-z-]+[ \t]")
_DEEPEST = 16
"""Limit because each nested part is read again, so time grows with depth. Real Makefiles nest less than 10 deep."""
_BRACKET = re.compile(r"[(){}]")
_LATER_ARGUMENT = re.compile(r".*?,[ \t]*(?=-)", re.DOTALL)


def run(work: BuildFile) -> Iterator[Found]:
    """Translate the options of each line, including those inside functions such as `$(foreach ...)`."""
    compilers, flags = work.context.nvcc_variables or nvcc_variables([(work.text, work.lines)])
    for line in work.lines:
        nvcc = is_for_nvcc(work.text, line, compilers, flags)
        for start, end in ((line.start, line.end), *_functions(work.text, line.start, line.end)):
            words = [_without_arguments(work.text, word) for word in shell_words(work.text, start, end)]
            yield from translate_options(work, words, nvcc=nvcc)


def _functions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the arguments of function calls, without the name, nested in at most `_DEEPEST` parentheses."""
    opened: list[int] = []
    begins = {match.start() + 1: match.end() for match in _FUNCTION.finditer(text, start, end)}
    if not begins:
        return
    for bracket in _BRACKET.finditer(text, start, end):
        if bracket[0] in "({":
            opened.append(bracket.start())
        elif opened:
            begin = begins.get(opened.pop())
            if begin is not None and len(opened) < _DEEPEST:
                yield begin, bracket.start()


def _without_arguments(text: str, word: Word) -> Word:
    """Reduce `sm,$(SMS),-gencode` to the option that begins the last argument; return other words unchanged."""
    earlier = None if word.text.startswith(("-", "$(", "${")) else _LATER_ARGUMENT.match(text, word.start, word.end)
    return Word(earlier.end(), word.end, text[earlier.end() : word.end]) if earlier else word
