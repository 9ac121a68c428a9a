"""Which CUDA there is, so that tests do not depend on the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.semantic import run
from hipport.toolchain.places import Surroundings
from tests.semantic.trees import CUDA


@pytest.fixture(params=["headers", "stubs"])
def cuda(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the headers of CUDA 13 from Python's packages, and with no CUDA but the headers made of the tables."""
    folders = (CUDA / "include", CUDA / "include" / "cccl") if request.param == "headers" else ()

    def found(where: Surroundings) -> tuple[Path, ...]:
        return folders

    assert (CUDA / "include" / "cuda_runtime.h").is_file(), "pip install nvidia-cuda-runtime (the dev extra has it)"
    monkeypatch.setattr(run, "cuda_include_dirs", found)
    return str(request.param)
