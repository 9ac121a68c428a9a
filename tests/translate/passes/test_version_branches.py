"""Tests of CUDA's version: AMD compilers take the branch in which HIP lacks nothing, whichever way it is spelled."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.passes.version_tests import told_decisions

_LACKING = "cudaGetDriverEntryPoint(name, &f, 0, nullptr); int taken_lacking;"
_THERE = "cudaMalloc(&f, 1); int taken_there;"
_NEWER = {
    "CUDART_VERSION": "12000",
    "CUDA_VERSION": "11020",
    "__CUDACC_VER_MAJOR__": "12",
    "CUBLAS_VERSION": "120000",
    "__CUDA_ARCH__": "600",
}
# fmt: off
_CONDITIONS = {
    "at least": "{m} >= {n}",
    "more than": "{m} > {n} - 1",
    "the other way round": "{n} <= {m}",
    "in parentheses": "({m} >= {n})",
    "and defined": "defined({m}) && {m} >= {n}",
    "and not a macro": "!defined(NOTHING) && ({m} >= {n})",
    "divided": "({m} / 2) >= ({n} / 2)",
    "not older": "!({m} < {n})",
    "with a name": "{m} >= RELEASE",
}
_SELECTED = "\n{A}\n#else\n{B}\n#endif\n"
_FORMS = {
    "direct": "#define RELEASE {n}\n#if {c}" + _SELECTED,
    "by value": "#define RELEASE {n}\n#if {c}\n#define HAS 1\n#else\n#define HAS 0\n#endif\n#if HAS" + _SELECTED,
    "by presence": "#define RELEASE {n}\n#if {c}\n#define HAS\n#endif\n#ifdef HAS" + _SELECTED,
    "by presence, not": "#define RELEASE {n}\n#if {c}\n#define HAS 1\n#endif\n#ifndef HAS\n{B}\n#else\n{A}\n#endif\n",
    "by defined": "#define RELEASE {n}\n#if {c}\n#define HAS 1\n#endif\n#if defined(HAS) && HAS" + _SELECTED,
    "by text": "#define RELEASE {n}\n#define HAS ({c})\n#if HAS" + _SELECTED,
}
# fmt: on
_CONTEXT = Context(load_choice(NameChoice(rocm="6.4")))


def converted(text: str, name: str = "a.cuh") -> Conversion:
    return convert_source(text.encode(), name, _CONTEXT)


def text_of(conversion: Conversion) -> str:
    return conversion.data.decode()


def members(form: str) -> list[tuple[str, str]]:
    """Return sources whose newer branch is the first text to fill in, and the older the second."""
    found = []
    for (macro, number), condition in itertools.product(_NEWER.items(), _CONDITIONS.values()):
        if form == "by text" and condition not in ("{m} >= {n}", "({m} >= {n})", "{n} <= {m}"):
            continue  # a macro's text is followed where it is one comparison with a number
        filled = condition.replace("{m}", macro).replace("{n}", number)
        text = _FORMS[form].replace("{c}", filled).replace("{n}", number)
        found.append((macro, text))
    return found


def taken(folder: Path, *texts: str) -> list[set[str]]:
    """Return which branches AMD's compilers take in each source, for the device."""
    (folder / "hip").mkdir(exist_ok=True)
    for name in ("hip_runtime.h", "hip_fp16.h"):
        (folder / "hip" / name).write_text("")
    macros = ("-D__HIP_PLATFORM_AMD__=1", "-D__HIP_DEVICE_COMPILE__=1")
    command = ["g++", "-E", "-P", "-x", "c++", "-I", str(folder), *macros, "-"]
    whole = "".join(f"int source_begins;\n{text}\n#undef HAS\n#undef RELEASE\n" for text in texts)
    done = subprocess.run(command, input=whole, capture_output=True, text=True, check=True)
    return [{*re.findall(r"taken_\w+", part)} for part in done.stdout.split("source_begins")[1:]]


@pytest.mark.toolchain
@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("newer_lacks", [True, False])
def test_the_branch_in_which_nothing_is_missing_is_taken(form: str, newer_lacks: bool, tmp_path: Path) -> None:
    new, old = (_LACKING, _THERE) if newer_lacks else (_THERE, _LACKING)
    texts = [text for macro, text in members(form) if not _differs(macro, text, form, newer_lacks=newer_lacks)]
    found = [converted(text.replace("{A}", new).replace("{B}", old)) for text in texts]
    for text, conversion, branches in zip(texts, found, taken(tmp_path, *map(text_of, found)), strict=True):
        assert branches == {"taken_there"}, text
        assert "HP101" not in {each.code for each in conversion.diagnostics}, text


def _differs(macro: str, text: str, form: str, *, newer_lacks: bool) -> bool:
    """Return whether host and device differ, or another macro may select the older branch as well."""
    of_device = macro == "__CUDA_ARCH__"
    return (of_device and form != "direct") or (not newer_lacks and (of_device or "NOTHING" in text))


@pytest.mark.toolchain
@pytest.mark.parametrize("form", _FORMS)
def test_without_a_difference_the_newer_release_is_taken(form: str, tmp_path: Path) -> None:
    texts = [text for macro, text in members(form) if macro != "__CUDA_ARCH__" or form == "direct"]
    found = [converted(text.replace("{A}", "int taken_newer;").replace("{B}", "int taken_older;")) for text in texts]
    for text, conversion, branches in zip(texts, found, taken(tmp_path, *map(text_of, found)), strict=True):
        assert branches == {"taken_newer"}, text
        assert "HP119" not in {each.code for each in conversion.diagnostics}


def test_the_branch_that_lacks_less_is_taken_and_its_errors_stay() -> None:
    text = f"#if CUDART_VERSION >= 12000\n{_LACKING}\n{_LACKING}\n#else\n{_LACKING}\n#endif\n"
    conversion = converted(text)
    assert [(found.line, found.code) for found in conversion.diagnostics] == [(1, "HP119"), (5, "HP101")]
    assert "cudaGetDriverEntryPoint" in next(found.message for found in conversion.diagnostics)


def test_one_of_several_branches_is_taken(tmp_path: Path) -> None:
    first = f"#if CUDART_VERSION >= 12000\n{_LACKING}\n"
    text = f"{first}#elif CUDART_VERSION >= 11000\n{_THERE}\n#else\nint taken_old;\n#endif"
    assert taken(tmp_path, text_of(converted(text))) == [{"taken_there"}]


def test_what_lacks_only_in_a_branch_that_is_not_taken_inside_does_not_count(tmp_path: Path) -> None:
    inner = f"#if CUDART_VERSION >= 12050\n{_LACKING}\n#else\n{_THERE}\n#endif"
    text = f"#if CUDART_VERSION >= 11000\n{inner}\n#else\nint taken_old;\n#endif"
    assert taken(tmp_path, text_of(converted(text))) == [{"taken_there"}]


def test_mma_in_a_branch_for_new_gpus_leaves_the_other(tmp_path: Path) -> None:
    mma = 'asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0}, {%1}, {%2}, {%3};" : "=f"(f) : "r"(a));'
    text = (
        f"__device__ void f() {{\n#if __CUDA_ARCH__ >= 800\n{mma} int taken_mma;\n#else\nint taken_other;\n#endif\n}}"
    )
    conversion = converted(text)
    assert taken(tmp_path, text_of(conversion)) == [{"taken_other"}]
    assert [found.code for found in conversion.diagnostics] == ["HP119"]


def test_a_decision_holds_in_all_files(tmp_path: Path) -> None:
    tree = tmp_path / "in"
    tree.mkdir()
    (tree / "a.h").write_text("#pragma once\n#if CUDART_VERSION >= 12000\n#define HAS_ENTRY\nint entry();\n#endif\n")
    user = f'#include "a.h"\n#if CUDA_VERSION >= 12000\nint entry() {{ void *f; {_LACKING} return 0; }}\n#endif\n'
    (tree / "a.cu").write_text(user)
    (tree / "b.cu").write_text('#include "a.h"\n#ifdef HAS_ENTRY\nint b() { return entry(); }\n#endif\n')
    request = ConvertRequest(
        (str(tree),), Mode.OUTPUT, Options(), NameChoice(rocm="6.4"), str(tmp_path / "out"), jobs=1
    )
    report = run(request, lambda done, total: None)
    assert (tmp_path / "out" / "a.h").read_bytes() == (tree / "a.h").read_bytes()
    assert {found.code for found in report.diagnostics} == {"HP119"}


def test_facts_of_other_kinds_are_no_decisions() -> None:
    facts = {"max@numeric_limits", "cudaStream_t@=detail", "HAS_X#version=platform:1:1:0", "CUDART_VERSION#11000=1"}
    assert told_decisions(frozenset(facts)) == {("CUDART_VERSION", 11000): True}
