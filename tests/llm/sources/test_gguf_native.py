"""Tensors of GGUF files in the engine's layouts have the weights that the package gguf decodes, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType
from gguf.constants import GGML_QUANT_SIZES
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.sources.gguf.native import native_kind, read_native
from hipport.llm.sources.gguf.reader import read_gguf
from hipport.llm.weights.formats import Formats
from hipport.llm.weights.native import FORMATS, Layout, Native
from tests.llm.gguf_files import matrices, stored, write_gguf, write_native
from tests.llm.models import MODELS, make_weights
from tests.llm.native_blocks import KINDS, any_blocks, decoded, random_blocks


def read(blocks: np.ndarray, name: str) -> Native:
    return read_native(blocks, GGMLQuantizationType[name])


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    return bool(((found == wanted) | (np.isnan(found) & np.isnan(wanted))).all())


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=20, deadline=None)
@given(rows=st.integers(1, 6), blocks=st.integers(1, 4), seed=st.integers(0, 10**6))
@example(rows=3, blocks=2, seed=0)
def test_any_bits_give_the_weights_of_the_package(name: str, rows: int, blocks: int, seed: int) -> None:
    columns = blocks * GGML_QUANT_SIZES[GGMLQuantizationType[name]][0]
    data = any_blocks(name, rows, columns, np.random.default_rng(seed))
    with np.errstate(all="ignore"):
        assert same(read(data, name).floats(), decoded(data, name))


@pytest.mark.parametrize("name", KINDS)
def test_the_layout_is_known_before_the_tensor_is_read(name: str) -> None:
    kind = native_kind(GGMLQuantizationType[name])
    assert kind is not None
    matrix = read(random_blocks(name, 9, 512, np.random.default_rng(1)), name)
    layout = Layout(FORMATS[kind.format], kind.group, 9, 512)
    assert matrix.layout == layout
    assert [plane.shape for plane in matrix.planes] == list(layout.planes)
    assert len(matrix.packed()) == layout.bytes


BITS = {
    "Q4_0": 4.5,
    "Q4_1": 5.0,
    "Q5_0": 5.5,
    "Q5_1": 6.0,
    "Q8_0": 8.5,
    "IQ4_NL": 4.5,
    "IQ4_XS": 4.3125,
    "Q2_K": 5.125,
    "Q3_K": 4.5625,
    "Q4_K": 4.625,
    "Q5_K": 5.625,
    "Q6_K": 6.5625,
    "MXFP4": 4.25,
    "NVFP4": 5.0,
    "TQ2_0": 4.0625,
}
"""Bits per weight: scales of six bits take eight, codes of two and three bits take four."""


def test_how_much_memory_weights_take() -> None:
    for name in KINDS:
        kind = native_kind(GGMLQuantizationType[name])
        assert kind is not None
        bits = Layout(FORMATS[kind.format], kind.group, 1024, 4096).bytes * 8 / (1024 * 4096)
        assert (name, bits) == (name, BITS[name])


@pytest.mark.parametrize("name", KINDS)
def test_padding_is_zero(name: str) -> None:
    data = random_blocks(name, 5, 512, np.random.default_rng(2))
    wide = read(data, name).padded(8, 768).floats()
    assert (wide[:5, :512] == decoded(data, name)).all()
    assert not wide[5:].any()
    assert not wide[:, 512:].any()


@pytest.mark.parametrize("name", KINDS)
def test_rows_are_moved(name: str) -> None:
    data, order = random_blocks(name, 5, 512, np.random.default_rng(3)), np.array([4, 0, 3])
    assert (read(data, name).rows(order).floats() == decoded(data, name)[order]).all()


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("MXFP4", "NVFP4")])
@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_scales_that_are_not_finite(name: str, bad: float) -> None:
    data = random_blocks(name, 2, 256, np.random.default_rng(4))
    read(data, name).check()
    at = {"Q2_K": 80, "Q3_K": 108, "Q6_K": 208, "TQ2_0": 64}.get(name, 0)
    data[1, at : at + 2] = np.array([bad], np.float16).view(np.uint8)
    with pytest.raises(HipportError, match="not finite"):
        read(data, name).check()


@pytest.mark.parametrize("name", ["F32", "F16", "BF16", "Q8_K", "IQ2_XXS", "IQ3_S", "TQ1_0", "I32"])
def test_types_that_have_no_layout(name: str) -> None:
    assert native_kind(GGMLQuantizationType[name]) is None


WIDE = MODELS["llama3"] | {"hidden_size": 256, "intermediate_size": 256, "num_hidden_layers": 1}


@pytest.mark.parametrize(
    ("kinds", "preferred"),
    [
        ({"": "Q4_0"}, "q4f16_32"),
        ({"attn_output": "Q4_0", "output.": "Q6_K", "attn_v": "F16", "": "Q4_0"}, "q4f16_32"),
        ({"": "F16"}, "q4f16_32"),
        ({"attn_v": "Q6_K", "": "Q4_K"}, "native"),
        ({"attn_v": "Q4_1", "": "Q4_0"}, "native"),
        ({"": "Q8_0"}, "native"),
    ],
)
def test_files_choose_how_they_run(kinds: dict[str, str], preferred: str, tmp_path: Path) -> None:
    path, _ = write_native(tmp_path / "model.gguf", WIDE, kinds, 1)
    with open_checkpoint(path, Formats("auto")) as model:
        assert model.formats.weights == preferred
    with open_checkpoint(path, Formats("16bit")) as model:
        assert model.formats.weights == "16bit"


def test_types_without_a_layout_are_decoded_and_that_is_said(tmp_path: Path) -> None:
    kinds = matrices(GGMLQuantizationType.TQ1_0, token_embd=GGMLQuantizationType.F16)
    weights = make_weights(WIDE, 1)
    path = write_gguf(tmp_path / "model.gguf", WIDE, weights, kinds)
    with open_checkpoint(path, Formats("auto")) as model:
        assert model.notes == ("decoding 8 tensors of type TQ1_0 to 16 bits",)
        found = {tensor.name: (tensor, data) for tensor, data in model.tensors()}
    tensor, data = found["down"]
    assert tensor.layout is not None and tensor.layout.format is FORMATS["sixteen"]
    exact = stored(weights, kinds)["model.layers.0.mlp.down_proj.weight"]
    assert (data.view(np.float16).reshape(exact.shape) == exact.astype(np.float16)).all()


def test_bad_scales_are_named(tmp_path: Path) -> None:
    path, _ = write_native(tmp_path / "model.gguf", WIDE, {"": "Q8_0"}, 1)
    file = read_gguf(path)
    at = file.tensors["blk.0.ffn_up.weight"].data_offset
    data = bytearray(path.read_bytes())
    data[at + 34 : at + 36] = np.array([np.nan], np.float16).tobytes()
    path.write_bytes(data)
    with (
        open_checkpoint(path, Formats("native")) as model,
        pytest.raises(HipportError, match=r"model\.layers\.0\.mlp\.up_proj\.weight: values that are not finite"),
    ):
        list(model.tensors())
