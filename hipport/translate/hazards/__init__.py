"""Checks for code that compiles on AMD GPUs but may behave differently there, one module each: HP2xx.

A check is found by being in this package. It has a `run(work)` that yields diagnostics, and `WORDS`: it runs only on
files that contain one of them, so that other files cost nothing.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hipport.diagnostics import Diagnostic
from hipport.translate.work import Work


@dataclass(frozen=True, slots=True)
class Check:
    """A check, and the words of which a file must contain one."""

    words: frozenset[str]
    run: Callable[[Work], Iterator[Diagnostic]]


@functools.cache
def checks() -> tuple[Check, ...]:
    """Return all checks, in the order of their module names."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return tuple(Check(module.WORDS, module.run) for module in modules if hasattr(module, "run"))


@functools.cache
def _all_words() -> frozenset[str]:
    return frozenset().union(*(check.words for check in checks()))


def hazards(work: Work) -> Iterator[Diagnostic]:
    """Yield the diagnostics of all checks for a file."""
    words = work.unit.words & _all_words()
    if words:
        for check in checks():
            if not check.words.isdisjoint(words):
                yield from check.run(work)
