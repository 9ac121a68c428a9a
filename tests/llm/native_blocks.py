"""Random tensors in the quantized types of GGUF files: any bits, with scales that give weights of a useful size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType, quants
from gguf.constants import GGML_QUANT_SIZES

from hipport.llm.weights.quantization import Bytes

_SCALES: Mapping[str, tuple[tuple[int, float], ...]] = {
    **dict.fromkeys(("Q4_0", "Q5_0", "Q8_0", "IQ4_NL", "IQ4_XS"), ((0, 1.0),)),
    "Q4_1": ((0, 1.0), (2, -7.5)),
    "Q5_1": ((0, 1.0), (2, -15.5)),
    "Q2_K": ((80, 1.0), (82, 1.5)),
    "Q3_K": ((108, 1.0),),
    "Q4_K": ((0, 1.0), (2, 7.5)),
    "Q5_K": ((0, 1.0), (2, 15.5)),
    "Q6_K": ((208, 1.0),),
    "TQ2_0": ((64, 1.0),),
    "MXFP4": (),
    "NVFP4": (),
}
"""Byte offsets of the half-precision numbers in each block, and their ratio for weights with a mean near 0."""

KINDS = tuple(_SCALES)


def random_blocks(name: str, rows: int, columns: int, random: np.random.Generator, spread: float = 1.0) -> Bytes:
    """Return a tensor [rows][bytes] of a type, whose weights have a standard deviation near `spread`."""
    kind = GGMLQuantizationType[name]
    size, length = GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (rows, columns // size, length), np.uint8)
    _set_scales(blocks, name, np.ones(blocks.shape[:2]))
    if name == "MXFP4":
        blocks[..., 0] = random.integers(126, 129, blocks.shape[:2]) + round(np.log2(spread / 4))
    elif name == "NVFP4":
        middle = round(8 * (8 + np.log2(spread / 6)))
        blocks[..., :4] = np.clip(middle + random.integers(-4, 5, (*blocks.shape[:2], 4)), 1, 126)
    else:
        deviation = quants.dequantize(blocks.reshape(rows, -1), kind).std()
        _set_scales(blocks, name, spread / deviation * random.uniform(0.5, 1.5, blocks.shape[:2]))
    return blocks.reshape(rows, -1)


def any_blocks(name: str, rows: int, columns: int, random: np.random.Generator) -> Bytes:
    """Return a tensor [rows][bytes] of a type with any bits; scales may be infinite or NaN."""
    size, length = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    return random.integers(0, 256, (rows, columns // size * length), np.uint8)


def decoded(blocks: Bytes, name: str) -> npt.NDArray[np.float32]:
    """Return the weights of a tensor as the package gguf decodes them."""
    with np.errstate(all="ignore"):
        found: npt.NDArray[np.float32] = quants.dequantize(blocks, GGMLQuantizationType[name])
    return found


def _set_scales(blocks: Bytes, name: str, scales: npt.NDArray[np.float64]) -> None:
    for at, ratio in _SCALES[name]:
        blocks[..., at : at + 2] = (scales * ratio).astype(np.float16)[..., None].view(np.uint8)
