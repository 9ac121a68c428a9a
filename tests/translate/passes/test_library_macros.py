"""Macros of a project that are names in rocPRIM's headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_FRONT = '#pragma push_macro("INVALID")\n#undef INVALID\n'
_BACK = '#pragma pop_macro("INVALID")\n'


@pytest.mark.parametrize(
    ("header", "include", "aside"),
    [
        ("#define INVALID 0", "#include <cub/cub.cuh>", True),
        ("#define INVALID 0", "#include <thrust/sort.h>", True),
        ("#define INVALID_ID 0", "#include <cub/cub.cuh>", False),
        ("enum { INVALID };", "#include <cub/cub.cuh>", False),
        ("#define INVALID 0", "#include <cufft.h>", False),
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
    assert (_FRONT in converted and f"\n{_BACK}#include <vector>" in converted) == aside
    assert ("push_macro" in converted) == aside
