"""PyTorch beside which `hipport llm bench` is run; on the CPU it is checked that it runs at all."""

from __future__ import annotations

import importlib.util

import pytest

from hipport.errors import HipportError
from hipport.llm.config import RANDOM_MODELS
from hipport.llm.torch_peer import measure_torch

WITH_TORCH = importlib.util.find_spec("torch") is not None


@pytest.mark.slow
@pytest.mark.skipif(not WITH_TORCH, reason="PyTorch is not installed")
@pytest.mark.parametrize("group", [32, 128])
def test_pytorch_generates(group: int) -> None:
    peer = measure_torch(RANDOM_MODELS["tiny"], 4, 1, group, compiled=False)
    assert peer.tokens_per_second > 0
    assert f"group {group}" in peer.name


@pytest.mark.skipif(WITH_TORCH, reason="PyTorch is installed")
def test_no_pytorch() -> None:
    with pytest.raises(HipportError, match="no PyTorch"):
        measure_torch(RANDOM_MODELS["tiny"], 4, 1)
