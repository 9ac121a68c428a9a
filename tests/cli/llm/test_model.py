"""Options that choose a model."""

from __future__ import annotations

from typing import get_args

from hipport.cli.llm.model import RandomModel
from hipport.llm.model.config import RANDOM_MODELS


def test_random_weights_can_have_every_shape_that_there_is() -> None:
    assert {*get_args(RandomModel)} == {*RANDOM_MODELS}
