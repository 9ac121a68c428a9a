"""Writes a GGUF file with its matrices in other types. The package gguf quantizes."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, quants
from gguf.constants import GGML_QUANT_SIZES
from gguf.gguf_reader import ReaderTensor

from hipport.errors import HipportError, UsageError
from hipport.llm.sources.gguf.reader import Gguf, read_gguf, tensor_shape

TYPES = ("Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "MXFP4", "BF16", "F16", "F32")
"""Types that the package can quantize to, and that are of use for whole models."""
_FALLBACK = GGMLQuantizationType.F16
_OWN = ("GGUF.", "general.architecture", "general.alignment", "general.file_type", "general.quantization_version")
"""Keys that the writer adds itself, or that describe the types of the original file."""


@dataclass(frozen=True, slots=True)
class Requantized:
    """A matrix that was written: its number of weights, the types before and after, bytes, and the error.

    `error`: the root mean square of the difference, relative to that of the weights before.
    """

    name: str
    weights: int
    before: str
    after: str
    bytes: int
    error: float


def quantize_file(
    source: Path,
    target: Path,
    kind: str,
    others: Mapping[str, str],
    progress: Callable[[Requantized], None] = lambda tensor: None,
) -> tuple[Requantized, ...]:
    """Write `source` as `target` with matrices of the type `kind`, or `others` for names that contain a word.

    Matrices whose rows are not whole blocks are F16. Raises `HipportError`; `target` is then not written.
    """
    if target.exists():
        raise HipportError(f"{target} exists", hint="Remove it or choose another name.")
    file = read_gguf(source)
    _check(file)
    _check_words(file, others)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-", suffix=".unfinished")
        os.close(handle)
    except OSError as error:
        raise HipportError(f"cannot write {target}: {error.strerror}") from None
    temporary = Path(name)
    try:
        found = tuple(_written(file, temporary, _kinds(file, kind, others), progress))
        os.link(temporary, target)  # fails if the target has appeared
    except OSError as error:
        raise HipportError(f"cannot write {target}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()
    return found


def _check(file: Gguf) -> None:
    for tensor in file.tensors.values():
        try:
            if not _is_plain(tensor.tensor_type):
                quants.dequantize(np.zeros((1, GGML_QUANT_SIZES[tensor.tensor_type][1]), np.uint8), tensor.tensor_type)
        except NotImplementedError:
            said = f"{tensor.name} of type {tensor.tensor_type.name} cannot be decoded"
            raise HipportError(f"{file.path}: {said}", hint="Use the model in another type.") from None


def _check_words(file: Gguf, words: Iterable[str]) -> None:
    """Raise `UsageError` for a word that is in no matrix's name: it is misspelt."""
    matrices = [name for name, tensor in file.tensors.items() if len(tensor_shape(tensor)) > 1]
    for word in words:
        if not any(word in name for name in matrices):
            parts = sorted({re.sub(r"^blk\.\d+\.|\.weight$", "", name) for name in matrices})
            raise UsageError(f"{file.path} has no matrix {word}", hint=f"Its matrices: {', '.join(parts)}.")


def _kinds(file: Gguf, kind: str, others: Mapping[str, str]) -> dict[str, GGMLQuantizationType]:
    """Return the new type of each tensor: vectors keep theirs."""
    found = {}
    for name, tensor in file.tensors.items():
        shape = tensor_shape(tensor)
        chosen = GGMLQuantizationType[next((other for word, other in others.items() if word in name), kind)]
        if len(shape) < 2:
            chosen = tensor.tensor_type
        elif shape[-1] % GGML_QUANT_SIZES[chosen][0]:
            chosen = _FALLBACK
        found[name] = chosen
    return found


def _written(
    file: Gguf, path: Path, kinds: Mapping[str, GGMLQuantizationType], progress: Callable[[Requantized], None]
) -> Iterator[Requantized]:
    writer = GGUFWriter(path, file.metadata["general.architecture"])
    _copy_metadata(file.path, writer)
    for name, kind in kinds.items():
        shape = tensor_shape(file.tensors[name])
        stored = (*shape[:-1], _row_bytes(shape[-1], kind))
        writer.add_tensor_info(name, stored, np.dtype(np.uint8), int(np.prod(stored)), kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    try:
        for name, kind in kinds.items():
            data, made = _converted(file.tensors[name], kind)
            writer.write_tensor_data(data)
            if len(tensor_shape(file.tensors[name])) > 1:
                progress(made)
                yield made
    finally:
        writer.close()


def _converted(tensor: ReaderTensor, kind: GGMLQuantizationType) -> tuple[npt.NDArray[Any], Requantized]:
    before = tensor.tensor_type
    raw = np.asarray(tensor.data)
    if before == kind:
        data, error = _rows(raw), 0.0
    else:
        floats = raw.astype(np.float32) if _is_plain(before) else quants.dequantize(raw, before)
        if not np.isfinite(floats).all():
            raise HipportError(f"{tensor.name} has values that are not finite")
        data = _rows(quants.quantize(np.ascontiguousarray(floats, np.float32), kind))
        error = _error(floats, _decoded(data, kind))
    shape = tensor_shape(tensor)
    return data, Requantized(tensor.name, int(np.prod(shape)), before.name, kind.name, data.nbytes, error)


def _decoded(data: npt.NDArray[Any], kind: GGMLQuantizationType) -> npt.NDArray[np.float32]:
    if _is_plain(kind):
        return data.view(kind.name.replace("F", "float")).astype(np.float32)
    found: npt.NDArray[np.float32] = quants.dequantize(data, kind)
    return found


def _error(exact: npt.NDArray[np.float32], found: npt.NDArray[np.float32]) -> float:
    size = float(np.sqrt(np.mean(np.square(exact, dtype=np.float64))))
    return float(np.sqrt(np.mean(np.square(exact - found, dtype=np.float64)))) / size if size else 0.0


def _rows(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the bytes of an array, row by row."""
    whole = np.ascontiguousarray(data)
    return whole.view(np.uint8).reshape(*whole.shape[:-1], -1)


def _row_bytes(columns: int, kind: GGMLQuantizationType) -> int:
    size, length = GGML_QUANT_SIZES[kind]
    return columns // size * length


def _is_plain(kind: GGMLQuantizationType) -> bool:
    return kind in (GGMLQuantizationType.F16, GGMLQuantizationType.F32, GGMLQuantizationType.F64)


def _copy_metadata(path: Path, writer: GGUFWriter) -> None:
    for name, field in GGUFReader(path).fields.items():
        if name.startswith(_OWN) or not field.types:
            continue
        value = field.contents()
        if field.types[0] != GGUFValueType.ARRAY:
            writer.add_key_value(name, value, field.types[0])
        elif isinstance(value, Sequence) and value:
            writer.add_key_value(name, value, GGUFValueType.ARRAY, sub_type=field.types[-1])
