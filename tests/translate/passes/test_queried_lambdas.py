"""Device lambdas in files that ask whether callables can be called."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_ASKING = (
    "template <class F, class = std::enable_if_t<std::is_invocable_v<F, int>>> __global__ void each(F f) { f(1); }"
)
_LAMBDA = "void go(int* o) { each<<<1, 1>>>([=] __device__(int i) { o[i] = i; }); }"


@pytest.mark.parametrize(
    ("head", "changed"),
    [
        ("#include <cuda_runtime.h>", True),
        ("", True),
        ("#include <hip/hip_runtime.h>", False),
        ("#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n#endif", True),
    ],
)
def test_files_that_are_hip_stay(head: str, changed: bool, tables: Tables) -> None:
    source = f"{head}\n{_ASKING}\n{_LAMBDA}\n"
    data = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert ("[=] __host__ __device__(int i)" in data) is changed
