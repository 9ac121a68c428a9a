"""Rewrite HIP as standard C++ (launches become calls, shared memory references) without changing line numbers."""

from __future__ import annotations

from msgspec.structs import replace

from hipport.source import SourceFile, apply
from hipport.translate.for_cpu import (
    clocks,
    exports,
    kernel_arguments,
    kernel_pointers,
    launch_bounds,
    launches,
    narrow_casts,
    noinline,
    returns,
    shared_memory,
)
from hipport.translate.for_cpu.regions import regions_by_kernel
from hipport.translate.syntax.lexer import with_brackets
from hipport.translate.syntax.unit import parse

_STEPS = (
    launches.run,
    kernel_arguments.run,
    kernel_pointers.run,
    shared_memory.run,
    launch_bounds.run,
    noinline.run,
    clocks.run,
    narrow_casts.run,
)
_SIGNS = (
    b"<<",
    b"__shared__",
    b"__global__",
    b"Kernel",
    b"__noinline__",
    b"clock",
    b"char",
    b"short",
    b"int8_t",
    b"int16_t",
)


def standard_cxx(data: bytes, name: str, *, module: bool = False, together: bool = False) -> bytes:
    """Return a HIP source as C++ that any C++ compiler accepts. Never raises, for any input bytes.

    A `module` exports its kernels to the program that loads it. `together` rewrites kernels so that the threads of a
    block run from barrier to barrier in a loop, where possible.
    """
    if not any(sign in data for sign in _SIGNS):
        return data
    source = _with_brackets(SourceFile.decode(data, name))
    unit = parse(source)
    steps = (*_STEPS, exports.run) if module else _STEPS
    regions = regions_by_kernel(unit) if together else {}
    edits = [edit for step in steps for edit in step(unit)]
    edits += returns.run(unit, regions.keys())
    edits += [edit for kernel in regions.values() for edit in kernel]
    return source.encode(apply(source.text, edits)) if edits else data


def _with_brackets(source: SourceFile) -> SourceFile:
    """Return a source without digraphs, which edits at a bracket would split: `<%`."""
    text = source.text.decode("latin-1")
    written = with_brackets(text)
    return source if written is text else replace(source, text=written.encode("latin-1"))
