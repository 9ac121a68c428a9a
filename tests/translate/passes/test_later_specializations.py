"""Specializations without sides of function templates that another file defines with them.

nvcc 13 compiles each form of `FORMS` with each of `WORDS`, some with a warning (20039-D).
"""

from __future__ import annotations

import os
import subprocess
from itertools import product
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.support import include_dir
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

SIDES = "__attribute__((host)) __attribute__((device)) "
WORDS = {
    "words": ("", "__host__ __device__"),
    "macro": ("#define @_HD __host__ __device__\n", "@_HD"),
    "device_macro_for_both": ("#define @_DEVICE __host__ __device__\n", "@_DEVICE"),
    "guarded": (
        "#ifdef __CUDA_ARCH__\n#ifndef @_DEVICE\n#define @_DEVICE __device__\n#endif\n#endif\n"
        "#ifndef @_DEVICE\n#define @_DEVICE\n#endif\n",
        "@_DEVICE",
    ),
    "either": ("#ifdef __CUDA_ARCH__\n#define @_DEVICE __device__\n#else\n#define @_DEVICE\n#endif\n", "@_DEVICE"),
}
"""What a header says about a macro of the namespace `@`, and the words in front of the template's definition."""
FORMS = {
    "arguments": "template <> {}inline W read<W>(int* p) {{ return W{{p[1]}}; }}",
    "one_line": "template<>{} inline W read<W>(int* p) {{ return W{{p[2]}}; }}",
    "not_inline": "template <> {}W read<W>(int* p) {{ return W{{p[3]}}; }}",
    "declared": "template <> {}inline W read<W>(int*);\ntemplate <> {}inline W read<W>(int* p) {{ return W{{p[4]}}; }}",
}
CASES = list(product(WORDS, FORMS))


def _tree(name: str, words: str, form: str) -> dict[str, str]:
    """Return a header that specializes what the header that includes it defines, and one with the macros."""
    macros, sides = (text.replace("@", name.upper()) for text in WORDS[words])
    specialized = FORMS[form].format(*[""] * FORMS[form].count("{}"))
    front = f"template <typename T> inline T {name}_read(int* p);  // defined below\n"
    return {
        f"{name}_macros.h": f"#pragma once\n{macros}",
        f"{name}_wide.h": f"#pragma once\nstruct W_{name} {{ int x; }};\n{front}"
        + specialized.replace("W", f"W_{name}").replace("read", f"{name}_read")
        + "\n",
        f"{name}.h": f'#pragma once\n#include "{name}_macros.h"\n#include "{name}_wide.h"\n'
        f"template <typename U>\ninline {sides} U {name}_read(int* p) {{ return U(p[0]); }}\n",
    }


def _unit(names: list[str]) -> str:
    includes = "".join(f'#include "{name}.h"\n' for name in names)
    kernel = "".join(f"  p[0] += {name}_read<int>(p);\n" for name in names)
    host = "".join(f"  sum += {name}_read<W_{name}>(p).x;\n" for name in names)
    return (
        f"{includes}__global__ void k(int* p) {{\n{kernel}}}\n"
        f"int main() {{\n  int p[9] = {{}}, sum = 0;\n{host}  return sum;\n}}\n"
    )


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The translation of all cases, each with names of its own."""
    tree: dict[str, str | bytes] = {}
    for words, form in CASES:
        tree |= _tree(f"{words}_{form}", words, form)
    tree["u.cu"] = _unit([f"{words}_{form}" for words, form in CASES])
    folder = tmp_path_factory.mktemp("specializations")
    build(folder / "tree", tree)
    whole = request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out"))
    run(whole, lambda done, total: None, convert_source)
    return folder / "out"


@pytest.mark.parametrize(("words", "form"), CASES)
def test_they_get_the_sides_of_the_definition(translated: Path, words: str, form: str) -> None:
    made = (translated / f"{words}_{form}_wide.h").read_text()
    heads = [line for line in made.splitlines() if "_read" in line]
    assert all(SIDES in line for line in heads)
    assert all("inline" in line for line in heads)


@pytest.mark.toolchain
@pytest.mark.slow
def test_the_translation_compiles(translated: Path) -> None:
    command = ["hipcc", "--offload-arch=gfx90a", "-nogpulib", "-fsyntax-only", f"-I{include_dir()}", "u.hip"]
    settings = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, cwd=translated, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("macros", "definition"),
    [
        ("#define APP_DEVICE __device__\n", "template <typename T> APP_DEVICE T read(int* p) { return T(p[0]); }"),
        ("", "template <typename T> APP_DEVICE T read(int* p) { return T(p[0]); }"),
        ("", "template <typename T> __host__ __device__ T read(int* p, int) { return T(p[0]); }"),
        ("", "template <typename T> __host__ __device__ T other(int* p) { return T(p[0]); }"),
        ("", "template <typename T> T read(int* p) { return T(p[0]); }"),
    ],
)
def test_others_are_left(tmp_path: Path, macros: str, definition: str) -> None:
    """A template for devices alone is an overload; other parameters or names make another template."""
    specialized = "struct W { int x; };\ntemplate <> inline W read<W>(int* p) { return W{p[1]}; }\n"
    tree: dict[str, str | bytes] = {
        "m.h": f"#pragma once\n{macros}",
        "a.h": f"#pragma once\n{specialized}",
        "b.h": f'#pragma once\n#include "m.h"\n#include "a.h"\n{definition}\n',
        "u.cu": '#include "b.h"\n__global__ void k() {}\n',
    }
    build(tmp_path / "tree", tree)
    run(request(Mode.OUTPUT, tmp_path / "tree", folder=str(tmp_path / "out")), lambda done, total: None, convert_source)
    assert (tmp_path / "out" / "a.h").read_text().endswith(specialized)
