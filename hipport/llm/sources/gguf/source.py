"""A GGUF file as a source of weights."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType, quants
from gguf.constants import GGML_QUANT_SIZES
from gguf.gguf_reader import ReaderTensor

from hipport.counts import count_of
from hipport.errors import HipportError
from hipport.llm.sources.gguf.config import LONG_DIVISORS, ROPE_DIVISORS, SHORT_DIVISORS, gguf_config
from hipport.llm.sources.gguf.names import expert_of, gguf_name
from hipport.llm.sources.gguf.native import native_kind, read_native
from hipport.llm.sources.gguf.reader import read_gguf, tensor_shape
from hipport.llm.weights.formats import Weights
from hipport.llm.weights.native import Native
from hipport.llm.weights.quantization import Floats, Matrix, Numbers, Quantized
from hipport.llm.weights.tensors import Part, check_shapes, parts_of

if TYPE_CHECKING:
    from hipport.llm.text.tokenizer import Text

_PLAIN = frozenset({GGMLQuantizationType.F16, GGMLQuantizationType.F32, GGMLQuantizationType.F64})
_FAST = _PLAIN | {GGMLQuantizationType.BF16, GGMLQuantizationType.Q4_0}
"""Types that the fastest kernels are for: the engine's own 4 bits, and what is not quantized yet."""
_EXACT = _FAST | {GGMLQuantizationType.Q8_0}
"""Types that need no note: the engine's own, or more exact ones."""
_FOR_ROPE = (ROPE_DIVISORS, LONG_DIVISORS, SHORT_DIVISORS)


class GgufFile:
    """An open file whose tensor shapes and size have been checked: only the values can still be invalid."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = read_gguf(path)
        self.config = gguf_config(self._file)
        self._tensors = self._file.tensors
        self._check()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the weights depend on."""
        return (self.path,)

    def text(self) -> Text:
        """Return the model's tokenizer. Raises `HipportError`."""
        from hipport.llm.text.gguf_tokenizer import gguf_text

        return gguf_text(self.path, self._file.metadata)

    @property
    def preferred(self) -> Weights:
        """The packed format if the layers' matrices are Q4_0 or not quantized, else `native`."""
        kinds = {
            tensor.tensor_type
            for part in parts_of(self.config)
            if len(part.shape) == 2 and part.name.startswith("model.layers.")
            for tensor in self._tensors_of(part)
        }
        return "q4f16_32" if kinds <= _FAST else "native"

    def native_format(self, part: Part) -> tuple[str, int] | None:
        """Return the engine's format that a matrix has, and the columns that share a scale; None if it has none."""
        if self._split(part):
            return None
        kind = native_kind(self._tensor(part).tensor_type)
        return (kind.format, kind.group) if kind else None

    def read_native(self, part: Part) -> Native:
        """Return a matrix as it is, in Hugging Face's order of rows. Raises `HipportError`."""
        tensor = self._tensor(part)
        data = _data(tensor, part)
        matrix = read_native(data.reshape(part.shape[0], -1), tensor.tensor_type)
        matrix.check()
        order = self._order(part)
        return matrix if order is None else matrix.rows(order)

    def notes(self, weights: Weights) -> tuple[str, ...]:
        """Return notes on types that are converted to others that are less exact."""
        return _notes(self._tensors.values(), weights)

    def read(self, part: Part) -> Matrix:
        """Return one tensor; Q4_0 stays quantized. llama's query and key rows are put back in Hugging Face's order."""
        if split := self._split(part):
            return _expanded(*(_matrix(np.asarray(own.data), own.tensor_type, tensor_shape(own)) for own in split))
        tensor = self._tensor(part)
        matrix = _matrix(_data(tensor, part), tensor.tensor_type, part.shape)
        if self.config.architecture.gemma and len(part.shape) == 1:
            matrix = np.asarray(matrix, np.float32) - np.float32(1.0)  # that conversion to GGUF adds
        order = self._order(part)
        if order is None:
            return matrix
        return matrix.rows(order) if isinstance(matrix, Quantized) else matrix[order]

    def _order(self, part: Part) -> Numbers | None:
        """Return the row order that moves RoPE's pairs from adjacent rows to half a head apart; None if not needed."""
        rotated = re.search(r"\.[qk]_proj\.", part.name)
        if rotated is None or self._file.metadata["general.architecture"] != "llama":
            return None
        rows = np.arange(part.shape[0]).reshape(-1, self.config.head_width // 2, 2)
        return rows.swapaxes(1, 2).reshape(-1)

    def _name(self, part: Part) -> str:
        return gguf_name(part.name, self._file.metadata["general.architecture"])

    def _tensor(self, part: Part) -> ReaderTensor:
        return self._tensors[self._name(part)]

    def _split(self, part: Part) -> tuple[ReaderTensor, ...]:
        """Return the tensors of keys and of values that make what is one matrix here, if it is not one in the file."""
        name = self._name(part)
        if not name.endswith(".attn_kv_b.weight") or name in self._tensors:
            return ()
        halves = (name.replace("attn_kv_b", half) for half in ("attn_k_b", "attn_v_b"))
        return tuple(self._tensors[half] for half in halves if half in self._tensors)

    def _tensors_of(self, part: Part) -> tuple[ReaderTensor, ...]:
        return self._split(part) or (self._tensor(part),)

    def _expected(self, part: Part) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the tensors that have a part."""
        latent, heads = self.config.latent, self.config.heads
        if latent and len(split := self._split(part)) == 2:
            shapes = ((heads, latent.rank, latent.nope), (heads, latent.value, latent.rank))
            return {tensor.name: shape for tensor, shape in zip(split, shapes, strict=True)}
        return {self._name(part): self._shape(part)}

    def _shape(self, part: Part) -> tuple[int, ...]:
        """Return the shape of the tensor that a part is in: those of all experts are one."""
        if expert_of(part.name) is None:
            return part.shape[1:] if part.name.endswith("shared_expert_gate.weight") else part.shape
        assert self.config.experts
        return (self.config.experts.count, *part.shape)

    def _check(self) -> None:
        expected: dict[str, tuple[int, ...]] = {}
        for part in parts_of(self.config):
            expected |= self._expected(part)
        found = {name: tensor_shape(tensor) for name, tensor in self._tensors.items() if not self._ignored(name)}
        check_shapes(self.path, "its metadata", expected, found)
        kinds = {self._tensors[name].tensor_type for name in expected}
        if unknown := sorted(kind.name for kind in kinds if not _readable(kind)):
            hint = "Use the model with other types: Q4_0, Q8_0 or F16."
            raise HipportError(f"{self.path}: weights of type {', '.join(unknown)} are not supported", hint=hint)

    def _ignored(self, name: str) -> bool:
        """Return whether a tensor is for RoPE, or of a layer behind the model's, which only predicts further tokens."""
        found = re.match(r"blk\.(\d{1,4})\.", name)
        unused = found is not None and 0 <= int(found[1]) - self.config.layers < self.config.unused_layers
        return unused or name in _FOR_ROPE


def _expanded(keys: Matrix, values: Matrix) -> Floats:
    """Return the matrix of keys and values of all heads, from keys [head][rank][key] and values [head][value][rank]."""
    above, below = (
        part.floats() if isinstance(part, Quantized) else np.asarray(part, np.float32) for part in (keys, values)
    )
    whole = np.concatenate((above.swapaxes(1, 2), below), axis=1)
    return whole.reshape(-1, whole.shape[2])


def _data(tensor: ReaderTensor, part: Part) -> npt.NDArray[Any]:
    """Return the data of a part of a tensor."""
    expert = expert_of(part.name)
    return np.asarray(tensor.data) if expert is None else np.asarray(tensor.data[expert])


def _matrix(data: npt.NDArray[Any], kind: GGMLQuantizationType, shape: tuple[int, ...]) -> Matrix:
    if kind == GGMLQuantizationType.Q4_0 and len(shape) == 2:
        return _four_bits(data, *shape)
    if kind in _PLAIN:
        return data
    with np.errstate(all="ignore"):  # NaN and infinity are rejected when packed
        floats: Floats = quants.dequantize(data, kind)
    return floats


def _four_bits(data: npt.NDArray[Any], rows: int, columns: int) -> Quantized:
    """Read Q4_0 blocks of 32: a scale, then 16 bytes with the first half of the numbers in the low bits. 8 means 0."""
    blocks = data.reshape(rows, columns // 32, 18)
    packed = blocks[..., 2:]
    numbers = np.concatenate((packed & 15, packed >> 4), axis=2).reshape(rows, columns)
    return Quantized(numbers, np.ascontiguousarray(blocks[..., :2]).view(np.float16)[..., 0])


def _readable(kind: GGMLQuantizationType) -> bool:
    """Return whether the package can dequantize weights of this type."""
    if kind in _PLAIN:
        return True
    try:
        quants.dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


def _notes(tensors: Iterable[ReaderTensor], weights: Weights) -> tuple[str, ...]:
    """Return notes on types that the engine does not keep, and that are not what weights are usually made from."""
    kinds = [tensor.tensor_type for tensor in tensors]
    if weights == "native":
        done, counts = "decoding {} of type {} to 16 bits", Counter(k.name for k in kinds if not _is_kept(k))
    else:
        done, counts = "converting {} of type {}", Counter(k.name for k in kinds if k not in _EXACT)
    return tuple(done.format(count_of(count, "tensor"), name) for name, count in sorted(counts.items()))


def _is_kept(kind: GGMLQuantizationType) -> bool:
    return kind in _PLAIN or kind == GGMLQuantizationType.BF16 or native_kind(kind) is not None
