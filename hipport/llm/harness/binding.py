"""The kernels' C interface (hipport_kernels.h) for ctypes: versions, device memory, launches."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hipport.builds.request import OutputKind
from hipport.builds.shipped import Progress, Shipped, Target, built
from hipport.errors import HipportError
from hipport.llm.runtime.binding import load_library
from hipport.llm.runtime.library import defines_of, exact
from hipport.llm.weights.tensors import Array
from hipport.toolchain.places import Surroundings

_LLM = Path(__file__).parents[1]
_SHIPPED = Shipped(
    "kernels",
    "libhipport_kernels.so",
    OutputKind.SHARED,
    _LLM.parent,
    ("llm/harness", "llm/operators", "llm/kernels", "llm/engine"),
)


class _Described(ctypes.Structure):
    """The C struct `hipport_kernel`."""

    _fields_ = [
        ("name", c_char_p),
        ("version", c_int32),
        ("what", c_char_p),
        ("blocks", POINTER(c_int32)),
        ("block_count", c_int32),
    ]


class _Arguments(ctypes.Structure):
    """The C struct `hipport_kernel_arguments`."""

    _fields_ = [
        ("sizes", POINTER(c_int64)),
        ("numbers", POINTER(c_float)),
        ("buffers", POINTER(c_void_p)),
        *((name, c_int32) for name in ("size_count", "number_count", "buffer_count", "block")),
    ]


_FUNCTIONS = {
    "describe": (c_int32, POINTER(_Described)),
    "launch": (c_int32, POINTER(_Arguments), c_int32, POINTER(c_double)),
    "run": (POINTER(c_int32), POINTER(_Arguments), c_int32),
    "allocate": (c_size_t, POINTER(c_void_p)),
    "upload": (c_void_p, c_void_p, c_size_t),
    "download": (c_void_p, c_void_p, c_size_t),
    "device": (c_char_p, c_size_t),
}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a kernel. `blocks`: the supported numbers of threads per block."""

    index: int
    kernel: str
    number: int
    what: str
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a launch, documented in the kernel's file. `buffers`: device addresses or None."""

    sizes: Sequence[int]
    buffers: Sequence[int | None]
    numbers: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """A version of a kernel, its threads per block and its arguments."""

    version: Version
    block: int
    arguments: Arguments


class Memory:
    """Device memory, freed when nothing refers to it anymore."""

    def __init__(self, device: Device, size: int) -> None:
        memory = c_void_p()
        device.call("allocate", size, ctypes.byref(memory))
        self.address = memory.value or 0
        self.size = size
        self._device = device
        weakref.finalize(self, device.free, memory)

    def write(self, values: Array, at: int = 0) -> None:
        """Copy an array to the device, `at` bytes from the start."""
        values = np.ascontiguousarray(values)
        if at + values.nbytes > self.size:
            raise ValueError(f"{values.nbytes} bytes at {at} of memory of {self.size}")
        self._device.call("upload", self.address + at, values.ctypes.data, values.nbytes)

    def read(self, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
        """Wait for all launches to finish and copy an array from the start of the memory."""
        values = np.empty(shape, dtype)
        self._device.call("download", values.ctypes.data, self.address, values.nbytes)
        return values


class Device:
    """The kernels of a library and the device that they run on."""

    def __init__(self, path: Path) -> None:
        self._library = load_library(path, "kernels", "hipport_kernels", _FUNCTIONS)
        self._library.hipport_kernels_free.argtypes = (c_void_p,)
        self._library.hipport_kernels_free.restype = None
        found = [self._describe(index) for index in range(self._library.hipport_kernels_count())]
        self.versions = tuple(sorted(found, key=lambda version: (version.kernel, version.number)))

    @property
    def name(self) -> str:
        text = ctypes.create_string_buffer(128)
        self.call("device", text, len(text))
        return text.value.decode(errors="replace")

    def last(self, kernel: str) -> Version:
        """Return the newest version of a kernel."""
        return [version for version in self.versions if version.kernel == kernel][-1]

    def launch(self, version: Version, block: int, arguments: Arguments) -> None:
        """Launch a kernel without waiting for it. Raises `HipportError`."""
        self._launch(version, block, arguments, 1, None)

    def seconds(self, version: Version, block: int, arguments: Arguments, repeat: int) -> float:
        """Return the mean seconds per launch of `repeat` in a row. Raises `HipportError`."""
        seconds = c_double()
        self._launch(version, block, arguments, repeat, ctypes.byref(seconds))
        return seconds.value / repeat

    def call(self, name: str, *arguments: Any) -> None:
        """Call `hipport_kernels_NAME`. Raises `HipportError`."""
        if getattr(self._library, f"hipport_kernels_{name}")(*arguments) != 0:
            said = self._library.hipport_kernels_error().decode(errors="replace")
            raise HipportError(f"the device's library cannot {name}: {said}")

    def free(self, memory: c_void_p) -> None:
        self._library.hipport_kernels_free(memory)

    def _launch(self, version: Version, block: int, arguments: Arguments, repeat: int, seconds: Any) -> None:
        self.call("launch", version.index, ctypes.byref(_passed(block, arguments)), repeat, seconds)

    def _describe(self, index: int) -> Version:
        said = _Described()
        self.call("describe", index, ctypes.byref(said))
        blocks = tuple(said.blocks[: said.block_count])
        return Version(index, said.name.decode(), said.version, said.what.decode(), blocks)


class Program:
    """Launches that one call starts in order, any number of times; their arguments are converted once."""

    def __init__(self, device: Device, launches: Sequence[Launch]) -> None:
        self._device = device
        self._indices = (c_int32 * len(launches))(*(launch.version.index for launch in launches))
        self._arguments = (_Arguments * len(launches))(*(_passed(each.block, each.arguments) for each in launches))

    def start(self) -> None:
        """Start all launches without waiting for them. Raises `HipportError`."""
        self._device.call("run", self._indices, self._arguments, len(self._indices))


def _passed(block: int, arguments: Arguments) -> _Arguments:
    sizes = (c_int64 * len(arguments.sizes))(*arguments.sizes)
    numbers = (c_float * len(arguments.numbers))(*arguments.numbers)
    buffers = (c_void_p * len(arguments.buffers))(*arguments.buffers)
    return _Arguments(sizes, numbers, buffers, len(sizes), len(numbers), len(buffers), block)


def library(
    target: Target, where: Surroundings, progress: Progress, compiler: str | None = None, shipped: Shipped = _SHIPPED
) -> Path:
    """Return the library with the kernels of a target, built if needed. Raises `HipportError`."""
    target = exact(target)
    return built(shipped, target, where, progress, compiler=compiler, defines=defines_of(target))


def open_device(
    target: Target, where: Surroundings, progress: Progress, compiler: str | None = None, shipped: Shipped = _SHIPPED
) -> Device:
    """Return the device of a target with its kernels, built if needed. Raises `HipportError`."""
    return Device(library(target, where, progress, compiler, shipped))
