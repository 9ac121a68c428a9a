"""Names and launch brackets that a backslash and a line end split."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_HEAD = "#include <hip/hip_runtime.h>\n"


@pytest.mark.parametrize(
    ("written", "translated"),
    [
        ("cuda\\\nFree(p);", "hipFree\\\n(p);"),
        ("cuda\\\r\nFree(p);", "hipFree\\\r\n(p);"),
        ("c\\\nu\\\ndaFree(p);", "hipFree\\\n\\\n(p);"),
        ("cudaMalloc\\\nHost(&p, 4);", "hipHostMalloc\\\n(&p, 4, hipHostMallocDefault);"),
        ("#define FREE(p) cuda\\\nFree(p)\n", "#define FREE(p) hipFree\\\n(p)\n"),
        ("my\\\ncudaFree(p);", "my\\\ncudaFree(p);"),
        ('auto s = "cuda\\\nFree";', 'auto s = "cuda\\\nFree";'),
        ('auto s = R"(cuda\\\nFree)";', 'auto s = R"(cuda\\\nFree)";'),
        ("// cuda\\\nFree", "// cuda\\\nFree"),
        ("k<<<1, 2>>\\\n>(p);", "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, \\\np);"),
        ("k<\\\n<<1, 2>>>(p);", "hipLaunchKernelGGL(k, \\\ndim3(1), dim3(2), 0, 0, p);"),
        ("a >>\\\n b; a <\\\n< b;", "a >>\\\n b; a <\\\n< b;"),
        ("#define FREE(p) \\\n  cudaFree(p)\n", "#define FREE(p) \\\n  hipFree(p)\n"),
    ],
)
def test_split_names_are_translated(written: str, translated: str, tables: Tables) -> None:
    converted = convert_source((_HEAD + written).encode(), "x.cu", Context(tables)).data.decode()
    assert converted.replace(_HEAD, "").strip() == translated.strip()
