"""Sources with branches for CUDA and for HIP: a HIP compiler takes the same branch before and after a translation."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_CUDA = "typedef cudaStream_t stream_t;\nint for_cuda(stream_t stream);\n"
_HIP = "typedef hipStream_t stream_t;\nint for_hip(stream_t stream);\n"
_NVCC = ("__NVCC__", "__CUDACC__")
_COMPILERS = ("__HIPCC__", "__HIP__", "__HIP_PLATFORM_AMD__")
_PROJECTS = ("USE_HIP", "GGML_USE_HIP", "APP_USE_ROCM")
# fmt: off
_FORMS = {
    "hip else": "#ifdef {h}\n{B}#else\n{A}#endif\n",
    "not hip else": "#ifndef {h}\n{A}#else\n{B}#endif\n",
    "if not hip else": "#if !defined({h})\n{A}#else\n{B}#endif\n",
    "nvcc elif hip": "#ifdef {n}\n{A}#elif defined({h})\n{B}#endif\n",
    "nvcc elif hip without brackets": "#if defined {n}\n{A}#elif defined {h}\n{B}#endif\n",
    "hip elif nvcc": "#if defined({h})\n{B}#elif defined({n})\n{A}#endif\n",
    "nvcc elif hip else error": "#if defined({n})\n{A}#elif defined({h})\n{B}#else\n#error\n#endif\n",
    "two ifs": "#ifdef {n}\n{A}#endif\n#ifdef {h}\n{B}#endif\n",
    "two ifs, hip first": "#ifdef {h}\n{B}#endif\n#ifdef {n}\n{A}#endif\n",
    "nvcc and not hip": "#if defined({n}) && !defined({h})\n{A}#else\n{B}#endif\n",
    "not hip and nvcc": "#if !defined({h}) && defined({n})\n{A}#elif defined({h})\n{B}#endif\n",
    "both, nested": "#if defined({n}) || defined({h})\n#ifdef {h}\n{B}#else\n{A}#endif\n#endif\n",
    "both, nvcc nested": "#if defined({h}) || defined({n})\n#ifdef {n}\n{A}#else\n{B}#endif\n#endif\n",
    "nvcc under else": "#ifdef {h}\n{B}#else\n#ifdef {n}\n{A}#endif\n#endif\n",
    "nvcc by value": "#if defined({n}) && {n}\n{A}#elif defined({h})\n{B}#endif\n",
    "not nvcc": "#ifndef {n}\n#ifdef {h}\n{B}#endif\n#else\n{A}#endif\n",
    "derived": "#if defined({h})\n#define ON_HIP 1\n#else\n#define ON_HIP 0\n#endif\n#if ON_HIP\n{B}#else\n{A}#endif\n",
    "derived by presence": "#ifdef {h}\n#define ON_HIP\n#endif\n#ifdef ON_HIP\n{B}#else\n{A}#endif\n",
    "release": "#if CUDART_VERSION >= 11000\n{A}#elif defined({h})\n{B}#endif\n",
    "architecture": "#if defined(__CUDA_ARCH__) || defined({n})\n{A}#elif defined({h})\n{B}#endif\n",
    "guarded": "#ifndef SOME_HIP_H\n#define SOME_HIP_H\n#ifdef {n}\n{A}#elif defined({h})\n{B}#endif\n#endif\n",
}
# fmt: on


@dataclass(frozen=True)
class Member:
    """A source, and the macro that its HIP build defines beside those of the compiler."""

    form: str
    text: str
    macro: str


def members() -> Iterator[Member]:
    for (form, text), nvcc, hip in itertools.product(_FORMS.items(), _NVCC, (*_COMPILERS, *_PROJECTS)):
        filled = text.replace("{n}", nvcc).replace("{h}", hip).replace("{A}", _CUDA).replace("{B}", _HIP)
        yield Member(form, filled, hip)


def converted(text: str, name: str = "a.cuh") -> str:
    context = Context(load_choice(NameChoice(rocm="6.4")))
    return convert_source(text.encode(), name, context).data.decode()


def compiled(text: str, folder: Path, *macros: str) -> str:
    """Return what a HIP compiler sees of a text, by g++ with its macros and an empty runtime header."""
    header = folder / "hip" / "hip_runtime.h"
    header.parent.mkdir(exist_ok=True)
    header.write_text("")
    options = [f"-D{name}=1" for name in (*_COMPILERS, *macros)]
    command = ["g++", "-E", "-P", "-x", "c++", "-I", str(folder), *options, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return " ".join(done.stdout.split()) if done.returncode == 0 else "error"


def together(texts: list[str]) -> str:
    """Return sources one after the other, each in a namespace."""
    between = "#undef ON_HIP\n#undef SOME_HIP_H\n"
    return "".join(f"namespace m{n} {{\n{text}\n}}\n{between}" for n, text in enumerate(texts))


def numbered(seen: str) -> dict[str, str]:
    """Return what is compiled of each source."""
    return {part.split(" ", 1)[0]: part for part in seen.split("namespace m")[1:]}


@pytest.mark.toolchain
@pytest.mark.parametrize("macro", (*_COMPILERS, *_PROJECTS))
def test_a_hip_compiler_sees_the_same_before_and_after(macro: str, tmp_path: Path) -> None:
    texts = [member for member in members() if member.macro == macro]
    macros = (macro,) if macro in _PROJECTS else ()
    before = numbered(compiled(together([member.text for member in texts]), tmp_path, *macros))
    after = numbered(compiled(together([converted(member.text) for member in texts]), tmp_path, *macros))
    assert len(before) == len(after) == len(texts)
    for member, (name, text) in zip(texts, before.items(), strict=True):
        assert "for_hip" in text, member
        assert after[name] == text, member


@pytest.mark.toolchain
@pytest.mark.parametrize("macro", _PROJECTS)
def test_without_the_macro_of_the_project_the_translated_branch_is_compiled(macro: str, tmp_path: Path) -> None:
    texts = [member for member in members() if member.macro == macro]
    seen = numbered(compiled(together([converted(member.text) for member in texts]), tmp_path))
    for member, text in zip(texts, seen.values(), strict=True):
        assert "for_cuda" in text, member
        assert "for_hip" not in text, member
        assert "cudaStream_t" not in text, member


@pytest.mark.parametrize("macro", (*_COMPILERS, *_PROJECTS))
def test_a_second_translation_changes_nothing(macro: str) -> None:
    for member in (member for member in members() if member.macro == macro):
        once = converted(member.text)
        assert converted(once) == once, member


def test_a_branch_that_excludes_hips_compilers_keeps_its_condition() -> None:
    condition = "#if defined(__CUDACC__) && !defined(__HIPCC__)\n"
    text = f"{condition}int a = __shfl_sync(~0u, b, 0);\n#else\nint a = __shfl(b, 0);\n#endif\n"
    assert condition in converted(text)
    assert codes(text) == ["HP118"]


def test_a_condition_for_both_compilers_stays_without_a_note() -> None:
    text = "#if defined(__CUDACC__) || defined(__HIPCC__)\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n"
    assert text in converted(text)
    assert codes(text) == []


@pytest.mark.toolchain
@pytest.mark.slow
def test_hipcc_compiles_all_of_them_before_and_after(tmp_path: Path) -> None:
    texts = [member.text for member in members()]
    for number, sources in enumerate((texts, [converted(text) for text in texts])):
        lines = sorted({line for text in sources for line in text.splitlines() if line.startswith("#include")})
        body = together(["\n".join(line for line in text.splitlines() if line not in lines) for text in sources])
        unit = tmp_path / f"unit{number}.hip"
        unit.write_text("#include <hip/hip_runtime.h>\n" + body)
        command = ["hipcc", "-fsyntax-only", "--offload-arch=gfx90a", *(f"-D{name}" for name in _PROJECTS), str(unit)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"HIP_PLATFORM": "amd"}
        )
        assert done.returncode == 0, done.stderr[:2000]


def codes(text: str, name: str = "a.cuh") -> list[str]:
    found = convert_source(text.encode(), name, Context(load_choice(NameChoice(rocm="6.4")))).diagnostics
    return [each.code for each in found]


def test_a_test_for_nvcc_that_is_left_is_reported() -> None:
    text = "#ifdef __NVCC__\ntypedef cudaStream_t s;\n#elif defined(__HIPCC__)\ntypedef hipStream_t s;\n#endif\n"
    assert codes(text) == ["HP118"]
    assert converted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef __CUDACC__\ntypedef cudaStream_t s;\n#endif\n",
        "#ifndef MY_HIP_H\n#define MY_HIP_H\n#ifdef __CUDACC__\ntypedef cudaStream_t s;\n#endif\n#endif\n",
        "#ifdef __CUDACC__\n__global__ void k();\n#endif\n#ifdef __HIPCC__\n#define L 64\n#endif\ncudaError_t f();\n",
    ],
)
def test_other_tests_for_nvcc_are_translated(text: str) -> None:
    assert "HP118" not in codes(text)
    assert "__CUDACC__" not in converted(text)
