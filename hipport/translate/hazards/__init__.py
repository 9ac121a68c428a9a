"""Checks for code that compiles on AMD GPUs but may behave differently there, one module each: HP2xx.

A check has a `run(work)` that yields diagnostics, and `WORDS`: it runs, and is imported, only for files that contain
one of them, so that other files cost nothing; `<<<` stands for launches. `python -m scripts.check_words` collects the
words in `words.py`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator

from hipport.diagnostics import Diagnostic
from hipport.translate.hazards.words import WORDS
from hipport.translate.work import Work

Check = Callable[[Work], Iterator[Diagnostic]]


def hazards(work: Work) -> Iterator[Diagnostic]:
    """Yield the diagnostics of all checks for a file."""
    present = work.unit.words | {"<<<"} if work.unit.launches else work.unit.words
    for name, words in WORDS.items():
        if not present.isdisjoint(words):
            yield from _check(name)(work)


@functools.cache
def _check(name: str) -> Check:
    run: Check = importlib.import_module(f"{__name__}.{name}").run
    return run
