"""Translate nvcc, its options and its folders in the shell code of configure.ac and m4 files."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.folders import toolkit_folders
from hipport.buildfiles.make.compiler import nvcc_places
from hipport.buildfiles.options import translate_options
from hipport.buildfiles.words import Word
from hipport.source import Replace

_LINE = re.compile(r"[^\n]+")
_COMMENT = re.compile(r"(?:^|[ \t])(?:dnl\b|#(?![\w]))", re.MULTILINE)
_WORD = re.compile(r"[^\s\"'`\[\];|&]+")
_OF_NVCC = re.compile(r"NVCC|CUDA|nvcc")


def run(work: BuildFile) -> Iterator[Found]:
    """Translate each line, up to its comment."""
    for line in _LINE.finditer(work.text):
        start, end = line.span()
        comment = _COMMENT.search(work.text, start, end)
        end = comment.start() if comment else end
        yield from (Replace(*place, "hipcc") for place in nvcc_places(work.text, start, end))
        words = [Word(*word.span(), word[0]) for word in _WORD.finditer(work.text, start, end)]
        nvcc = _OF_NVCC.search(work.text, start, end) is not None
        yield from translate_options(work, words, nvcc=nvcc)
        yield from toolkit_folders(work, start, end)
