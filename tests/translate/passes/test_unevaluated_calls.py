"""Device functions of a header in operands of host code that are not evaluated (HP132)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_HEADER = """#pragma once
#define ENABLE_IF_HAS(X) template <class K> __device__ inline std::enable_if_t<has_##X<K>::value, float>
template <class K> __device__ float weight(K k) { return k; }
ENABLE_IF_HAS(X) weight_x(K k) { return k; }
template <class K> __host__ __device__ float both(K k) { return k; }
float host(float k);
"""


@pytest.mark.parametrize(
    ("operand", "found"),
    [
        ("decltype(weight(1.f))", ["HP132"]),
        ("decltype(::weight(1.f))", ["HP132"]),
        ("sizeof(weight_x(1.f))", ["HP132"]),
        ("decltype(both(1.f))", []),
        ("decltype(host(1.f))", []),
        ("decltype(unknown(1.f))", []),
        ("decltype(std::weight(1.f))", []),
        ("decltype(box.weight(1.f))", []),
    ],
)
def test_functions_of_included_files_count(tmp_path: Path, operand: str, found: list[str]) -> None:
    files: dict[str, str | bytes] = {
        "weights.cuh": _HEADER,
        "between.cuh": '#pragma once\n#include "weights.cuh"\n',
        "a.cu": f'#include "between.cuh"\nvoid f() {{ auto bytes = sizeof({operand}); }}\n__global__ void k() {{}}\n',
    }
    build(tmp_path / "tree", files)
    done = run(
        request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source
    )
    assert [each.code for each in done.diagnostics if each.code == "HP132"] == found
