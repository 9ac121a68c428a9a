"""Turns HIP into standard C++: launches become calls, shared memory what a CPU can have. Lines stay where they are."""

from __future__ import annotations

from hipport.build.cpu import (
    exports,
    kernel_arguments,
    kernel_pointers,
    launch_bounds,
    launches,
    noinline,
    returns,
    shared_memory,
)
from hipport.source import SourceFile, apply
from hipport.syntax.unit import parse

_STEPS = (
    launches.run,
    kernel_arguments.run,
    kernel_pointers.run,
    shared_memory.run,
    returns.run,
    launch_bounds.run,
    noinline.run,
)
_SIGNS = (b"<<", b"__shared__", b"__global__", b"Kernel", b"__noinline__")


def standard_cxx(data: bytes, name: str, *, module: bool = False) -> bytes:
    """The bytes of a HIP source as C++ that needs no compiler of its own. Never raises for any input bytes.

    A `module` tells the program that loads it which kernels it has.
    """
    if not any(sign in data for sign in _SIGNS):
        return data
    source = SourceFile.decode(data, name)
    unit = parse(source)
    steps = (*_STEPS, exports.run) if module else _STEPS
    edits = [edit for step in steps for edit in step(unit)]
    return source.encode(apply(source.text, edits)) if edits else data
