"""The comparisons of `hipport llm bench`; on the CPU only that they run is checked."""

from __future__ import annotations

import sys

import pytest

from hipport.errors import HipportError
from hipport.llm.bench.torch_peer import measure_torch
from hipport.llm.bench.transformers_peer import measure_transformers
from hipport.llm.model.config import RANDOM_MODELS


@pytest.mark.slow
@pytest.mark.parametrize("group", [32, 128])
def test_pytorch_generates(group: int) -> None:
    pytest.importorskip("torch")
    peer = measure_torch(RANDOM_MODELS["tiny"], 4, 1, group, compiled=False)
    assert peer.tokens_per_second > 0
    assert f"group {group}" in peer.name


def test_no_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(HipportError, match="PyTorch is not installed"):
        measure_torch(RANDOM_MODELS["tiny"], 4, 1)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["tiny", "qwen3-tiny", "qwen3-moe-tiny"])
def test_transformers_generates(shape: str) -> None:
    pytest.importorskip("transformers")
    one, two = measure_transformers(RANDOM_MODELS[shape], 3, 2, 1, (2,))
    assert (one.sequences, two.sequences) == (1, 2)
    assert "float32" in one.name
    assert min(one.tokens_per_second, one.prompt_rate, two.tokens_per_second, two.prompt_rate) > 0
