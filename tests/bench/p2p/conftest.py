"""The copy program, built once for the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.bench.p2p.measure import PROGRAM
from hipport.builds.shipped import Target, built
from hipport.toolchain.places import Surroundings
from tests.session_cache import session_cache


@pytest.fixture(scope="session")
def bench_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder for this session, the same for all workers of pytest-xdist."""
    shared = session_cache(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared))
        yield shared


@pytest.fixture
def p2p(bench_cache: Path) -> Path:
    return built(PROGRAM, Target("cpu"), Surroundings(), lambda line: None)
