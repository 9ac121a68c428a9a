"""Cross-lane functions exist, with the right mask type, in every release and for every wavefront size.

`*_sync` functions are not in HIP before 6.2, behind a macro up to 6.4, and take masks of 64 bits from then on. A
translation without them is the same code everywhere, which `test_compile.py` compiles.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.source import SourceFile
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.convert import convert_source
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES_SYNC, VOTES_SYNC
from hipport.translate.syntax.unit import parse

PAIRS = Path(__file__).parents[3] / "fixtures" / "pairs"
CASES = [case for folder in ("cross_lane", "hazards") for case in sorted((PAIRS / folder).glob("*.cu"))]
LEFT_ALONE = {"hip_already.cu", "own_shuffles.cu"}
"""Fixtures in HIP, and with overloads of their own, beside which a header supplies CUDA's for each release."""
SYNC = SHUFFLES_SYNC | VOTES_SYNC | REDUCTIONS
OF_7_0 = {"__match_any_sync", "__match_all_sync"}
"""What stays from 7.0 on, where all lanes of a wavefront are meant: there is no older name."""


@pytest.mark.parametrize("wave_size", [0, 32, 64])
@pytest.mark.parametrize("rocm", ["5.2", "6.2", "7.0"])
def test_no_function_is_left_that_depends_on_the_release(rocm: str, wave_size: WaveSize) -> None:
    context = Context(load_choice(NameChoice(rocm=rocm)), Options(wave_size=wave_size, fix=True))
    left: dict[str, set[str]] = {}
    for case in CASES:
        if case.name not in LEFT_ALONE:
            unit = parse(SourceFile.decode(convert_source(case.read_bytes(), case.name, context).data, case.name))
            allowed = OF_7_0 if rocm == "7.0" else set()
            found = {name for name in unit.words & SYNC if re.search(rf"(?<!::)\b{name}\s*\(", unit.code)} - allowed
            if found:
                left[case.name] = found
    assert not left
