"""BERT and ViT built from tile operators, compared with numpy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.examples import bert, vit
from hipport.llm.examples.encoder import made_up
from hipport.llm.harness.binding import open_device
from hipport.llm.operators import Operators
from hipport.toolchain.places import Surroundings
from tests.llm.examples import encoders

BERT: dict[str, Any] = {**bert.CONFIG, **encoders.SMALL, "vocab_size": 100, "max_position_embeddings": 40}
VIT: dict[str, Any] = {**vit.CONFIG, **encoders.SMALL, "image_size": 32, "patch_size": 8}

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture
def operators(target: Target) -> Operators:
    return Operators(open_device(target, Surroundings(), lambda line: None))


def error(values: np.ndarray, reference: np.ndarray) -> float:
    return float(np.abs(values.reshape(reference.shape) - reference).max() / np.abs(reference).max())


def test_bert(operators: Operators) -> None:
    random, weights = np.random.default_rng(1), made_up(bert.names(BERT))
    model = bert.Bert(operators, BERT, weights)
    tokens, types = random.integers(0, 100, (3, 17)), random.integers(0, 2, (3, 17))
    lengths = np.array([17, 1, 9])
    hidden = model.run(tokens, types, lengths)
    values, reference = hidden.read(), encoders.bert(BERT, weights, tokens, types, lengths)
    assert error(values, reference) < 4e-3
    first = np.tanh(reference[:, 0] @ weights["pooler.dense.weight"].T + weights["pooler.dense.bias"])
    assert error(model.pooled(hidden, 3).read(), first) < 4e-3
    others = model.run(tokens[:, ::-1], types, lengths).read()
    assert error(others, encoders.bert(BERT, weights, tokens[:, ::-1], types, lengths)) < 4e-3
    everything = encoders.bert(BERT, weights, tokens, types, np.full(3, 17))
    assert error(values, everything) > 0.1


def test_vit(operators: Operators) -> None:
    weights = made_up(vit.names(VIT)) | made_up(iter([("classifier.weight", (5, 128)), ("classifier.bias", (5,))]))
    named = {f"vit.{name}".replace("vit.classifier", "classifier"): values for name, values in weights.items()}
    model = vit.Vit(operators, VIT, named)
    images = np.random.default_rng(2).standard_normal((2, 3, 32, 32))
    hidden = model.run(images)
    reference = encoders.vit(VIT, weights, images)
    assert error(hidden.read(), reference) < 4e-3
    logits = reference[:, 0] @ weights["classifier.weight"].T + weights["classifier.bias"]
    assert error(model.classified(hidden).read(), logits) < 4e-3
    with pytest.raises(HipportError, match=r"images have the shape \[3, 32, 31\]"):
        model.run(images[..., 1:])


def test_wrong_models_and_inputs(target32: Target) -> None:
    operators = Operators(open_device(target32, Surroundings(), lambda line: None))
    weights = made_up(bert.names(BERT))
    model = bert.Bert(operators, BERT, weights)
    with pytest.raises(HipportError, match="outside the vocabulary of 100"):
        model.run(np.array([[1, 100]]))
    with pytest.raises(HipportError, match="41 tokens exceed the limit of 40"):
        model.run(np.zeros((1, 41), np.int64))
    with pytest.raises(HipportError, match=r"has no tensor encoder\.layer\.2"):
        bert.Bert(operators, BERT | {"num_hidden_layers": 3}, weights)
    with pytest.raises(HipportError, match=r"has the shape \[256, 128\], not \[512, 128\]"):
        bert.Bert(operators, BERT | {"intermediate_size": 512}, weights)
    with pytest.raises(HipportError, match="the activation swish is not supported"):
        bert.Bert(operators, BERT | {"hidden_act": "swish"}, weights)
    with pytest.raises(HipportError, match=r"the activation \['gelu'\] is not supported"):
        bert.Bert(operators, BERT | {"hidden_act": ["gelu"]}, weights)
