"""The available CUDA, so that tests do not depend on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.semantic import run
from hipport.toolchain.places import Surroundings
from tests.semantic.trees import CUDA


@pytest.fixture(params=["headers", "stubs"])
def cuda(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the CUDA 13 headers of Python packages, and with only the headers generated from the tables."""
    folders = (CUDA / "include", CUDA / "include" / "cccl") if request.param == "headers" else ()

    def found(where: Surroundings) -> tuple[Path, ...]:
        return folders

    assert (CUDA / "include" / "cuda_runtime.h").is_file(), "pip install nvidia-cuda-runtime (the dev extra has it)"
    monkeypatch.setattr(run, "cuda_include_dirs", found)
    return str(request.param)
