"""`extern "C"__global__`: a space after the literal, without which Clang takes the word for the suffix of a literal.

nvcc warns of it, and takes the word for a macro's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.passes.work import Work
from hipport.source import Edit, Replace


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Put a space between a string literal and a word of CUDA's that follows it at once."""
    code = work.unit.code
    if '"__' not in code:
        return
    for word in work.unit.shadow.device_words:
        if code[word.start - 1 : word.start] == '"':
            yield Replace(word.start, word.start, " ")
