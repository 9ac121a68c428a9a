"""The options of HIP's compiler that keep code of other threads where C++ leaves a value undefined.

`hipport build` passes them, too: hipport/builds/arguments.py says why. So does cmake/hipport.cmake. Clang before 15
(before ROCm 5.3) does not know the first option; the last is for clang 19 (ROCm 6.4).
"""

from __future__ import annotations

DEFINED_ARGUMENTS = ("-Xclang", "-no-enable-noundef-analysis")
"""Arguments and results may be undefined."""
DEFINED_VALUES = (*DEFINED_ARGUMENTS, "-fno-strict-return")
DEFINED_VALUES_SINCE = 15
"""The first release of clang with code that takes arguments and results for defined."""
NO_PEEPHOLE = "-amdgpu-sdwa-peephole=0"
NO_PEEPHOLE_OF = 19
"""The LLVM release that takes `x - y` and `y - x` of upper halves of words for the same (llvm/llvm-project#106920)."""
_CLANG = "$<COMPILE_LANG_AND_ID:HIP,Clang,ROCMClang>"
_RELEASE = "${CMAKE_HIP_COMPILER_VERSION}"
_HAS_VALUES = f"$<VERSION_GREATER_EQUAL:{_RELEASE},{DEFINED_VALUES_SINCE}>"
_HAS_PEEPHOLE = f"$<VERSION_GREATER_EQUAL:{_RELEASE},{NO_PEEPHOLE_OF}>,$<VERSION_LESS:{_RELEASE},{NO_PEEPHOLE_OF + 1}>"
_FOR_VALUES, _FOR_PEEPHOLE = " ".join(DEFINED_VALUES), f"-mllvm {NO_PEEPHOLE}"
CMAKE_COMMANDS = (
    f'add_compile_options("$<$<AND:{_CLANG},{_HAS_VALUES}>:SHELL:{_FOR_VALUES}>")',
    f'add_compile_options("$<$<AND:{_CLANG},{_HAS_PEEPHOLE}>:SHELL:{_FOR_PEEPHOLE}>")',
)
_FIRST, _ROCM_OF_19 = (5, 3), (6, 4)


def hipcc_options(rocm: str) -> str:
    """Return the options for hipcc of a ROCm release, empty if it does not know them."""
    release = tuple(int(part) for part in rocm.split(".")[:2])
    return " ".join([_FOR_VALUES] * (release >= _FIRST) + [_FOR_PEEPHOLE] * (release == _ROCM_OF_19))
