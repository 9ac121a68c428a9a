"""Options that a finding calls removed are gone, others stay, and a second conversion changes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.build_systems import is_about_cuda, kind_of
from hipport.buildfiles.convert import rules
from hipport.buildfiles.overlaps import without_overlaps
from hipport.diagnostics import Diagnostic
from hipport.source import Replace, SourceFile
from tests.buildfiles.test_pairs import CASES, NAMES, PAIRS, context, translate

PROJECTS = PAIRS.parent / "projects"
FILES = sorted(path for path in PROJECTS.rglob("*") if path.is_file() and kind_of(path.name) is not None)
_REMOVED = (" is removed: ", " are removed: ", " is not set to nvcc")
_DROPPED = ("--expt-relaxed-constexpr", "-maxrregcount=32", "-Xcudafe --diag_suppress=x")
_KEPT = ('"SHELL:-O2 -Wall"', "$<$<CONFIG:Debug>:-g>", "${MORE}", "# why\n")
_FRAMES = (
    "project(app LANGUAGES CUDA)\ntarget_compile_options(app PRIVATE {})\n",
    "target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>: {} >)\n",
    "set(CMAKE_CUDA_FLAGS {})\n",
    "list(APPEND CUDA_NVCC_FLAGS {})\n",
)


def unedited(data: bytes, name: str) -> list[Diagnostic]:
    """Return the findings about something removed at a place that no edit of the rules touches."""
    kind = kind_of(name)
    work = BuildFile(SourceFile.decode(data, name), context())
    if kind is None or not is_about_cuda(work.source.text):
        return []
    found = [each for rule in rules(kind) for each in rule(work)]
    edits = without_overlaps(each for each in found if isinstance(each, Replace))
    places = {work.source.position(at) for edit in edits for at in range(edit.start, max(edit.end, edit.start + 1))}
    said = (each for each in found if isinstance(each, Diagnostic) and any(word in each.message for word in _REMOVED))
    return [each for each in said if (each.line, each.column) not in places]


@pytest.mark.parametrize("case", [*CASES, *FILES], ids=lambda path: str(path.relative_to(PAIRS.parent)))
def test_what_is_said_to_be_removed_is_edited(case: Path) -> None:
    assert unedited(case.read_bytes(), NAMES[case.suffix] if case in CASES else case.name) == []


def lists() -> Iterator[str]:
    """Yield lists of options to remove with others in between and around."""
    for first, kept, second in itertools.product(_DROPPED, _KEPT, _DROPPED):
        spelled = [f'"SHELL:{word}"' if " " in word else word for word in (first, second)]
        yield f"{spelled[0]} {kept} {spelled[1]}"
        yield f"\n  {spelled[0]}\n  {spelled[1]} {kept}\n  {spelled[0]} -Wextra {spelled[1]}\n"
        yield f"-Wextra {spelled[0]} {kept} {kept} {spelled[1]}"


@pytest.mark.parametrize("frame", _FRAMES)
def test_words_between_removed_ones_stay(frame: str) -> None:
    case = Path("list.cmake")
    for text in map(frame.format, lists()):
        if "CUDA_NVCC_FLAGS" in frame and "#" in text:
            continue  # its values become one string, in which a comment cannot stand
        conversion = translate(case, text.encode())
        once = conversion.data.decode()
        assert unedited(text.encode(), "CMakeLists.txt") == [], text
        assert conversion.diagnostics, text
        assert not any(word.split()[0].split("=")[0] in once for word in _DROPPED), (text, once)
        for kept in ("-O2 -Wall", "CONFIG:Debug>:-g", "${MORE}", "# why", "-Wextra"):
            assert once.count(kept) == text.count(kept), (text, once)
        assert translate(case, once.encode()).data.decode() == once, text
