"""Macros that stand for `__device__` in another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_CALLER = '#pragma once\n#include "between.h"\nvoid choose(int n);\nAPP_D\nstatic void all(int n) { choose(n); }\n'


@pytest.mark.parametrize(
    ("macro", "found"),
    [("__device__", ["HP132"]), ("static inline __device__", ["HP132"]), ("__host__ __device__", []), ("", [])],
)
def test_macros_of_included_files_count(tmp_path: Path, macro: str, found: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "sides.h": f"#ifdef __CUDACC__\n#define APP_D {macro}\n#else\n#define APP_D\n#endif\n",
        "between.h": '#include "sides.h"\n',
        "caller.h": _CALLER,
        "a.cu": '#include "caller.h"\n__global__ void kernel() {}\n',
    }
    build(tmp_path / "tree", files)
    done = run(
        request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source
    )
    assert [each.code for each in done.diagnostics if each.code == "HP132"] == found
