"""Macros of a project that are names in headers of HIP's libraries."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

COMPLEX = ("cuComplex.h", "cublas_v2.h", "cufft.h", "cusolverDn.h", "cusparse.h")


@pytest.mark.parametrize(
    ("header", "include", "aside"),
    [
        ("#define INVALID 0", "#include <cub/cub.cuh>", True),
        ("#define INVALID 0", "#include <thrust/sort.h>", True),
        ("#define INVALID_ID 0", "#include <cub/cub.cuh>", False),
        ("enum { INVALID };", "#include <cub/cub.cuh>", False),
        ("#define INVALID 0", "#include <cufft.h>", False),
        *(("#define real double", f"#include <{header}>", True) for header in COMPLEX),
        ("#define real double", "#include <curand.h>", False),
        ("#define real double", "#include <cub/cub.cuh>", False),
        ("typedef double real;", "#include <cusparse.h>", False),
    ],
)
def test_put_aside_at_the_includes(tmp_path: Path, header: str, include: str, aside: bool) -> None:
    files: dict[str, str | bytes] = {
        "states.h": f"#pragma once\n{header}\n",
        "between.h": '#pragma once\n#include "states.h"\n',
        "a.cu": f'#include "between.h"\n{include}\n#include <vector>\n__global__ void k() {{}}\n',
    }
    build(tmp_path / "tree", files)
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    converted = (tmp_path / "out" / "a.hip").read_text()
    name = re.findall(r"\w+", header)[1]
    front, back = f'#pragma push_macro("{name}")\n#undef {name}\n', f'#pragma pop_macro("{name}")\n'
    assert (front in converted and f"\n{back}#include <vector>" in converted) == aside
    assert ("push_macro" in converted) == aside
