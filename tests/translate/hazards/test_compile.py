"""Translations of hazards and cross-lane functions compile for wavefronts of 64 and of 32 lanes.

The cases are compiled together, each in a namespace of its own: reading HIP's headers takes most of the time. What is
reported as an error that no compiler takes is compiled alone, and has to fail.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache, reduce
from pathlib import Path

import pytest

from hipport.diagnostics import Severity
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.source import SourceFile
from hipport.support import include_dir
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.syntax.includes import includes as includes_of
from hipport.translate.syntax.unit import parse

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PAIRS = Path(__file__).parents[3] / "fixtures" / "pairs"
HOST_ONLY = {".cpp"}
ABSENT = ("eigen_solvers.cu", "enum_numbers.cu", "number_handles.cu", "own_shuffles.cu")
"""Cases of libraries that are not installed, and of overloads that a namespace would hide those of headers from."""
CASES = [
    case
    for folder in ("hazards", "cross_lane")
    for case in sorted((PAIRS / folder).glob("*.cu"))
    if case.name not in ABSENT
]
REFUSED = {
    "HP101",
    "HP102",
    "HP103",
    "HP107",
    "HP113",
    "HP117",
    "HP126",
    "HP134",
    "HP136",
    "HP210",
    "HP214",
    "HP211",
    "HP224",
    "HP229",
    "HP237",
    "HP244",
    "HP245",
}
"""What a compiler refuses where it is an error."""
COMPILES = {"HP109", "HP212", "HP213", "HP218", "HP230", "HP231", "HP236"}
"""Errors when it is run; HP218: for HIP 5.2 alone `warpSize` is a constant, HP109: ambiguous where it is called."""
TARGETS = ("gfx90a", "gfx1030")
PARTS = 4
"""Tests of refused cases, so that processes share them."""
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


@cache
def translated(case: Path, wave_size: WaveSize) -> Conversion:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options(wave_size=wave_size, fix=True))
    return convert_source(case.read_bytes(), case.name, context)


def errors(conversion: Conversion) -> set[str]:
    return {found.code for found in conversion.diagnostics if found.severity is Severity.ERROR}


def lacks_images(conversion: Conversion) -> bool:
    """Return whether it was reported that the first of the targets cannot compile it."""
    return any(found.code == "HP242" and TARGETS[0] in found.message for found in conversion.diagnostics)


def compile_for_amd(source: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Compile device code for each target, down to machine code."""
    hipcc = shutil.which("hipcc")
    if hipcc is None:
        assert not os.environ.get("CI"), "hipcc is missing"
        pytest.skip("hipcc is not installed")
    source.write_text(text)
    command = [hipcc, *(f"--offload-arch={target}" for target in TARGETS), "-std=c++17", f"-I{include_dir()}"]
    command += ["-O1", "-c", "-w", str(source), "-o", str(source.with_suffix(".o"))]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)


def together(texts: Iterable[tuple[str, str]]) -> str:
    """Join sources into one: includes first, then each source in a namespace, with its macros undefined at the end."""
    includes: dict[str, None] = {}
    bodies = []
    for name, text in texts:
        unit = parse(SourceFile.decode(text.encode(), name))
        lines = [text[each.directive.span.start : each.directive.span.end] for each in includes_of(unit)]
        includes |= dict.fromkeys(lines)
        forgotten = "".join(f"#undef {macro}\n" for macro in sorted(set(_DEFINE.findall(text))))
        body = reduce(lambda rest, line: rest.replace(line, "", 1), lines, text).replace("int main(", "int main_(")
        bodies.append(f'namespace {Path(name).stem}_ {{\n#line 1 "{name}"\n{body}\n}}\n{forgotten}')
    return "\n".join([*includes, *bodies])


@pytest.mark.parametrize("wave_size", [0, 32])
def test_translations_compile(wave_size: WaveSize, tmp_path: Path) -> None:
    conversions = [(case.name, translated(case, wave_size)) for case in CASES]
    sound = [
        (name, each.data.decode()) for name, each in conversions if errors(each) <= COMPILES and not lacks_images(each)
    ]
    assert len(sound) > 30
    done = compile_for_amd(tmp_path / "together.hip", together(sound))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "together.o").stat().st_size > 50_000


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_an_error_does_not_compile(part: int, tmp_path: Path) -> None:
    """Which cases these are is found here, not while tests are collected: it takes seconds."""
    wrong = {case.name: made for case in CASES[part::PARTS] if errors(made := translated(case, 0)) - COMPILES}
    assert len(wrong) > 1
    assert {name: extra for name, made in wrong.items() if (extra := errors(made) - REFUSED - COMPILES)} == {}
    compiled = [
        name
        for name, made in wrong.items()
        if compile_for_amd(tmp_path / f"{name}.hip", made.data.decode()).returncode == 0
    ]
    assert compiled == []
