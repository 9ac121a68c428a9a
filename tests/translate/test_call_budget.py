"""Translating the fixture programs takes a number of calls of functions that only a decision may raise.

Each new check costs little; a hundred of them made a conversion three times slower within a week, and nobody saw it.
Calls do not depend on the machine, unlike seconds. Whoever needs more of them raises the bound, in a commit that says
what for, and measures: `python -m tests.benchmarks --only processor_time`.
"""

from __future__ import annotations

import cProfile
from collections.abc import Mapping

import pytest

from hipport.mappings.loader import load
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.benchmarks.corpus import PROGRAMS, sources

MOST_CALLS = 4200
"""Calls of Python and C functions per kB of source; Python before 3.12 also counts comprehensions."""
MOST_SEARCHES = 164
"""Calls of regular expressions per kB of source: each may read the whole of it."""


@pytest.fixture(scope="module")
def counted() -> tuple[float, float]:
    """Calls, and searches among them, per kB of source."""
    files, context = sources(PROGRAMS), Context(load())
    _translate(files, context)  # imports passes and fills caches
    profile = cProfile.Profile()
    profile.runcall(_translate, files, context)
    size = sum(map(len, files.values())) / 1000
    entries = [(str(entry.code), entry.callcount) for entry in profile.getstats()]
    searches = sum(count for name, count in entries if "re.Pattern" in name)
    return sum(count for _, count in entries) / size, searches / size


def _translate(files: Mapping[str, bytes], context: Context) -> None:
    for name, data in files.items():
        convert_source(data, name, context)


def test_calls_are_within_the_budget(counted: tuple[float, float]) -> None:
    assert counted[0] <= MOST_CALLS


def test_searches_are_within_the_budget(counted: tuple[float, float]) -> None:
    assert counted[1] <= MOST_SEARCHES
