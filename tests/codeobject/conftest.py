from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hipport.codeobject import Binary, read


@pytest.fixture
def inspect(tmp_path: Path) -> Callable[[bytes], Binary]:
    """A function that inspects bytes as a file."""

    def inspect_bytes(content: bytes) -> Binary:
        path = tmp_path / "input"
        path.write_bytes(content)
        return read(path)

    return inspect_bytes
