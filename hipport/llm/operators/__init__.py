"""Python interface to the tile operators: half-precision tensors on the device and operations on them."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Mapping
from enum import IntEnum
from functools import cached_property
from math import prod
from types import MappingProxyType

import numpy as np

from hipport.llm.harness.binding import Arguments, Device, Launch, Memory, Program
from hipport.llm.weights.tensors import Array

_BLOCKS: Mapping[str, int] = MappingProxyType({"layer_norm": 128, "embedding": 96})
"""Threads per block, where it is not the most that the kernel supports."""

_ENOUGH = 128
"""Number of 128 x 128 tiles that keeps a GPU busy; with fewer, 64 x 64 tiles are used."""


class Activation(IntEnum):
    """Activation function applied to a product, numbered as in `operators/epilogue.cuh`."""

    NONE = 0
    FAST_GELU = 1
    GELU = 2
    TANH = 3
    RELU = 4


class Tensor:
    """A row-major array on the device."""

    def __init__(self, memory: Memory, shape: tuple[int, ...]) -> None:
        self.memory = memory
        self.shape = shape

    @property
    def address(self) -> int:
        """Address of the first element."""
        return self.memory.address

    def read(self) -> Array:
        """Wait for all launches to finish and return the elements."""
        return self.memory.read(self.shape, np.float16)

    def write(self, values: Array) -> None:
        """Overwrite the elements, converted to half precision or, for integers, 32 bits."""
        if values.shape != self.shape:
            raise ValueError(f"cannot copy values of shape {values.shape} to a tensor of shape {self.shape}")
        self.memory.write(_rounded(values))

    def wait(self) -> None:
        """Wait for all launches to finish."""
        self.memory.read((1,), np.uint8)


class Operators:
    """Launches operators one after another; memory of garbage-collected tensors is reused.

    The newest version of an operator runs. Methods return before the device has finished; errors raise `HipportError`.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._free: dict[int, list[Memory]] = defaultdict(list)

    def tensor(self, values: Array) -> Tensor:
        """Copy an array to the device, in half precision; integers as 32 bits."""
        values = _rounded(values)
        made = Tensor(Memory(self.device, values.nbytes), values.shape)
        made.memory.write(values)
        return made

    def empty(self, *shape: int) -> Tensor:
        """Return an uninitialized half-precision tensor."""
        size = 2 * prod(shape)
        free = self._free[size]
        memory = free.pop() if free else Memory(self.device, size)
        made = Tensor(memory, shape)
        weakref.finalize(made, free.append, memory)
        return made

    def linear(
        self,
        x: Tensor,
        weights: Tensor,
        bias: Tensor | None = None,
        *,
        add: Tensor | None = None,
        add_more: Tensor | None = None,
        activation: Activation = Activation.NONE,
    ) -> Tensor:
        """Return activation(x weights^T + bias + add + add_more) for x [rows][depth], weights [columns][depth]."""
        (rows, depth), columns = x.shape, weights.shape[0]
        out = self.empty(rows, columns)
        sizes = (rows, columns, depth, activation)
        self._launch("gemm", sizes, (x, weights, out, bias, add, add_more), block=_tile_block(rows, columns))
        return out

    def attention(self, joined: Tensor, batch: int, heads: int, lengths: Tensor | None = None) -> Tensor:
        """Return self-attention for queries, keys and values in `joined`, [batch * positions][3 * heads * width].

        `lengths`: the number of visible positions of each sequence.
        """
        positions, all_width = joined.shape[0] // batch, joined.shape[1] // 3
        width, stride = all_width // heads, joined.shape[1]
        out = self.empty(batch * positions, all_width)
        first = joined.address
        buffers = (first, first + 2 * all_width, first + 4 * all_width, out.address, lengths and lengths.address)
        sizes = (batch, heads, positions, positions, width, stride, stride, 0)
        self._launch("attention", sizes, buffers, (width**-0.5,))
        return out

    def layer_norm(
        self, x: Tensor, factors: Tensor, summands: Tensor, epsilon: float, residual: Tensor | None = None
    ) -> Tensor:
        """Return LayerNorm of the rows of x + residual."""
        out = self.empty(*x.shape)
        self._launch("layer_norm", x.shape, (x, out, factors, summands, residual, None), (epsilon,))
        return out

    def group_norm(self, x: Tensor, groups: int, factors: Tensor, summands: Tensor, epsilon: float) -> Tensor:
        """Return group normalization of x [image][position][channel]."""
        out = self.empty(*x.shape)
        self._launch("group_norm", (*x.shape, groups), (x, out, factors, summands), (epsilon,))
        return out

    def convolution(
        self,
        x: Tensor,
        weights: Tensor,
        bias: Tensor | None = None,
        *,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """Return the 2D convolution of x [image][row][column][channel].

        `weights`: [output][tap row][tap column][channel of the group].
        """
        images, height, width, channels = x.shape
        outputs, taps_y, taps_x, _ = weights.shape
        lengths = (
            (length + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
            for length, taps in ((height, taps_y), (width, taps_x))
        )
        shape = (images, *lengths, outputs)
        out = out or self.empty(*shape)
        how = (stride, padding, dilation, groups)
        sizes = (images, height, width, channels, outputs, taps_y, taps_x, *how)
        block = _tile_block(prod(shape[:3]), outputs // groups)
        self._launch("convolution", sizes, (x, weights, out, bias), block=block)
        return out

    def rows(
        self, table: Tensor, numbers: Tensor, more: Tensor | None = None, more_numbers: Tensor | None = None
    ) -> Tensor:
        """Return the rows of a table with these numbers, each plus a row of another table if there is one."""
        rows, width = numbers.shape[0], table.shape[-1]
        out = self.empty(rows, width)
        self._launch("embedding", (rows, width), (numbers, table, out, more_numbers, more))
        return out

    def _launch(
        self,
        name: str,
        sizes: tuple[int, ...],
        buffers: tuple[Tensor | int | None, ...],
        numbers: tuple[float, ...] = (),
        block: int | None = None,
    ) -> None:
        version = self.device.last(name)
        addresses = [buffer.address if isinstance(buffer, Tensor) else buffer for buffer in buffers]
        block = block or _BLOCKS.get(name, version.blocks[-1])
        self._start(Launch(version, block, Arguments(sizes, addresses, numbers)))

    def _start(self, launch: Launch) -> None:
        self.device.launch(launch.version, launch.block, launch.arguments)


class Recorder(Operators):
    """Records operators; `start` launches all of them with one call, any number of times.

    Tensors made by `tensor` keep their contents until `write`. All others are overwritten by the next start.
    """

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._launches: list[Launch] = []
        self._kept: list[Tensor] = []

    def tensor(self, values: Array) -> Tensor:
        """Copy an array to the device and keep it as long as the recorder exists."""
        made = super().tensor(values)
        self._kept.append(made)
        return made

    def start(self) -> None:
        """Launch what was recorded before the first start."""
        self._program.start()

    @cached_property
    def _program(self) -> Program:
        return Program(self.device, self._launches)

    def _start(self, launch: Launch) -> None:
        self._launches.append(launch)


def _rounded(values: Array) -> Array:
    """Convert values to the data type of tensors."""
    rounded: Array = values.astype(np.int32 if values.dtype.kind in "iu" else np.float16)
    return rounded


def _tile_block(rows: int, columns: int) -> int:
    """Return the threads per block for a product of this size."""
    tiles = -(-rows // 128) * -(-columns // 128)
    return 256 if tiles >= _ENOUGH else 128
