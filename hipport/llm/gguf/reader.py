"""Opens GGUF files with the package gguf, and makes sure that they are what they say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, GGUFValueType
from gguf.gguf_reader import ReaderTensor

from hipport.errors import HipportError

_LONGEST_LIST = 1 << 21
"""Vocabularies have 260 thousand words. Each takes some hundred bytes to read."""


class _Reader(GGUFReader):
    """The package takes what is beyond the end of a file for empty, and lists to be as long as they say."""

    def _get(self, offset: int, dtype: Any, count: int = 1, override_order: Any = None) -> Any:
        end = int(offset) + np.dtype(dtype).itemsize * int(count)
        if end > len(self.data):
            raise ValueError(f"it should have {end} bytes or more, and has {len(self.data)}")
        return super()._get(int(offset), dtype, count, override_order)

    def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
        if raw_type == GGUFValueType.ARRAY:
            kind, length = self._get(orig_offs, np.uint32)[0], self._get(orig_offs + 4, np.uint64)[0]
            if kind == GGUFValueType.ARRAY or length > _LONGEST_LIST:
                raise ValueError(f"a list of {length} items of type {kind}")
        return super()._get_field_parts(orig_offs, raw_type)


@dataclass(frozen=True, slots=True)
class Gguf:
    """What a GGUF file says."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, ReaderTensor]


def read_gguf(path: Path) -> Gguf:
    """Open a GGUF file; its tensors stay on the disk. Raises `HipportError` for what is broken."""
    try:
        reader = _Reader(path)
        metadata = {name: field.contents() for name, field in reader.fields.items()}
    except OSError as error:
        raise HipportError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise HipportError(f"{path} is no GGUF file, or broken: {error}", hint="Is the download whole?") from None
    return Gguf(path, metadata, {tensor.name: tensor for tensor in reader.tensors})


def tensor_shape(tensor: ReaderTensor) -> tuple[int, ...]:
    """Rows before columns, as in numpy."""
    return tuple(int(size) for size in reversed(tensor.shape))
