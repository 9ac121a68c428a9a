"""Passes: each module here has a `run(work)` that yields edits and diagnostics, and does not see other passes' edits.

A pass is found by being in this package. Its edits are given in offsets of the original text, so their order does not
matter. A pass with `WORDS` runs, and is imported, only for files that contain a word of each of these sets, so that
other files cost nothing. `python -m scripts.check_words` collects passes and words in `words_of.py`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from hipport.diagnostics import Diagnostic
from hipport.source import Edit
from hipport.translate.memory import Said
from hipport.translate.passes.words_of import WORDS
from hipport.translate.work import Work

Step = Callable[[Work], Iterator[Edit | Diagnostic]]


def steps(words: frozenset[str]) -> Iterator[Step]:
    """Yield the `run` functions of the passes for a file with these words, in the order of their module names."""
    for name, wanted in WORDS.items():
        if not (wanted and any(map(words.isdisjoint, wanted))):
            yield _step(name)


@functools.cache
def _step(name: str) -> Step:
    run: Step = importlib.import_module(f"{__name__}.{name}").run
    return run


def run(steps: Iterable[Step], work: Work, before: Mapping[str, Said]) -> dict[str, Said]:
    """Run passes or checks; `before` is what they said of the same file and references when nothing was told.

    What one says depends on the file, its references and the facts that it asks for. So where nobody tells any of
    these kinds, it says the same again.
    """
    same = {name: said for name, said in before.items() if said.heard.isdisjoint(work.kinds_told)}
    return {name: same.get(name) or _said(step, work) for step in steps for name in [step.__module__]}


def _said(step: Step, work: Work) -> Said:
    work.heard.clear()
    results = tuple(step(work))
    return Said(results, frozenset(work.heard)) if results or work.heard else _NOTHING


_NOTHING = Said((), frozenset())
"""The result of most, one object for all of them."""
