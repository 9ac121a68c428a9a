"""Opens GGUF files with the package gguf, and validates offsets and lengths."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gguf import GGUFReader, GGUFValueType
from gguf.gguf_reader import ReaderTensor

from hipport.errors import HipportError

_LONGEST_LIST = 1 << 21
"""Vocabularies have up to 260,000 words. Each takes some hundred bytes to read."""


class _Reader(GGUFReader):
    """Adds bounds checks: the package treats data beyond the end of a file as empty, and trusts the lengths of lists.

    It also reads lists item by item, which takes half a minute for a vocabulary; here they are read whole.
    """

    def _get(self, offset: int, dtype: Any, count: int = 1, override_order: Any = None) -> Any:
        self._expect(int(offset) + np.dtype(dtype).itemsize * int(count))
        return super()._get(int(offset), dtype, count, override_order)

    def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
        if raw_type != GGUFValueType.ARRAY:
            return super()._get_field_parts(orig_offs, raw_type)
        kind, length = self._get(orig_offs, np.uint32)[0], int(self._get(orig_offs + 4, np.uint64)[0])
        if kind == GGUFValueType.ARRAY or length > _LONGEST_LIST:
            raise ValueError(f"a list of {length} items of type {kind}")
        first = int(orig_offs) + 12
        if kind == GGUFValueType.STRING:
            end, parts = self._strings(first, length)
        else:
            parts = [self._get(first, self.gguf_scalar_to_np[GGUFValueType(kind)], length)]
            end = first + parts[0].nbytes
        return end - orig_offs, parts, list(range(len(parts))), [GGUFValueType.ARRAY, GGUFValueType(kind)]

    def _strings(self, at: int, count: int) -> tuple[int, list[Any]]:
        """Return the offset where the strings end, and their bytes."""
        data: Any = self.data
        raw, found = memoryview(data), []
        order: Literal["little", "big"] = "little" if (sys.byteorder == "little") == (self.byte_order == "I") else "big"
        for _ in range(count):
            self._expect(at + 8)
            first = at + 8
            at = first + int.from_bytes(raw[at:first], order)
            self._expect(at)
            found.append(raw[first:at])
        return at, found

    def _expect(self, end: int) -> None:
        if end > len(self.data):
            raise ValueError(f"it has {len(self.data)} bytes, but needs at least {end}")


@dataclass(frozen=True, slots=True)
class Gguf:
    """The contents of a GGUF file."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, ReaderTensor]


def read_gguf(path: Path) -> Gguf:
    """Open a GGUF file, leaving its tensors on disk. Raises `HipportError` if it is broken."""
    try:
        with np.errstate(all="ignore"):  # offsets that overflow there fail the bounds checks here
            reader = _Reader(path)
        metadata = {name: field.contents() for name, field in reader.fields.items()}
    except OSError as error:
        raise HipportError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise HipportError(f"{path} is not a valid GGUF file: {error}", hint="Is the download complete?") from None
    return Gguf(path, metadata, {tensor.name: tensor for tensor in reader.tensors})


def tensor_shape(tensor: ReaderTensor) -> tuple[int, ...]:
    """Return the shape of a tensor with rows before columns, as in numpy."""
    return tuple(int(size) for size in reversed(tensor.shape))
