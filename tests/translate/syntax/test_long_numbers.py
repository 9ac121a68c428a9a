"""Numbers longer than Python reads, and digits that are none: no place of a source makes them an internal error."""

from __future__ import annotations

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.syntax.conditions import integer

LONG = "5" * 5000
WIDE = f"0x{'f' * 9000}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("0", 0),
        ("010", 8),
        ("0x1F", 31),
        ("0b101", 5),
        ("1'000", 1000),
        (str(2**64 - 1), 2**64 - 1),
        (str(2**64), None),
        ("08", None),
        ("0x", None),
        ("", None),
        ("x", None),
        ("²", None),
        ("٣", None),
        (LONG, None),
        (WIDE, None),
    ],
)
def test_literals(text: str, value: int | None) -> None:
    assert integer(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "#if __CUDA_ARCH__ >= {}\n#endif\n",
        "#if {} > __CUDA_ARCH__\n#endif\n",
        "#if {}\nint x;\n#endif\n",
        "#if CUDART_VERSION == {}\n#endif\n",
        "#define A {}\n__global__ void k() {{ __shfl_sync(A, 1, 2, A); k<<<A, A>>>(); }}\n#if A > 3\n#endif\n",
        "const int W = {0};\n__global__ void k() {{ int a[W]; __shfl_sync(W, 1, 2); float4 v = ((float4*)a)[{0}]; }}\n",
        "enum {{ A = {} }};\n__global__ void k() {{ __shared__ float s[A]; __ballot_sync(A, 1); }}\n",
        "std::array<float4, {}> a;\n__global__ void k() {{ a[0].x; }}\n",
        '__device__ void k(int f) {{ asm("mov.u32 %0, %{};" : "=r"(f)); }}\n',
        '__device__ void k(int f) {{ asm(".reg .u32 a<{0}>; mov.u32 %0, {0};" : "=r"(f)); }}\n',
        '__device__ void k(int f) {{ asm("ld.global.u32 %0, [%0 + {0}]; bar.sync {0};" : "+r"(f)); }}\n',
    ],
)
@pytest.mark.parametrize("number", [LONG, WIDE, "²", "08", "0x", "1" + " << 60" * 400, "9" + " * 99999999" * 900])
def test_no_number_is_an_internal_error(tables: Tables, text: str, number: str) -> None:
    convert_source(text.format(number).encode(), "a.cu", Context(tables))
