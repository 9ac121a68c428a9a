"""Read the traces written by `hipport/include/trace/recorder.h`, which describes the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hipport.errors import HipportError

BEFORE, AFTER = MOMENTS = ("before", "after")
"""When buffers are inspected: before and after a launch."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a buffer: its size in bytes, and a hash."""

    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Argument:
    """A kernel argument: its C++ type, and a pointer as `BUFFER+OFFSET` or a number as its bytes in hexadecimal."""

    type: str
    value: str


@dataclass(slots=True)
class Launch:
    """A launch: `changes` has the new and changed buffers by moment; `ended` is set if it finished."""

    number: int
    kernel: str
    grid: str
    block: str
    shared_bytes: int
    arguments: list[Argument] = field(default_factory=list)
    changes: dict[str, dict[int, Content]] = field(default_factory=lambda: {BEFORE: {}, AFTER: {}})
    ended: bool = False

    @property
    def name(self) -> str:
        """The kernel without return type, scope, template arguments and parameters: the same in both programs."""
        return base_name(self.kernel)

    @property
    def title(self) -> str:
        """The launch as shown in messages."""
        return f"launch {self.number}, {self.name}<<<({self.grid}), ({self.block})>>>"


def base_name(kernel: str) -> str:
    """Return `sum` for `void ns::sum<float, 2>(float const*)`, `HIP_KERNEL_NAME(sum<T>)` and similar names."""
    kernel = kernel.removeprefix("HIP_KERNEL_NAME").strip(" ()&") if kernel.startswith("HIP_KERNEL_NAME") else kernel
    kernel = kernel.replace("(anonymous namespace)::", "")
    bare = re.split(r"[<(]", kernel.strip("() &"), maxsplit=1)[0]
    return bare.split("::")[-1].split(" ")[-1] or kernel


def read_trace(text: str) -> list[Launch]:
    """Return the launches of a trace, ignoring an unfinished last line. Raises `HipportError`."""
    launches: list[Launch] = []
    for number, line in enumerate(_whole_lines(text), 1):
        try:
            _read_line(line.split("\t"), launches)
        except (ValueError, IndexError, KeyError):
            raise HipportError(f"line {number} of the trace is invalid: {line!r}") from None
    return launches


def _whole_lines(text: str) -> Iterator[str]:
    *whole, _ = text.split("\n")
    yield from whole


def _read_line(fields: list[str], launches: list[Launch]) -> None:
    kind = fields[0]
    if kind == "launch":
        _, number, kernel, grid, block, shared_bytes = fields
        launches.append(Launch(int(number), kernel, grid, block, int(shared_bytes)))
    elif kind == "arg":
        _, _, type_, value = fields
        launches[-1].arguments.append(Argument(type_, value))
    elif kind == "end":
        launches[-1].ended = launches[-1].number == int(fields[1])
    else:
        moment, buffer, size, digest = fields
        launches[-1].changes[moment][int(buffer)] = Content(int(size), digest)
