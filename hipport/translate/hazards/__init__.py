"""Checks for code that compiles on AMD GPUs but may behave differently there, one module each: HP2xx.

A check has a `run(work)` that yields diagnostics, and `WORDS`: it runs, and is imported, only for files that contain
one of them, so that other files cost nothing; `<<<` stands for launches, and the texts of `IN_LITERALS` for literals
that they may be in. `python -m scripts.check_words` collects the words in `words.py`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator

from hipport.translate.hazards.words import WORDS
from hipport.translate.passes import Step
from hipport.translate.syntax.unit import Unit

IN_LITERALS = (b".target sm_", b"libcu", b"libnv", b"libnccl", b"nvcuda.dll", b"cudart64")
"""Parts of PTX and of names of libraries: one file may define these, and another one load them."""


def checks(unit: Unit, words: frozenset[str]) -> Iterator[Step]:
    """Yield the `run` functions of the checks for a file with these words."""
    present = words | {"<<<"} if unit.launches else words
    text = unit.source.text
    if found := [each.decode() for each in IN_LITERALS if each in text]:
        present = present.union(found)
    for name, wanted in WORDS.items():
        if not present.isdisjoint(wanted):
            yield _check(name)


@functools.cache
def _check(name: str) -> Step:
    run: Step = importlib.import_module(f"{__name__}.{name}").run
    return run
