"""The engine on the CPU, and the references of other tests, agree with transformers.

`HIPPORT_TEST_ALL=1` compares all models with both wavefront sizes.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from hipport.builds.shipped import Target
from tests.llm.models import MODELS
from tests.llm.other_models import OTHERS
from tests.shared import EVERYTHING

pytestmark = pytest.mark.slow
ALL = [*MODELS, *OTHERS]
BOTH = ALL if EVERYTHING else ["llama3", "qwen3", "mixtral"]
"""The models that are compared with both wavefront sizes: a plain one, one with norms of heads, one with experts."""


@pytest.fixture(scope="module")
def transformers() -> ModuleType:
    """The module, imported only when needed, because that takes seconds."""
    torch = pytest.importorskip("torch")
    from tests.llm import against_transformers

    torch.set_num_threads(1)
    return against_transformers


@pytest.mark.toolchain
@pytest.mark.parametrize(("name", "wave_size"), [*((name, 32) for name in ALL), *((name, 64) for name in BOTH)])
def test_tokens_and_logits_are_those_of_transformers(
    name: str, wave_size: int, engine_cache: Path, transformers: ModuleType
) -> None:
    target = Target("cpu", wave_size=wave_size)
    ours, theirs = transformers.of_the_engine(name, target), transformers.of_transformers(name)
    assert len(theirs.tokens) == 64 and len(set(theirs.tokens)) > 30
    assert ours.tokens == theirs.tokens
    assert transformers.error(ours.logits, theirs.logits) <= transformers.TOLERANCE


@pytest.mark.parametrize("name", MODELS)
def test_the_reference(name: str, transformers: ModuleType) -> None:
    """The tolerance allows for transformers' single-precision RoPE frequencies."""
    assert transformers.reference_error(name) < 1e-5


def test_the_references_of_encoders(transformers: ModuleType) -> None:
    assert transformers.bert_error() < 1e-14
    assert transformers.vit_error() < 1e-14
