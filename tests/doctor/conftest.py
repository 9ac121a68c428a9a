"""A machine without a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doctor.plant import Planted, healthy


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return healthy(tmp_path)
