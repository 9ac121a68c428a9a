"""The engine on the CPU, and the references of other tests, agree with transformers."""

from __future__ import annotations

from types import ModuleType

import pytest

from hipport.builds.shipped import Target
from tests.llm.models import MODELS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def transformers() -> ModuleType:
    """The module, imported only when needed, because that takes seconds."""
    torch = pytest.importorskip("torch")
    from tests.llm import against_transformers

    torch.set_num_threads(1)
    return against_transformers


@pytest.mark.toolchain
@pytest.mark.parametrize("name", MODELS)
def test_tokens_and_logits_are_those_of_transformers(name: str, target: Target, transformers: ModuleType) -> None:
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
