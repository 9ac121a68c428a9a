"""GGUF files survive a round trip, and broken ones are reported before anything is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGMLQuantizationType

from hipport.builds.shipped import Target
from hipport.errors import HipportError
from hipport.llm.model.rope import frequencies
from hipport.llm.runtime.opening import open_engine
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.tile_formats import FourBits
from tests.llm.gguf_files import F16, F32, Q4_0, Q5_1, Q8_0, matrices, stored, write_gguf
from tests.llm.models import MODELS, Weights, make_weights, quantized, untied, write_model
from tests.llm.reference import logits

LLAMA, QWEN = MODELS["llama3"], MODELS["qwen2"]
BF16 = GGMLQuantizationType.BF16


def made(path: Path) -> dict[tuple[str, int], bytes]:
    with open_checkpoint(path) as model:
        return {(tensor.name, tensor.layer): data.tobytes() for tensor, data in model.tensors()}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", [F32, F16, BF16, Q8_0])
def test_a_file_is_as_good_as_a_folder(name: str, kind: GGMLQuantizationType, tmp_path: Path) -> None:
    """Except for RoPE's scaling, which GGUF stores in another form."""
    config, kinds = MODELS[name] | {"intermediate_size": 320}, matrices(kind, token_embd=F16)
    weights = make_weights(config, 1)
    path = write_gguf(tmp_path / "model.gguf", config, weights, kinds)
    folder = write_model(tmp_path / "folder", config, stored(weights, kinds))
    assert made(path) == made(folder)
    with open_checkpoint(path) as file, open_checkpoint(folder) as model:
        width = model.config.head_width
        np.testing.assert_allclose(
            frequencies(file.config.rope, width), frequencies(model.config.rope, width), rtol=1e-6
        )
        assert file.config.epsilon == pytest.approx(model.config.epsilon)
        assert replace(file.config, epsilon=model.config.epsilon, rope=model.config.rope) == model.config


def test_q4_0_is_kept_number_by_number(tmp_path: Path) -> None:
    weights, kinds = make_weights(LLAMA, 1), matrices(Q4_0, token_embd=F16)
    path, exact = write_gguf(tmp_path / "model.gguf", LLAMA, weights, kinds), stored(weights, kinds)
    found = {}
    with open_checkpoint(path) as model:
        for tensor, data in model.tensors():
            if tensor.packing:
                found[tensor.name, tensor.layer] = FourBits(32).decode(data)
    assert (found["head", 0][:500] == exact["lm_head.weight"]).all()
    assert (found["down", 1] == exact["model.layers.1.mlp.down_proj.weight"]).all()
    assert (found["gate_up", 1][8:16] == exact["model.layers.1.mlp.up_proj.weight"][:8]).all()
    query = exact["model.layers.0.self_attn.q_proj.weight"]
    assert (found["qkv", 0][:16] == query[[*range(8), *range(32, 40)]]).all()


def test_other_types_are_converted_and_that_is_said(tmp_path: Path) -> None:
    weights, kinds = make_weights(LLAMA, 1), matrices(Q4_0, output=Q5_1, attn_v=Q8_0)
    with open_checkpoint(write_gguf(tmp_path / "model.gguf", LLAMA, weights, kinds)) as model:
        # attn_output and output
        assert model.notes == ("converting 3 tensors of type Q5_1",)
        tensors = {(tensor.name, tensor.layer): data for tensor, data in model.tensors()}
    exact, near = FourBits(32).decode(tensors["qkv", 0]), stored(weights, kinds)
    assert (exact[:8] == near["model.layers.0.self_attn.q_proj.weight"][:8]).all()
    value = near["model.layers.0.self_attn.v_proj.weight"]
    assert np.corrcoef(exact[-1], value[-1])[0, 1] > 0.99
    assert np.corrcoef(FourBits(32).decode(tensors["head", 0])[3], near["lm_head.weight"][3])[0, 1] > 0.99


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_gguf(tmp_path / "model.gguf", LLAMA, make_weights(LLAMA, 1), matrices(Q8_0))


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size if size >= 0 else path.stat().st_size + size)


def change(weights: Weights | None = None, **metadata: Any) -> Callable[[Path], None]:
    """Return a function that writes the model again; None removes a tensor or a key."""

    def write(path: Path) -> None:
        changed = make_weights(LLAMA, 1) | (weights or {})
        kept = {name: values for name, values in changed.items() if values is not None}
        write_gguf(path, LLAMA, kept, matrices(F16), **metadata)

    return write


def overwrite(at: int, data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("r+b") as stream:
            stream.seek(at)
            stream.write(data)

    return write


NORM, ODD = "model.norm.weight", "model.layers.7.mlp.up_proj.weight"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (cut(-1), "not a valid GGUF file: it has .* bytes"),
        (cut(1000), "not a valid GGUF file: it has"),
        (cut(30), "not a valid GGUF file: it has"),
        (cut(0), "not a valid GGUF file"),
        (overwrite(0, b"GGML"), "not a valid GGUF file"),
        (overwrite(4, b"\x09"), "version 9"),
        (overwrite(16, b"\xff" * 7), "broken"),
        (overwrite(8, b"\xff" * 7), "broken"),
        (change(weights={NORM: None}), "lacks the tensor output_norm.weight"),
        (change(weights={NORM: np.ones(191)}), r"has the shape \[191\], but its metadata requires \[192\]"),
        (change(weights={ODD: np.ones((3, 3))}), "a tensor blk.7.ffn_up.weight that its architecture"),
        (change(weights={"model.embed_tokens.weight": None}), "lacks .*token_embd.weight"),
        (change(llama__block_count=3), "lacks the tensor blk.2.attn_norm.weight"),
        (change(llama__block_count=0), "llama.block_count is 0"),
        (change(llama__block_count=2**32 - 1), "llama.block_count is 4294967295"),
        (change(llama__block_count=2**31 - 1), "layers exceed the limit of 1000"),
        (change(llama__block_count=None), "lacks 'llama.block_count'"),
        (change(llama__block_count="two"), "llama.block_count is 'two'"),
        (change(llama__expert_count=8), "lacks 'llama.expert_used_count'"),
        (change(llama__expert_count=8, llama__expert_used_count=2), "lacks the tensor blk.0.ffn_gate_inp.weight"),
        (change(llama__expert_count=8, llama__expert_used_count=9), "9 of 8 experts"),
        (change(llama__expert_shared_count=1), "expert_shared_count is not supported"),
        (change(llama__attention__sliding_window=0.5), "sliding_window is 0.5"),
        (change(llama__rope__scaling__type="dynamic"), "'dynamic' is not supported"),
        (change(llama__rope__scaling__type="yarn"), "lacks 'llama.rope.scaling.factor'"),
        (change(llama__rope__dimension_count=32), "32 of 64 dimensions"),
        (change(llama__rope__freq_base=0.5), "theta is 0.5"),
        (change(llama__attention__head_count=3), "3 heads of 64"),
    ],
)
def test_broken_files(file: Path, harm: Callable[[Path], None], said: str) -> None:
    harm(file)
    with pytest.raises(HipportError, match=said) as caught, open_checkpoint(file):
        pass
    assert str(file) in str(caught.value)


def test_an_architecture_that_is_not_there(tmp_path: Path) -> None:
    from gguf import GGUFWriter

    writer = GGUFWriter(tmp_path / "model.gguf", "mamba")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(HipportError, match="mamba is not supported"), open_checkpoint(tmp_path / "model.gguf"):
        pass


def test_weights_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    weights = make_weights(LLAMA, 1)
    path = write_gguf(tmp_path / "model.gguf", LLAMA, weights, matrices(F32))
    data = path.read_bytes()
    name = b"output.weight"
    at = data.index(len(name).to_bytes(8, "little") + name) + 8 + len(name) + 4 + 16
    path.write_bytes(data[:at] + int(GGMLQuantizationType.I32).to_bytes(4, "little") + data[at + 4 :])
    with pytest.raises(HipportError, match="weights of type I32 are not supported"), open_checkpoint(path):
        pass


def test_a_list_that_is_longer_than_the_file_is_not_read(file: Path) -> None:
    change(tokenizer__ggml__token_type=[1, 1, 1])(file)
    data = file.read_bytes()
    at = data.index(b"token_type") + len(b"token_type") + 8
    for length in (10**6, 2**60):
        file.write_bytes(data[:at] + length.to_bytes(8, "little") + data[at + 8 :])
        with pytest.raises(HipportError, match="not a valid GGUF file"), open_checkpoint(file):
            pass


def test_what_ends_a_text(tmp_path: Path) -> None:
    words = {"tokenizer__ggml__tokens": ["a", "<|eot_id|>", "b", "<|end|>"], "tokenizer__ggml__eot_token_id": 3}
    path = write_gguf(tmp_path / "model.gguf", LLAMA, make_weights(LLAMA, 1), matrices(F16), **words)
    with open_checkpoint(path) as model:
        assert model.config.end_tokens == (2, 3, 1)


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama3", "qwen2"])
def test_tokens_and_logits_are_those_of_the_reference(name: str, target32: Target, tmp_path: Path) -> None:
    config, prompt, steps = MODELS[name], [1, 17, 254, 99, 3], 24
    weights, kinds = make_weights(config, 2), matrices(Q4_0, token_embd=F16)
    path = write_gguf(tmp_path / "model.gguf", config, weights, kinds)
    with open_checkpoint(path) as model, open_engine(model, target32, positions=64) as engine:
        last = engine.prefill(prompt, logits=True)
        made = engine.generate(prompt[-1], len(prompt) - 1, steps)
    kept = untied(config, stored(weights, kinds))
    exact = kept[1] if name == "llama3" else kept[1] | quantized(kept[0], {"lm_head.weight": kept[1]["lm_head.weight"]})
    expected = logits(kept[0], exact, prompt + made)
    assert made == expected[len(prompt) - 1 : -1].argmax(axis=1).tolist()
    assert last is not None
    assert np.abs(last - expected[len(prompt) - 1]).max() <= 1e-2 * np.abs(last).max()
