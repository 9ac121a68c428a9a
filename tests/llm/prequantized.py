"""Small models whose layers are quantized with AWQ, GPTQ or FP8, by their authors' formulas."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

from tests.llm.models import MODELS, Config, Weights, make_weights

CONFIG = MODELS["mistral"] | {"hidden_size": 256, "intermediate_size": 384}
Made = tuple[dict[str, np.ndarray], np.ndarray]
Quantize = Callable[[str, np.ndarray], Made]
AWQ = {"quant_method": "awq", "bits": 4, "group_size": 64, "version": "gemm", "zero_point": True}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": False, "sym": False}
FP8_BLOCKS = {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}
FP8_TENSOR = {"quant_method": "fp8", "activation_scheme": "static"}
FP8_ROWS = {"quant_method": "compressed-tensors", "format": "float-quantized"}
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def groups_of(values: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes [columns][rows], zeros and scales [groups][rows] for transposed weights."""
    parts = values.T.reshape(-1, group, len(values))
    low, high = parts.min(axis=1), parts.max(axis=1)
    scales = ((high - low) / 15).astype(np.float16)
    zeros = np.clip(np.rint(-low / scales), 1, 15).astype(np.int64)
    codes = np.clip(np.rint(parts / scales[:, None]) + zeros[:, None], 0, 15).astype(np.int64)
    return codes.reshape(values.T.shape), zeros, scales


def words(numbers: np.ndarray, order: list[int]) -> np.ndarray:
    """Pack along the second axis, as AutoAWQ's loops do."""
    found = np.zeros((numbers.shape[0], numbers.shape[1] // 8), np.int64)
    for column in range(found.shape[1]):
        for i in range(8):
            found[:, column] |= numbers[:, column * 8 + order[i]] << (i * 4)
    return found.astype(np.uint32).view(np.int32)


def awq(stem: str, values: np.ndarray) -> Made:
    codes, zeros, scales = groups_of(values, 64)
    made = {"qweight": words(codes, AWQ_ORDER), "qzeros": words(zeros, AWQ_ORDER), "scales": scales}
    exact = (codes - zeros.repeat(64, axis=0)).astype(np.float32) * scales.astype(np.float32).repeat(64, axis=0)
    return {f"{stem}.{name}": array for name, array in made.items()}, exact.T


def gptq(stem: str, values: np.ndarray) -> Made:
    codes, zeros, scales = groups_of(values, 32)
    plain = list(range(8))
    made = {"qweight": words(codes.T, plain).T, "qzeros": words(zeros - 1, plain), "scales": scales}
    made["g_idx"] = (np.arange(values.shape[1]) // 32).astype(np.int32)
    exact = (codes - zeros.repeat(32, axis=0)).astype(np.float32) * scales.astype(np.float32).repeat(32, axis=0)
    return {f"{stem}.{name}": array for name, array in made.items()}, exact.T


def fp8_blocks(stem: str, values: np.ndarray) -> Made:
    random = np.random.default_rng(len(values))
    scales = random.uniform(5e-4, 1e-3, [-(-size // 128) for size in values.shape]).astype(np.float32)
    wide = scales.repeat(128, axis=0)[: values.shape[0]].repeat(128, axis=1)[:, : values.shape[1]]
    codes = np.clip(values / wide, -448, 448).astype(ml_dtypes.float8_e4m3fn)
    return {f"{stem}.weight": codes, f"{stem}.weight_scale_inv": scales}, codes.astype(np.float32) * wide


def fp8_tensor(stem: str, values: np.ndarray) -> Made:
    scale = np.array(np.abs(values).max() / 448, np.float32)
    codes = (values / scale).astype(ml_dtypes.float8_e4m3fn)
    made = {f"{stem}.weight": codes, f"{stem}.weight_scale": scale, f"{stem}.input_scale": np.array(1, np.float32)}
    return made, codes.astype(np.float32) * scale


def fp8_rows(stem: str, values: np.ndarray) -> Made:
    scales = (np.abs(values).max(axis=1, keepdims=True) / 440).astype(ml_dtypes.bfloat16)
    codes = (values / scales.astype(np.float32)).astype(ml_dtypes.float8_e4m3fn)
    return {f"{stem}.weight": codes, f"{stem}.weight_scale": scales}, codes.astype(np.float32) * scales.astype(
        np.float32
    )


SCHEMES: dict[str, tuple[dict[str, Any], Quantize]] = {
    "awq": (AWQ, awq),
    "gptq": (GPTQ, gptq),
    "gptq_v2": (GPTQ | {"checkpoint_format": "gptq_v2"}, gptq),
    "fp8_blocks": (FP8_BLOCKS, fp8_blocks),
    "fp8_tensor": (FP8_TENSOR, fp8_tensor),
    "fp8_rows": (FP8_ROWS, fp8_rows),
}


def save(path: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write a safetensors file; the package cannot write FP8 of numpy, so the header is changed afterwards."""
    plain = {
        name: np.ascontiguousarray(array.view(np.uint8) if array.dtype == ml_dtypes.float8_e4m3fn else array)
        for name, array in tensors.items()
    }
    save_file(plain, path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    for name, array in tensors.items():
        if array.dtype == ml_dtypes.float8_e4m3fn:
            header[name]["dtype"] = "F8_E4M3"
    told = json.dumps(header).encode()
    path.write_bytes(len(told).to_bytes(8, "little") + told + data[8 + length :])


def write(folder: Path, name: str, change: Callable[[dict[str, np.ndarray], Config], None] | None = None) -> Weights:
    """Write a model with quantized layers; return its exact weights."""
    told, quantize = SCHEMES[name]
    tensors: dict[str, np.ndarray] = {}
    exact: Weights = {}
    for key, values in make_weights(CONFIG, 2).items():
        if "proj" in key:
            made, exact[key] = quantize(key.removesuffix(".weight"), values)
            if name == "gptq_v2":
                made = {k: words(groups_of(values, 32)[1], list(range(8))) if "qz" in k else v for k, v in made.items()}
            tensors |= made
        else:
            tensors[key] = exact[key] = values.astype(np.float16)
    config = CONFIG | {"quantization_config": told}
    if change:
        change(tensors, config)
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save(folder / "model.safetensors", tensors)
    return exact
