"""The same tokens with other blanks between them, and CUDA's names behind `::`, are translated and judged alike.

Each golden case is translated as it is and in one of the spellings, in turn; with `HIPPORT_TEST_ALL=1` in all of them.
What differs in the known cases is listed with its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.shared import EVERYTHING

PAIRS = Path(__file__).parents[2] / "fixtures" / "pairs"
CASES = sorted(path for path in PAIRS.rglob("*") if path.suffix in (".cu", ".cuh", ".h"))
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<line>^[ \t]*(?:\#|%:)(?:[^\n\\]|\\.|\\\n)*)
    | R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
    | (?P<word>[A-Za-z_$][\w$]*)|(?P<blank>\s+)|\d[\w.']*|<<<|>>>|::|->|.""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_OF_CUDA = re.compile(r"(?:cuda|cublas|cufft|curand|cu)[A-Z]\w*")


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the tokens of a text, blanks included, with their kinds."""
    for match in _TOKEN.finditer(text):
        yield match[0], match.lastgroup or ""


def _between(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(token) if kind == "blank" else token for token, kind in tokens(text))


def tabs(text: str) -> str:
    return _between(text, lambda blank: blank.replace(" ", "\t"))


def lines(text: str) -> str:
    return _between(text, lambda blank: "\n")


def comments(text: str) -> str:
    return _between(text, lambda blank: blank if "\n" in blank else f"{blank}/**/")


def spaced(text: str) -> str:
    """Put a blank between each name and the bracket behind it."""
    found, name = [], False
    for token, kind in tokens(text):
        found += [" ", token] if name and token in ("(", "<", "[") else [token]
        name = kind == "word"
    return "".join(found)


def qualified(text: str) -> str:
    """Put `::` in front of names of CUDA."""
    found, before = [], ""
    for token, kind in tokens(text):
        free = kind == "word" and not before.endswith(("::", ".", "->"))
        found += ["::", token] if free and _OF_CUDA.fullmatch(token) else [token]
        before = before if kind == "blank" else token
    return "".join(found)


SPELLINGS: tuple[Callable[[str], str], ...] = (tabs, lines, comments, spaced, qualified)
_SILENCED = "a comment silences findings of its line"
_SPLIT = "`k << <1, 2 >> >(p)`, as formatters write it, may have blanks between its brackets and nothing else"
_OTHER = "`::name` is another than the file's own name in a namespace"
_NEAR_MISS = "no such declaration any more"
DIFFER = {
    (lines, "arch/tests.cu"): "comparisons with `__CUDA_ARCH__` in expressions are found in one line",
    (lines, "hazards/machine_code.cu"): _SILENCED,
    (lines, "hazards/object_types.cu"): _SILENCED,
    (lines, "names/silenced.cu"): _SILENCED,
    (lines, "names/vector_braces.cu"): _SILENCED,
    (lines, "launches/chevron.cu"): _SPLIT,
    (lines, "launches/lines.cu"): _SPLIT,
    (comments, "includes/in_comment.cuh"): "a line of the preprocessor begins behind a comment",
    (comments, "launches/chevron.cu"): _SPLIT,
    (comments, "launches/lines.cu"): _SPLIT,
    (comments, "ptx/macros.cu"): "comments between the strings of inline PTX that macros make up are reported",
    (comments, "text/late_templates_dependent.cu"): "a comment between `.` and `template`",
    (spaced, "members/returned_device_pointers.cu"): "redundant brackets",
    (spaced, "ptx/pointer_levels.cu"): "redundant brackets",
    (spaced, "text/template_members.cu"): "`S <N>::f <M> (p)` may be comparisons",
    (qualified, "hazards/enum_numbers.cu"): "`(::cublasOperation_t)n`",
    (qualified, "names/argument_lookup.cu"): _OTHER,
    (qualified, "names/declarations.cu"): _NEAR_MISS,
    (qualified, "names/loaded_names.cu"): _NEAR_MISS,
    (qualified, "names/merged_specializations.cu"): _OTHER,
    (qualified, "names/overloads_by_count.cu"): _OTHER,
    (qualified, "names/own_names.cu"): _NEAR_MISS,
    (qualified, "names/own_struct.cu"): _OTHER,
    (qualified, "names/prototypes.cu"): _NEAR_MISS,
    (qualified, "names/scoped_names.cuh"): _OTHER,
}
"""Cases that differ, with the reasons: one that no longer does leaves the list."""


def known(spelling: Callable[[str], str], case: Path) -> str:
    return DIFFER.get((spelling, str(case.relative_to(PAIRS))), "")


def plain(text: str) -> list[str]:
    """Return the tokens of a text without blanks, comments and `::`."""
    found = [
        " ".join(token.split()) if kind == "line" else token
        for token, kind in tokens(text.replace("\r\n", "\n"))
        if kind not in ("blank", "comment") and token != "::"
    ]
    return [token for token in found if token]


def translated(text: str, name: str, tables: Tables) -> tuple[list[str], Counter[str]]:
    made = convert_source(text.encode(), name, Context(tables))
    return plain(made.data.decode()), Counter(each.code for each in made.diagnostics)


def chosen() -> Iterator[tuple[Callable[[str], str], Path]]:
    for number, case in enumerate(CASES):
        for turn, spelling in enumerate(SPELLINGS):
            if EVERYTHING or number % len(SPELLINGS) == turn or known(spelling, case):
                yield spelling, case


def test_there_are_cases() -> None:
    assert len(CASES) > 400
    assert {name for _, name in DIFFER} <= {str(case.relative_to(PAIRS)) for case in CASES}


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.__name__)
def test_spellings_change_many_cases_and_leave_their_tokens(spelling: Callable[[str], str]) -> None:
    texts = [case.read_text("utf-8", "replace") for case in CASES]
    made = [(text, spelling(text)) for text in texts]
    assert sum(text != other for text, other in made) > 100
    assert sum(plain(text) != plain(other) for text, other in made) < 5


@pytest.mark.parametrize(
    ("spelling", "case"),
    list(chosen()),
    ids=[f"{spelling.__name__}-{case.relative_to(PAIRS)}" for spelling, case in chosen()],
)
def test_spellings_are_translated_alike(spelling: Callable[[str], str], case: Path, tables: Tables) -> None:
    text = case.read_text("utf-8", "replace")
    other = spelling(text)
    if plain(other) != plain(text):  # blanks in macros count, as do digraphs
        pytest.skip("not the same tokens")
    first, second = (translated(each, case.name, tables) for each in (text, other))
    if reason := known(spelling, case):
        assert first != second, f"{reason}: no longer"
    else:
        assert first == second
