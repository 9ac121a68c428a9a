"""Rewrite HIP as standard C++ (launches become calls, shared memory references) without changing line numbers."""

from __future__ import annotations

from hipport.source import SourceFile, apply
from hipport.translate.for_cpu import (
    exports,
    kernel_arguments,
    kernel_pointers,
    launch_bounds,
    launches,
    noinline,
    returns,
    shared_memory,
)
from hipport.translate.syntax.unit import parse

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
    """Return a HIP source as C++ that any C++ compiler accepts. Never raises, for any input bytes.

    A `module` exports its kernels to the program that loads it.
    """
    if not any(sign in data for sign in _SIGNS):
        return data
    source = SourceFile.decode(data, name)
    unit = parse(source)
    steps = (*_STEPS, exports.run) if module else _STEPS
    edits = [edit for step in steps for edit in step(unit)]
    return source.encode(apply(source.text, edits)) if edits else data
