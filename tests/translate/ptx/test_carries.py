"""Carry chains over several statements, functions and macros."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.translate.ptx.carry_programs import FORMS, REGISTERS, THREADS, programs, source
from tests.translate.ptx.carry_programs import run as computed
from tests.translate.ptx.test_semantics import COMMON, INCLUDE, run

_PROGRAMS = programs(15 * len(FORMS), seed=1)
_ADD = 'asm("add.cc.u32 %0, %0, %1;" : "+r"(r[0]) : "r"(a[0]));'
_ADDC = 'asm("addc.cc.u32 %0, %0, %1;" : "+r"(r[1]) : "r"(a[1]));'
_LAST = 'asm("addc.u32 %0, %0, %1;" : "+r"(r[2]) : "r"(a[2]));'


def translation(body: str, tables: Tables, kind: str = "__device__") -> str:
    text = f"{kind} void f(unsigned* r, const unsigned* a, bool p) {{\n  {body}\n}}\n"
    return convert_source(text.encode(), "a.cu", Context(tables)).data.decode()


@pytest.mark.parametrize(
    "body",
    [
        f"{_ADD} {_LAST}",
        f"{_ADD} {_ADDC} {_LAST}",
        f"{_ADD} for (int i = 1; i < 9; ++i) {_ADDC} {_LAST}",
        f"if (p) {{ {_ADD} {_LAST} }} else {{ {_ADD} {_LAST} }}",
        f"{_ADD} {_ADD} {_LAST}",
    ],
)
def test_chains_that_end_in_their_function_keep_the_flag_in_a_variable(body: str, tables: Tables) -> None:
    text = translation(body, tables)
    assert text.count("  uint32_t carry = 0;\n") == 1
    assert "carry_flag" not in text
    assert "asm" not in text


@pytest.mark.parametrize(
    "body",
    [
        _ADD,
        _LAST,
        f"{_ADD} {_ADDC}",
        f"if (p) {_ADD} {_LAST}",
        f"{_ADD} if (p) {_LAST}",
        f"{_ADD} g(); {_LAST}",
        f"{_LAST} {_ADD}",
        f"auto g = [&] {{ {_ADD} }}; g(); {_LAST}",
    ],
)
def test_other_chains_share_the_flag_of_the_thread(body: str, tables: Tables) -> None:
    text = translation(body, tables)
    assert "uint32_t carry = 0;" not in text
    assert "hipport::ptx::carry_flag()" in text
    assert "asm" not in text


def test_no_caller_takes_the_flag_of_a_kernel(tables: Tables) -> None:
    assert "carry_flag" not in translation(f"{_ADD} {_ADDC}", tables, "__global__")


def test_the_variable_has_a_name_of_its_own(tables: Tables) -> None:
    assert "uint32_t carry_ = 0;" in translation(f"unsigned carry = 1; {_ADD} {_LAST}", tables)


@pytest.fixture(scope="module")
def translated(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    conversion = convert_source(source(_PROGRAMS).encode(), "carries.cu", Context(tables))
    assert {d.code for d in conversion.diagnostics} == {"HP303"}
    assert b"asm" not in conversion.data
    path = tmp_path_factory.mktemp("carries") / "carries.hip"
    path.write_bytes(conversion.data)
    return path


@pytest.mark.slow
def test_random_chains_compute_exact_results(translated: Path) -> None:
    binary = translated.with_suffix("")
    run("g++", *COMMON, f"-I{INCLUDE / 'cpu'}", "-x", "c++", translated, "-o", binary, "-pthread", "-ldl")
    found = [[int(word, 16) for word in line.split()] for line in run(binary).splitlines()]
    expected = [computed(program, thread) for program in _PROGRAMS for thread in range(THREADS)]
    wrong = [_PROGRAMS[at // THREADS] for at in range(len(expected)) if found[at] != expected[at]]
    assert len(found) == len(expected) and len(found[0]) == REGISTERS
    assert not wrong


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_chains_compile_for_amd_gpus(translated: Path) -> None:
    hipcc = shutil.which("hipcc")
    assert hipcc, "hipcc is missing"
    run("env", "HIP_PLATFORM=amd", hipcc, *COMMON, "--offload-arch=gfx90a", "-c", translated, "-o", "/dev/null")
