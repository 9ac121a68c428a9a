"""Fuzz targets for sources, build files and binaries: what `convert`, `check` and `inspect` read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import suppress

from hipport.buildfiles.build_systems import kind_of
from hipport.buildfiles.convert import convert_build_file
from hipport.codeobject import read as read_binary
from hipport.errors import HipportError
from hipport.mappings.loader import load
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source, convert_source
from hipport.translate.ptx.parser import parse as parse_ptx
from hipport.translate.ptx.tree import PtxSyntaxError
from tests.buildfiles.test_pairs import CASES, NAMES
from tests.buildfiles.test_pairs import context as build_context
from tests.codeobject.test_hostile import SEEDS as BINARIES
from tests.fuzz.target import ROOT, Target, folder_with
from tests.translate.test_convert import TOKENS


@functools.cache
def _context(*, fix: bool = False) -> Context:
    return Context(load(), Options(fix=fix))


def _convert(data: bytes) -> None:
    assert isinstance(convert_source(data, "x.cu", _context()).data, bytes)


def _check(data: bytes) -> None:
    assert check_source(data, "x.cu", _context()).data == data
    assert isinstance(check_source(data, "x.cu", _context(fix=True)).data, bytes)


def _asm(data: bytes) -> None:
    """Translate inline PTX in a kernel: the text of the statement and its operands."""
    text, _, operands = data.partition(b"\0")
    source = b'#include <cuda.h>\n__device__ void f(int a, float* p) { int x; asm volatile("' + text + b'" ' + operands
    convert_source(source + b"); }\n", "x.cu", _context())


def _ptx(data: bytes) -> None:
    with suppress(PtxSyntaxError):
        parse_ptx(data.decode(errors="replace"), lambda token: len(token))


def _build_file(name: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        assert isinstance(convert_build_file(b"cuda nvcc\n" + data, name, build_context()).data, bytes)

    return run


def _inspect(data: bytes) -> None:
    with folder_with({"program": data}) as folder, suppress(HipportError):
        read_binary(folder / "program")


def _sources() -> Iterator[bytes]:
    for folder in ("programs", "pairs", "hazards"):
        for path in sorted((ROOT / "fixtures" / folder).rglob("*")):
            if path.suffix in (".cu", ".cuh", ".h", ".cpp") and path.stat().st_size < 6000:
                yield path.read_bytes()


def _statements() -> Iterator[bytes]:
    for path in sorted((ROOT / "fixtures").rglob("*.cu")):
        for part in path.read_bytes().split(b'asm volatile("')[1:]:
            text, _, operands = part.partition(b");")[0].partition(b'" ')
            yield text + b"\0" + operands


def _build_seeds(name: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (case.read_bytes() for case in CASES if kind_of(NAMES[case.suffix]) is kind_of(name))


_WORDS = (*TOKENS, "asm volatile(", "__shfl_sync(", "__ballot_sync(", "warpSize", "<<<1, 2>>>", "cub::", "__shared__")
_PTX = ("mov.u32", "ld.global.v2.f32", "%0", "%laneid", ".reg", ".pred", "{", "}", "@p", "bra", "0f00000000", ";")
_BUILD = ("CUDA", "nvcc", "$(", "${", "$<", "-gencode", "arch=", "compute_70", "-Xcompiler", "\\\n", "project(", ")")

SOURCE_TARGETS = {
    "convert": Target(_convert, _sources, _WORDS),
    "check": Target(_check, _sources, _WORDS),
    "asm": Target(_asm, _statements, (*_PTX, '"', ":", '"=r"(x)', '"l"(p)', '"r"(a)')),
    "ptx": Target(_ptx, _statements, _PTX),
    "cmake": Target(_build_file("CMakeLists.txt"), _build_seeds("CMakeLists.txt"), _BUILD),
    "make": Target(_build_file("Makefile"), _build_seeds("Makefile"), _BUILD),
    "setup_py": Target(_build_file("setup.py"), _build_seeds("setup.py"), _BUILD),
    "meson": Target(_build_file("meson.build"), _build_seeds("meson.build"), _BUILD),
    "autoconf": Target(_build_file("configure.ac"), _build_seeds("configure.ac"), _BUILD),
    "inspect": Target(_inspect, lambda: BINARIES),
}
