"""A program in two files, one of which includes the other, is translated and judged as in one file.

Each golden case is cut in its middle, between two declarations at file scope. What differs in the known cases is listed
with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request
from tests.translate.test_spellings import CASES, PAIRS, plain, tokens

_CONDITION = re.compile(r"\s*#\s*(if|endif)")
_BEHIND = re.compile(r"[A-Za-z_#]")
_PRAGMA = "a pragma or a header is once in each file"
_ONCE = "a note is once in each file"
_ABOVE = "a header does not know what its includers call, launch or define"
_NOTES = "that warps of 32 lanes are kept is noted where one file has the exchange and what shows the lanes"
_LOST = "not told to other files"
_LANES = "functions that do not show their lanes take those of the rest of their file; HP230 reports other files' calls"
_BY_NAME = "members of other files would be known by their names alone; HIP's compiler reports such uses"
_MAY_DECLARE = "a file that includes others may have a name from them"
_TWICE = "the header gets a note, and the file that uses its constant beside warpSize a warning"
_USES = "a header does not know which names other files make with its macros: HP112 says so"
_CONDITION_OF_NONE = (
    "a macro that a header defines for another platform only is renamed in conditions, which stay false"
)
_NO_NAMES = "the half that includes HIP has none of the other's names of CUDA, so nothing is left alone in it"
_MACRO = "macros of other files are not expanded"
DIFFER: dict[str, str] = {
    "compat/generated_operators.cu": _MACRO,
    "cross_lane/own_shuffles.cu": _NOTES,
    "hazards/ballot_passed.cu": _LANES,
    "hazards/default_stream_launcher.cu": _ABOVE,
    "hazards/fast_math.cu": _ONCE,
    "hazards/grid_by_device.cu": _ABOVE,
    "hazards/lanes_across_functions.cu": _NOTES,
    "hazards/number_handles.cu": _BY_NAME,
    "hazards/own_atomics_of_integers.cu": _PRAGMA,
    "hazards/printf_value.cu": _ONCE,
    "hazards/random_sequences.cu": _ONCE,
    "hazards/small_floats.cu": _ONCE,
    "hazards/spin_locks.cu": _ABOVE,
    "hazards/std_names.cu": _ONCE,
    "hazards/undeclared_arrays.cu": _MAY_DECLARE,
    "hazards/warp_constant_beside.cu": _TWICE,
    "hazards/warp_synchronous.cu": _ABOVE,
    "includes/computed_bare.cu": _MACRO,
    "includes/library_macros.cu": _PRAGMA,
    "includes/macro_names.cu": _PRAGMA,
    "launches/split_kernels.cu": _PRAGMA,
    "members/curand_state.cu": _ONCE,
    "names/alias_macros.cu": _CONDITION_OF_NONE,
    "names/host_constructors.cu": _ABOVE,
    "names/host_constructors_without_name.cu": _ABOVE,
    "names/narrowing.cu": _PRAGMA,
    "names/own_struct.cu": _NO_NAMES,
    "names/pasted_passed_on.cu": _USES,
    "names/pasted_passed_on_lost.cu": _USES,
    "names/pasted_prefix.cu": _USES,
    "names/pasted_prefix_unknown.cu": _USES,
    "ptx/carries.cu": _LOST,
    "ptx/macro_arguments.cu": _MACRO,
    "ptx/macros.cu": _MACRO,
    "ptx/unknown_in_macros.cu": _MACRO,
    "text/digraphs.cu": _LOST,
    "text/pasted_own_names_lost.cu": _MACRO,
}
"""Cases that differ, with the reasons: one that no longer does leaves the list."""


def cuts(text: str) -> list[int]:
    """Return the offsets behind declarations at file scope that are in no condition."""
    found: list[int] = []
    depth = conditions = offset = 0
    pieces = list(tokens(text))
    before = ""
    for number, (token, kind) in enumerate(pieces):
        offset += len(token)
        if kind == "line":
            word = _CONDITION.match(token)
            conditions += 0 if word is None else 1 if word[1] == "if" else -1
            found += [offset] if not depth and not conditions and before in (";", "}", "") else []
        elif kind not in ("blank", "comment"):
            depth += (token in ("(", "{", "[")) - (token in (")", "}", "]"))
            if not depth and not conditions and token in (";", "}"):
                behind = next((each for each, kind in pieces[number + 1 :] if kind not in ("blank", "comment")), "")
                found += [offset] if token == ";" or not behind or _BEHIND.match(behind.lstrip()) else []
            before = token
    return found


def parts(text: str) -> tuple[str, str] | None:
    """Return the two halves of a program; None if it has too few declarations."""
    found = cuts(text)
    middle = found[len(found) // 2] if len(found) > 2 else len(text)
    return (text[:middle], text[middle:]) if text[middle:].strip() else None


def translated(folder: Path, **files: str) -> tuple[list[str], Counter[str]]:
    """Return the tokens of translations, in order, without includes; and how often each code is reported."""
    build(folder, {f"in/{name}.{'cu' if name == 'main' else 'cuh'}": text for name, text in files.items()})
    report = run(
        request(Mode.OUTPUT, folder / "in", folder=str(folder / "out")), lambda done, total: None, convert_source
    )
    made = {path.stem: path.read_text("utf-8", "replace") for path in (folder / "out").iterdir() if path.is_file()}
    found = [token for name in files for token in plain(made[name])]
    kept = [token for token in found if not token.startswith("#include") and token != "#pragma once"]
    return kept, Counter(each.code for each in report.diagnostics)


def test_most_programs_have_two_parts() -> None:
    programs = [case.read_text("utf-8", "replace") for case in CASES if case.suffix == ".cu"]
    assert sum(parts(text) is not None for text in programs) > 350


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.suffix == ".cu"], ids=lambda case: str(case.relative_to(PAIRS))
)
def test_two_files_are_translated_as_one(case: Path, tmp_path: Path) -> None:
    text = case.read_text("utf-8", "replace")
    halves = parts(text)
    if halves is None:
        pytest.skip("too short")
    one = translated(tmp_path / "one", main=text)
    two = translated(tmp_path / "two", part=halves[0], main=f'#include "part.cuh"\n{halves[1]}')
    if reason := DIFFER.get(str(case.relative_to(PAIRS))):
        assert one != two, f"{reason}: no longer"
    else:
        assert one == two
