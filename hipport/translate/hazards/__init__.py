"""Checks for code that compiles on AMD GPUs but may behave differently there, one module each: HP2xx.

A check has a `run(work)` that yields diagnostics, and `WORDS`: it runs, and is imported, only for files that contain
one of them, so that other files cost nothing; `<<<` stands for launches. `python -m scripts.check_words` collects the
words in `words.py`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

from hipport.translate.hazards.words import WORDS
from hipport.translate.passes import Step
from hipport.translate.syntax.unit import Unit


def checks(unit: Unit, words: frozenset[str]) -> Iterator[Step]:
    """Yield the `run` functions of the checks for a file with these words."""
    present = words | {"<<<"} if unit.launches else words
    for name, wanted in WORDS.items():
        if not present.isdisjoint(wanted):
            yield _check(name)


@functools.cache
def _check(name: str) -> Step:
    run: Step = importlib.import_module(f"{__name__}.{name}").run
    return run
