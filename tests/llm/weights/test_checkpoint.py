"""Checkpoints: broken ones are reported before anything is loaded, and the cache returns what was packed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hipport.errors import HipportError
from hipport.llm.model.config import RANDOM_MODELS
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.weights.cache import CachedCheckpoint
from hipport.llm.weights.random_weights import RandomWeights
from hipport.llm.weights.tensors import wanted
from hipport.llm.weights.tile_formats import FourBits
from tests.llm.models import MODELS, make_weights, write_model

LLAMA = MODELS["llama3"]
FOUR_BITS = FourBits(32)
SHARD = "model-00002-of-00002.safetensors"
GATE = "model.layers.1.mlp.gate_proj.weight"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model", LLAMA, make_weights(LLAMA, 1), shards=2)


def made(folder: Path) -> dict[tuple[str, int], bytes]:
    with open_checkpoint(folder) as model:
        return {(tensor.name, tensor.layer): data.tobytes() for tensor, data in model.tensors()}


def kept(folder: Path, base: Path) -> dict[tuple[str, int], bytes]:
    with open_checkpoint(folder) as model:
        return {(tensor.name, tensor.layer): data.tobytes() for tensor, data in CachedCheckpoint(model, base).tensors()}


@pytest.mark.parametrize("name", MODELS)
def test_all_tensors_have_the_engine_s_sizes(name: str, tmp_path: Path) -> None:
    write_model(tmp_path, MODELS[name], make_weights(MODELS[name], 1))
    with open_checkpoint(tmp_path) as model:
        assert all(data.nbytes == tensor.bytes for tensor, data in model.tensors())
        assert any(tensor.name == "qkv_bias" for tensor in wanted(model.config, FOUR_BITS)) == (name == "qwen2")


def test_gate_is_beside_up_and_padding_zero(tmp_path: Path) -> None:
    weights = make_weights(MODELS["mistral"], 1)
    with open_checkpoint(write_model(tmp_path, MODELS["mistral"], weights)) as model:
        tensor, tiles = next((t, d) for t, d in model.tensors() if t.name == "gate_up" and t.layer == 1)
    rows = FOUR_BITS.decode(tiles)
    assert tensor.shape == (768, 192)
    for at, part, row in ((0, "gate", 0), (8, "up", 0), (23, "gate", 15), (24, "up", 8)):
        expected = weights[f"model.layers.1.mlp.{part}_proj.weight"][row]
        assert np.corrcoef(rows[at], expected)[0, 1] > 0.98
    assert not rows[720:].any()


@pytest.mark.parametrize("kind", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
def test_types_of_weights(kind: Any, tmp_path: Path) -> None:
    weights = make_weights(LLAMA, 1)
    plain = {name: values.astype(ml_dtypes.bfloat16).astype(np.float32) for name, values in weights.items()}
    write_model(tmp_path / "plain", LLAMA, plain)
    typed = {name: values.astype(kind) for name, values in plain.items()}
    if kind is np.float16:
        plain = {name: values.astype(np.float32) for name, values in typed.items()}
        write_model(tmp_path / "plain", LLAMA, plain)
    assert made(write_model(tmp_path / "typed", LLAMA, typed)) == made(tmp_path / "plain")


def truncate(folder: Path) -> None:
    os.truncate(folder / SHARD, (folder / SHARD).stat().st_size - 10)


def change(**weights: Any) -> Callable[[Path], None]:
    """Return a function that writes the model again with other tensors; None removes one."""

    def write(folder: Path) -> None:
        changed = make_weights(LLAMA, 1) | {name.replace("__", "."): values for name, values in weights.items()}
        write_model(folder, LLAMA, {name: values for name, values in changed.items() if values is not None}, shards=2)

    return write


def index(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "model.safetensors.index.json").write_text(text) and None


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (truncate, f"{SHARD} is damaged"),
        (lambda folder: (folder / SHARD).write_bytes(b""), f"{SHARD} is damaged"),
        (lambda folder: (folder / SHARD).unlink(), f"{SHARD} is missing"),
        (index("{}"), "does not map tensors to files"),
        (index('{"weight_map": {"a": "../x.safetensors"}}'), "does not map tensors to files"),
        (index('{"weight_map": {"a": 3}}'), "does not map tensors to files"),
        (index('{"weight_map": {"a": ["model.safetensors"]}}'), "does not map tensors to files"),
        (index('{"weight_map": {"a": "\\ud800"}}'), "does not map tensors to files"),
        (index("no"), "is not valid JSON"),
        (change(model__norm__weight=None), "lacks the tensor model.norm.weight"),
        (
            change(model__norm__weight=np.ones(191, np.float32)),
            r"has the shape \[191\], but config.json requires \[192\]",
        ),
        (change(model__norm__weight=np.ones(192, np.int32)), "is of type I32"),
        (change(model__layers__0__extra=np.ones(3, np.float32)), "does not have"),
    ],
)
def test_broken_folders(folder: Path, harm: Callable[[Path], Any], said: str) -> None:
    harm(folder)
    with pytest.raises(HipportError, match=said), open_checkpoint(folder):
        pass


def test_frequencies_of_older_files_are_passed_over(folder: Path) -> None:
    before = made(folder)
    change(model__layers__0__self_attn__rotary_emb__inv_freq=np.ones(32, np.float32))(folder)
    with open_checkpoint(folder) as model:
        assert len(list(model.tensors())) == len(before)


def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    with pytest.raises(HipportError, match=r"model\.safetensors is missing") as caught, open_checkpoint(tmp_path):
        pass
    assert "GGUF" in str(caught.value.hint)


def test_weights_that_are_not_finite_are_named(tmp_path: Path) -> None:
    weights = make_weights(LLAMA, 1)
    weights[GATE][3, 5] = np.nan
    write_model(tmp_path, LLAMA, weights)
    with pytest.raises(HipportError, match=rf"{GATE} and .*up_proj.weight: weights that are not finite"):
        made(tmp_path)


def test_what_is_kept_is_what_was_packed(folder: Path, tmp_path: Path) -> None:
    base, fresh = tmp_path / "kept", made(folder)
    assert kept(folder, base) == fresh
    (stored,) = base.iterdir()
    times = [path.stat().st_mtime_ns for path in sorted(stored.iterdir())]
    assert kept(folder, base) == fresh
    assert [path.stat().st_mtime_ns for path in sorted(stored.iterdir())] == times
    assert len(times) == 2


def test_what_was_kept_and_is_damaged_is_made_again(folder: Path, tmp_path: Path) -> None:
    base, fresh = tmp_path / "kept", kept(folder, tmp_path / "kept")
    (stored,) = base.iterdir()
    data = bytearray((stored / "weights.bin").read_bytes())
    data[len(data) // 2] ^= 1
    (stored / "weights.bin").write_bytes(data)
    assert kept(folder, base) == fresh
    assert not (stored / "checksums.json").exists()
    assert kept(folder, base) == fresh
    assert (stored / "checksums.json").exists()
    assert (stored / "weights.bin").read_bytes() != data


def test_a_cache_that_cannot_be_written_stops_nobody(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert kept(folder, tmp_path / "file/kept") == made(folder)


def test_another_checkpoint_is_kept_apart(folder: Path, tmp_path: Path) -> None:
    before = kept(folder, tmp_path / "kept")
    write_model(folder, LLAMA, make_weights(LLAMA, 2), shards=2)
    after = kept(folder, tmp_path / "kept")
    assert after == made(folder) != before


def test_loading_that_is_broken_off_keeps_nothing(folder: Path, tmp_path: Path) -> None:
    with open_checkpoint(folder) as model:
        tensors = CachedCheckpoint(model, tmp_path / "kept").tensors()
        next(tensors)
        tensors.close()  # type: ignore[attr-defined]
    assert not list((tmp_path / "kept").iterdir())


def test_random_weights_depend_on_the_seed_only() -> None:
    def all_bytes(seed: int) -> list[bytes]:
        return [data.tobytes() for _, data in RandomWeights(RANDOM_MODELS["tiny"], seed).tensors()]

    assert all_bytes(1) == all_bytes(1) != all_bytes(2)
    sizes = [tensor.bytes for tensor, _ in RandomWeights(RANDOM_MODELS["tiny"]).tensors()]
    assert [len(data) for data in all_bytes(1)] == sizes


def test_random_matrices_keep_the_size_of_vectors() -> None:
    for tensor, data in RandomWeights(RANDOM_MODELS["tiny"]).tensors():
        if tensor.packing:
            weights = FOUR_BITS.decode(data.reshape(tensor.shape[0] // 16, -1, 576))
            assert 0.9 < weights.std() * np.sqrt(tensor.shape[1]) < 1.1


@pytest.mark.parametrize("group", [32, 128])
def test_random_weights_lean_to_neither_side(group: int) -> None:
    packing = FourBits(group)
    tiles = packing.random(np.random.Generator(np.random.SFC64(5)), 512 * packing.tile_bytes, 0.5)
    weights = packing.decode(tiles.reshape(32, 16, -1))
    assert abs(weights.mean()) < 4 * 0.5 / np.sqrt(weights.size)
    assert weights.min() == -weights.max()
    assert len(np.unique(weights)) == 15
