"""The engine, built once for all tests and workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.builds.shipped import Target
from tests.session_cache import session_cache


@pytest.fixture(scope="session")
def engine_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder for this session, the same for all workers of pytest-xdist."""
    shared = session_cache(tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared))
        yield shared


@pytest.fixture(params=[32, 64], ids=lambda wave: f"wave{wave}")
def target(request: pytest.FixtureRequest, engine_cache: Path) -> Target:
    """The CPU, with both wavefront sizes."""
    return Target("cpu", wave_size=request.param)


@pytest.fixture
def target32(engine_cache: Path) -> Target:
    """The CPU, for tests in which the wavefront size does not matter."""
    return Target("cpu", wave_size=32)
