"""`extern "C"__global__`: needs a space after the literal, or Clang takes the word for a literal suffix.

nvcc warns and takes the word for a macro's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.source import Edit, Replace
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Insert a space between a string literal and a CUDA word that follows it directly."""
    code = work.unit.code
    if '"__' not in code:
        return
    for word in work.unit.shadow.device_words:
        if code[word.start - 1 : word.start] == '"':
            yield Replace(word.start, word.start, " ")
