"""Tensors of safetensors files in data types that the package cannot give to numpy, from their bytes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json


def read_bytes(path: Path, name: str, shape: tuple[int, ...], kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return a tensor of a file that the package has checked. Raises `HipportError`."""
    size = math.prod(shape) * kind.itemsize
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > LARGEST_JSON:
                raise ValueError(f"a header of {length} bytes")
            first, last = parse_json(file.read(length), str(path))[name]["data_offsets"]
            if last - first != size or first < 0:
                raise ValueError(f"{name} has {last - first} bytes, not {size}")
            file.seek(8 + length + first)
            data = file.read(size)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HipportError(f"{path} is damaged: {error}", hint="Is the download complete?") from None
    if len(data) != size:
        raise HipportError(f"{path} is damaged: {name} is cut off", hint="Is the download complete?")
    return np.frombuffer(data, kind).reshape(shape)
