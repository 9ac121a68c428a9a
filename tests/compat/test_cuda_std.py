"""`cuda/std/...`: each name that CUDA's headers have before C++20 is supplied, or a finding says that it is not.

`cuda_std_names.txt` has the names of CUDA 13.0's headers in namespace cuda::std that a `using` declaration takes in
C++17: `python -m tests.compat.test_cuda_std FOLDER` writes it, with the words of the headers in that include folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir
from hipport.toolchain.process import amd_environment
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

NAMES = Path(__file__).with_name("cuda_std_names.txt")
OTHER_HEADERS = re.compile(
    r"atomic_|barrier$|(?:binary|counting)_semaphore|latch$|thread_scope|span$|dynamic_extent|\w*mdspan|d?extents|dims$|layout_"
    r"|submdspan_|full_extent|strided_slice|(?:default|aligned)_accessor|\w*expect|inplace_vector|source_location|from_range"
)
"""Names of headers that are supplied by other headers of hipport, or reported where they are included (HP102)."""
VALUES = """\
#include <hipport/compat/cuda_std.h>
namespace s = cuda::std;
static_assert(s::bit_cast<unsigned>(1.0f) == 0x3f800000u && s::endian::native == s::endian::little, "");
static_assert(s::is_same<s::remove_cvref_t<const int&>, int>::value && s::ssize({1, 2, 3}) == 3, "");
static_assert(s::cmp_less(-1, 1u) && !s::cmp_less(1u, -1) && !s::cmp_equal(-1, ~0u) && s::cmp_greater(1ull, -5), "");
static_assert(s::in_range<unsigned char>(255) && !s::in_range<unsigned char>(-1) && !s::in_range<short>(70000u), "");
static_assert(s::lerp(1.0, 3.0, 0.5) == 2 && s::lerp(-1.f, 1.f, 1.f) == 1 && s::lerp(2., 4., 1.5) == 5, "");
static_assert(s::byteswap(0x01020304u) == 0x04030201u, "");
static_assert(s::byteswap((unsigned short)0x0102) == 0x0201 && s::byteswap(1ull) == 1ull << 56, "");
enum class Color : short { red = 3 };
constexpr auto red = s::to_underlying(Color::red);
static_assert(red == 3 && s::is_same<decltype(red), const short>::value, "");
struct Box { int n; constexpr int plus(int m) const { return n + m; } };
constexpr int twice(int n) { return 2 * n; }
constexpr Box box{4};
static_assert(s::invoke(twice, 3) == 6 && s::invoke(&Box::plus, box, 1) == 5, "");
static_assert(s::invoke(&Box::plus, &box, 2) == 6, "");
static_assert(s::invoke(&Box::n, box) == 4 && s::invoke(&Box::n, &box) == 4 && s::invoke(s::plus<>(), 1, 2) == 3, "");
static_assert(s::same_as<int, int> && !s::integral<float> && s::floating_point<double>, "");
static_assert(s::invocable<int (*)(int), int>, "");
static_assert(s::derived_from<Box, Box> && s::convertible_to<int, double> && !s::constructible_from<Box, Box, Box>, "");
static_assert(s::numbers::pi_v<float> == 3.14159265f && s::numbers::e > 2.7 && s::is_bounded_array_v<int[3]>, "");
static_assert(s::is_unbounded_array_v<int[]> && !s::is_bounded_array_v<int[]> && sizeof(s::sqrtf(2)) == 4, "");
"""


def compiled(text: str, standard: str, *options: str) -> str:
    """Return what GCC says of a source."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "a.cpp"
        source.write_text(text)
        command = ["g++", "-w", f"-std={standard}", *options, "-fsyntax-only", "-fmax-errors=0", str(source)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300).stderr


def refused(names: Iterable[str], headers: str, *options: str) -> set[str]:
    """Return the names of cuda::std that a `using` declaration behind headers does not take."""
    listed = [*names]
    lines = [f"namespace n{number} {{ using cuda::std::{name}; }}" for number, name in enumerate(listed)]
    said = compiled("\n".join((*headers.splitlines(), "#line 1", *lines)), "c++17", *options)
    return {listed[int(line) - 1] for line in re.findall(r"a\.cpp:(\d+):\d+: error", said)}


def of_hipport() -> tuple[str, ...]:
    include = include_dir()
    return "-D__HIP_PLATFORM_AMD__", f"-I{include / 'cpu'}", f"-I{include}"


@pytest.mark.parametrize("standard", ["c++17", "c++20", "c++23"])
def test_values(standard: str) -> None:
    assert not compiled(VALUES, standard, *of_hipport())


def test_a_wrong_value_is_found() -> None:
    assert "static assertion failed" in compiled(VALUES.replace("== 2 &&", "== 3 &&"), "c++17", *of_hipport())


def test_each_name_is_supplied_or_reported() -> None:
    names = NAMES.read_text().split()
    assert len(names) > 800
    lacking = refused(names, "#include <hipport/compat/cuda_std.h>", *of_hipport())
    lacking = {name for name in lacking if not OTHER_HEADERS.match(name)}
    assert len(lacking) > 50
    text = "#include <cuda/std/utility>\n" + "".join(f"using cuda::std::{name};\n" for name in sorted(lacking))
    said = convert_source(text.encode(), "a.cu", Context(load_choice(NameChoice(rocm="6.4")), Options())).diagnostics
    assert {found for each in said for found in re.findall(r"cuda::std::(\w+)", each.message)} >= lacking


DEVICE = """\
#include <hip/hip_runtime.h>
#include <hipport/compat/cuda_std.h>
__global__ void k(int* out) {
  cuda::std::optional<int> a(3);
  cuda::std::variant<int, float> b(2.5f);
  out[0] = a.value() + static_cast<int>(cuda::std::get<1>(b)) + cuda::std::invoke(cuda::std::plus<>(), 1, 2);
}
int host() { return cuda::std::optional<int>(3).value(); }
"""


@pytest.mark.slow
@pytest.mark.toolchain
def test_values_that_may_be_missing_are_read_in_device_code(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text(DEVICE)
    command = ["hipcc", "-w", "-std=c++17", f"-I{include_dir()}", "--offload-arch=gfx90a", "-fsyntax-only", str(source)]
    made = subprocess.run(command, env=amd_environment(), capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    public = [each for each in sorted((folder / "cuda" / "std").iterdir()) if each.is_file()]
    included = "".join(f"#include <cuda/std/{each.name}>\n" for each in public if each.name != "execution")
    parts = [*public, *(folder / "cuda" / "std").rglob("*.h")]
    words = sorted({word for each in parts for word in re.findall(r"\b[a-z][a-z\d_]{2,}\b", each.read_text())})
    print(*sorted({*words} - refused(words, included, f"-I{folder}", f"-I{folder.parent}")), sep="\n")
