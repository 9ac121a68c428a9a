"""Layouts of structs with vectors of 32 bytes, compared with a compiler's."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import check_source

MEMBERS = ("double4 a;", "float b;", "double3 c[3];", "char *d, e;", "long4 f[2];", "uchar3 g;")
TYPES = """
struct double3 { double x, y, z; };
struct uchar3 { unsigned char x, y, z; };
struct alignas(WIDE) double4 { double x, y, z, w; };
struct alignas(WIDE) long4 { long x, y, z, w; };
"""
SIZES = re.compile(r"'(\w+)' has (\d+) bytes in CUDA and (\d+) in HIP")


def structs() -> Iterator[str]:
    for number, chosen in enumerate(itertools.permutations(MEMBERS, 3)):
        yield f"struct S{number} {{ {' '.join(chosen)} }};"


@pytest.mark.toolchain
def test_sizes_are_those_of_a_compiler(tables: Tables, tmp_path: Path) -> None:
    text = "\n".join(structs()) + "\n"
    found = [
        each.message
        for each in check_source(b"#include <cuda_runtime.h>\n" + text.encode(), "s.cu", Context(tables)).diagnostics
    ]
    told = {match[1]: (int(match[2]), int(match[3])) for match in map(SIZES.match, found) if match is not None}
    assert len(told) > 50
    for place, wide in enumerate((16, 32)):
        source = tmp_path / f"s{wide}.cpp"
        checks = "".join(f"static_assert(sizeof({name}) == {sizes[place]});\n" for name, sizes in told.items())
        source.write_text(f"#define WIDE {wide}\n{TYPES}{text}{checks}")
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", source], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
