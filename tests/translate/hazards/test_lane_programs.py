"""Generated programs are right on wavefronts of 64 lanes, or reported at a line that has to do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.shared import sampled
from tests.translate.hazards.lane_programs import LaneProgram, programs
from tests.translate.hazards.lane_runs import Translated, run, translate
from tests.translate.hazards.test_compile import compile_for_amd, together

ALL = programs()
CHOSEN = sampled(ALL, 30)
"""The programs that are run; all of them take half an hour."""
GROUP = 100
"""Programs in one translation unit."""
SAMPLE = (
    "reduce-steps16-direct-and31",
    "reduce-steps16-direct-wave",
    "reduce-wave-header-named",
    "reduce-tile-template-wavemask",
    "scan-laneid-deepheader-wave",
    "first-neutral-macro-wavemacro",
    "last-constant31-functor-wave",
    "lane-wave-member-mod32",
    "kept-returned_auto-template-wave-header",
    "kept-member_braced-loop-wave-header",
    "kept-reference-inline-wave-file",
    "kept-reference-inline-and31-file",
    "launch-shared-property",
    "launch-strided-attribute",
)


def failures(translated: list[Translated], folder: Path) -> list[str]:
    """Return the programs that compute something else than in CUDA without being reported."""
    right = run(translated, folder, 64)
    return [each.program.name for each in translated if not right[each.program.name] and not each.told]


def test_names_are_unique_and_lines_marked() -> None:
    assert len({program.name for program in ALL}) == len(ALL) > 4000
    assert all(any(program.lines(file) for file in program.files) for program in ALL)


def test_sample_is_right_or_reported(tmp_path: Path) -> None:
    chosen = [program for program in ALL if program.name in SAMPLE]
    assert len(chosen) == len(SAMPLE)
    translated = translate(chosen, tmp_path)
    assert failures(translated, tmp_path) == []
    reported = {each.program.name for each in translated if each.told}
    assert "reduce-steps16-direct-wave" in reported
    assert "reduce-steps16-direct-and31" not in reported


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(CHOSEN), GROUP))
def test_programs_are_right_or_reported(first: int, tmp_path: Path) -> None:
    group: list[LaneProgram] = CHOSEN[first : first + GROUP]
    translated = translate(group, tmp_path)
    assert failures(translated, tmp_path) == []
    as_in_cuda = run(translated[::5], tmp_path, 32)
    assert [name for name, right in as_in_cuda.items() if not right] == []


@pytest.mark.slow
def test_one_convention_is_not_reported(tmp_path: Path) -> None:
    """Helpers and callers that count 32 lanes, or that both count `warpSize` lanes, are right without a finding."""
    helpers = {"and31": "steps16 width32 and31 mod32 five tile", "wave": "wave wavebound wavewidth neutral"}
    same = [
        program
        for program in ALL
        for kind, helper, connection, caller in [(*program.name.split("-"), "")[:4]]
        if kind != "kept" and caller in helpers
        if helper in helpers[caller].split() and connection not in ("header", "deepheader", "macroheader", "member")
    ]
    translated = translate(same[::15], tmp_path)
    assert [each.program.name for each in translated if each.reported] == []
    right = run(translated, tmp_path, 64)
    assert [name for name in right if not right[name]] == []


@pytest.mark.slow
@pytest.mark.toolchain
def test_what_is_reported_compiles_for_amd_gpus(tmp_path: Path) -> None:
    """HIP's functions are overloaded: `__ffsll` of an `unsigned` is ambiguous there, but not on the CPU."""
    context = Context(load_choice(NameChoice(rocm="5.2")))
    programs = [program for program in ALL if program.name.startswith("kept") and len(program.files) == 1]
    texts = []
    for number, program in enumerate(programs[::3]):
        text = convert_source(program.files["main.cu"].encode(), "main.cu", context).data.decode()
        texts.append((f"case_{number}.hip", text))
    done = compile_for_amd(tmp_path / "together.hip", together(texts))
    assert done.returncode == 0, done.stderr
