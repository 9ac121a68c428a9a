"""Passes: each module here has a `run(work)` that yields edits and diagnostics, and does not see other passes' edits.

A pass is found by being in this package. Its edits are given in offsets of the original text, so their order does not
matter. A pass with `WORDS` runs, and is imported, only for files that contain a word of each of these sets, so that
other files cost nothing. `python -m scripts.check_words` collects passes and words in `words_of.py`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

from hipport.translate.passes.words_of import WORDS
from hipport.translate.step import Step


def steps(words: frozenset[str]) -> Iterator[Step]:
    """Yield the `run` functions of the passes for a file with these words, in the order of their module names."""
    for name, wanted in WORDS.items():
        if not (wanted and any(map(words.isdisjoint, wanted))):
            yield _step(name)


@functools.cache
def _step(name: str) -> Step:
    run: Step = importlib.import_module(f"{__name__}.{name}").run
    return run
