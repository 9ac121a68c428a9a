"""Standard headers included after HIP's, whose macros may collide with names in the standard library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.llvm_releases import NEWER

SOURCE = (
    "#include <hip/hip_runtime.h>\n#include <format>\n#include <memory>\n#include <stacktrace>\n#include <string>\n"
)
HIP = ("-x", "hip", "--rocm-path=/usr", "--hip-version=5.2.21153", "--offload-arch=gfx90a", "-nogpulib")


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "command",
    [
        ("g++", "-x", "c++", "-D__HIP_PLATFORM_AMD__"),
        (f"clang++-{NEWER}", "-x", "c++", "-D__HIP_PLATFORM_AMD__"),
        (f"clang++-{NEWER}", *HIP, "--offload-host-only"),
        (f"clang++-{NEWER}", *HIP, "--offload-device-only"),
    ],
    ids=["g++", "clang++", "HIP for the host", "HIP for the device"],
)
def test_standard_headers_can_follow_hip(command: tuple[str, ...]) -> None:
    text = SOURCE.replace("#include <format>", "#if __has_include(<format>)\n#include <format>\n#endif")
    options = ("-std=c++23", "-fsyntax-only", "-w")
    done = subprocess.run([*command, f"-I{include_dir()}", *options, "-"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("compiler", ["g++", f"clang++-{NEWER}"])
@pytest.mark.parametrize("definition", ["", "__attribute__((noinline))"])
def test_stacktrace_is_read_without_the_macro(compiler: str, definition: str, tmp_path: Path) -> None:
    """libstdc++ 13 and newer use the word; HIP 5 defines the macro, which must be restored afterward."""
    (tmp_path / "stacktrace").write_text("[[__gnu__::__noinline__]] inline int current() { return 1; }\n")
    text = f"#define __noinline__ {definition}\n#include <stacktrace>\n__noinline__ int f() {{ return current(); }}\n"
    options = ("-x", "c++", "-fsyntax-only", "-Wall", "-Wpedantic", "-Werror", f"-I{include_dir()}")
    done = subprocess.run(
        [compiler, *options, "-isystem", str(tmp_path), "-"], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
