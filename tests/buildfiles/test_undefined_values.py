"""The CMake module that ships gives HIP's compiler the options of `undefined_values`."""

from __future__ import annotations

import re
from pathlib import Path

from hipport.buildfiles.undefined_values import DEFINED_VALUES, DEFINED_VALUES_SINCE, NO_PEEPHOLE, NO_PEEPHOLE_OF

MODULE = Path(__file__).parents[2] / "cmake" / "hipport.cmake"
OPTIONS = re.compile(
    r'if\(CMAKE_HIP_COMPILER_VERSION (.*)\)\n.*target_compile_options\([^"]*"\$<\${clang}:SHELL:(.*)>"\)'
)


def test_the_cmake_module_gives_the_same_options_to_the_same_releases() -> None:
    assert dict(OPTIONS.findall(MODULE.read_text())) == {
        f"VERSION_GREATER_EQUAL {DEFINED_VALUES_SINCE}": " ".join(DEFINED_VALUES),
        f'MATCHES "^{NO_PEEPHOLE_OF}[.]"': f"-mllvm {NO_PEEPHOLE}",
    }
