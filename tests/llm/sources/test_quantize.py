"""`hipport llm quantize` writes what the package gguf quantizes, and everything else unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, TokenType, quants

from hipport.errors import HipportError
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.sources.gguf.quantize import TYPES, quantize_file
from hipport.llm.sources.gguf.reader import read_gguf
from hipport.llm.weights.formats import Formats
from tests.llm.gguf_files import F32, matrices, vocabulary, write_gguf, write_native
from tests.llm.models import MODELS, make_weights
from tests.llm.test_cli import hipport

CONFIG = MODELS["qwen2"] | {"intermediate_size": 352}
WORDS = vocabulary(["<s>", "a", "ä"], {"<s>": TokenType.CONTROL})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    weights = make_weights(CONFIG, 1)
    more = {"tokenizer__ggml__scores": [0.0, -1.5, 2.0], "tokenizer__ggml__add_bos_token": True}
    return write_gguf(tmp_path / "in.gguf", CONFIG, weights, matrices(F32), **WORDS, **more)


@pytest.mark.parametrize("kind", TYPES)
def test_matrices_are_those_of_the_package(kind: str, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.gguf"
    found = quantize_file(source, target, kind, {"attn_v": "Q8_0"})
    before, after = read_gguf(source), read_gguf(target)
    assert before.metadata.keys() == after.metadata.keys()
    for key, value in before.metadata.items():
        assert key.startswith("GGUF.") or after.metadata[key] == value
    for name, tensor in before.tensors.items():
        wanted = "F32" if len(tensor.shape) < 2 else "Q8_0" if "attn_v" in name else kind
        made = after.tensors[name]
        assert (name, made.tensor_type.name) == (name, wanted)
        assert (made.data == quants.quantize(np.asarray(tensor.data), GGMLQuantizationType[wanted])).all()
    assert {tensor.name for tensor in found} == {name for name in before.tensors if len(before.tensors[name].shape) > 1}
    most = {"F32": 0.0, "F16": 3e-4, "BF16": 3e-3, "Q8_0": 7e-3, "Q5_1": 0.04, "Q5_0": 0.05}.get(kind, 0.15)
    assert all(tensor.error <= (7e-3 if "attn_v" in tensor.name else most) for tensor in found)
    assert sum(tensor.error for tensor in found) > 0
    with open_checkpoint(source) as original, open_checkpoint(target, Formats("auto")) as model:
        assert model.config == original.config
        assert len(list(model.tensors())) > 0


def test_matrices_of_the_type_are_copied(tmp_path: Path) -> None:
    path, _ = write_native(tmp_path / "in.gguf", CONFIG | {"intermediate_size": 512}, {"ffn": "Q6_K", "": "Q8_0"}, 1)
    found = quantize_file(path, tmp_path / "out.gguf", "Q8_0", {})
    before, after = read_gguf(path), read_gguf(tmp_path / "out.gguf")
    assert (after.tensors["blk.0.attn_q.weight"].data == before.tensors["blk.0.attn_q.weight"].data).all()
    errors = {tensor.name: (tensor.before, tensor.error) for tensor in found}
    assert errors["blk.0.attn_q.weight"] == ("Q8_0", 0.0)
    assert errors["blk.0.ffn_up.weight"][0] == "Q6_K"
    assert 0 < errors["blk.0.ffn_up.weight"][1] < 0.01


def test_rows_that_are_not_whole_blocks(tmp_path: Path) -> None:
    config = MODELS["qwen2"] | {"intermediate_size": 328}
    path = write_gguf(tmp_path / "in.gguf", config, make_weights(config, 1), matrices(F32))
    found = quantize_file(path, tmp_path / "out.gguf", "Q4_0", {})
    assert {tensor.after for tensor in found if "ffn_down" in tensor.name} == {"F16"}
    assert {tensor.after for tensor in found if "ffn_down" not in tensor.name} == {"Q4_0"}


def test_nothing_is_left_of_a_failure(source: Path, tmp_path: Path) -> None:
    weights = make_weights(CONFIG, 1)
    weights["model.layers.1.mlp.up_proj.weight"][3, 4] = np.inf
    bad = write_gguf(tmp_path / "bad.gguf", CONFIG, weights, matrices(F32))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(HipportError, match=r"blk\.1\.ffn_up\.weight has values that are not finite"):
        quantize_file(bad, tmp_path / "out.gguf", "Q8_0", {})
    with pytest.raises(HipportError, match=r"in\.gguf exists"):
        quantize_file(bad, source, "Q8_0", {})
    with pytest.raises(HipportError, match="cannot write"):
        quantize_file(source, tmp_path / "missing" / "out.gguf", "Q8_0", {})
    assert sorted(tmp_path.iterdir()) == before


def test_the_command(source: Path, tmp_path: Path) -> None:
    result = hipport("quantize", source.name, "out.gguf", "--type", "Q4_0", "--tensor", "token_embd=Q8_0", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "blk.0.ffn_up.weight: F32 to Q4_0, relative error 8." in result.stderr
    assert "14 matrices Q4_0, 1 matrix Q8_0\n" in result.stdout
    assert "bits per weight, relative error " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["in.gguf", "out.gguf", "--type", "Q4_K"], "'Q4_K' is not one of"),
        (["in.gguf", "out.gguf", "--type", "Q8_0", "--tensor", "output"], "--tensor output is not WORD=TYPE"),
        (["in.gguf", "out.gguf", "--type", "Q8_0", "--tensor", "a=b"], "--tensor a=b is not WORD=TYPE"),
        (["in.gguf", "out.gguf", "--type", "Q8_0", "--tensor", "token_embed=F16"], "in.gguf has no matrix token_embed"),
        (["in.gguf", "out.gguf", "--type", "Q8_0", "--tensor", "attn_norm=F16"], "Its matrices: attn_k, "),
        ([".", "out.gguf", "--type", "Q8_0"], ". is a folder, not a GGUF file"),
        (["no.gguf", "out.gguf", "--type", "Q8_0"], "cannot read no.gguf"),
    ],
)
def test_wrong_arguments(arguments: list[str], said: str, source: Path, tmp_path: Path) -> None:
    result = hipport("quantize", *arguments, cwd=tmp_path)
    assert result.returncode != 0
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out.gguf").exists()
