"""The options of HIP's compiler that keep code of other threads where C++ leaves a value undefined.

`hipport build` passes them, too: hipport/builds/arguments.py says why. Clang before 15 (before ROCm 5.3) does not know
the first option; the last is for clang 19 (ROCm 6.4).
"""

from __future__ import annotations

_DEFINED_VALUES = "-Xclang -no-enable-noundef-analysis -fno-strict-return"
_NO_PEEPHOLE = "-mllvm -amdgpu-sdwa-peephole=0"
_CLANG = "$<COMPILE_LANG_AND_ID:HIP,Clang,ROCMClang>"
_RELEASE = "${CMAKE_HIP_COMPILER_VERSION}"
_SINCE_15 = f"$<VERSION_GREATER_EQUAL:{_RELEASE},15>"
_IS_19 = f"$<VERSION_GREATER_EQUAL:{_RELEASE},19>,$<VERSION_LESS:{_RELEASE},20>"
CMAKE_COMMANDS = (
    f'add_compile_options("$<$<AND:{_CLANG},{_SINCE_15}>:SHELL:{_DEFINED_VALUES}>")',
    f'add_compile_options("$<$<AND:{_CLANG},{_IS_19}>:SHELL:{_NO_PEEPHOLE}>")',
)
_FIRST, _ROCM_OF_19 = (5, 3), (6, 4)


def hipcc_options(rocm: str) -> str:
    """Return the options for hipcc of a ROCm release, empty if it does not know them."""
    release = tuple(int(part) for part in rocm.split(".")[:2])
    return " ".join([_DEFINED_VALUES] * (release >= _FIRST) + [_NO_PEEPHOLE] * (release == _ROCM_OF_19))
