"""The errors of a build, attributed to the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic, Quote, Severity
from hipport.port.failures import Failure
from hipport.port.remaining import attribute
from hipport.project.request import FileResult
from hipport.project.task import Action

TEXT = "forced T f();\nint x = y;\n"


def test_errors_that_follow_from_another_in_the_line_are_left_out(tmp_path: Path) -> None:
    for name in ("a.cu", "a.hip"):
        (tmp_path / name).write_text(TEXT)
    source, target = str(tmp_path / "a.cu"), str(tmp_path / "a.hip")
    said = ((1, "unknown type name 'forced'"), (1, "expected ';'"), (1, "unknown type name 'T'"), (2, "undeclared 'y'"))
    failures = [Failure(target, line, 1 + place, text) for place, (line, text) in enumerate(said)]
    failures += [Failure("", 1, 1, f"undefined symbol {name}") for name in ("f", "g")]
    left = attribute(failures, [FileResult(source, target, Action.TRANSLATE, True)], (), str(tmp_path))
    messages = ["unknown type name 'forced'", "undeclared 'y'", "undefined symbol f", "undefined symbol g"]
    assert [found.message for found in left.new] == messages


def test_targets_of_packages_that_are_absent_follow_from_that(tmp_path: Path) -> None:
    said = 'target_link_libraries: Target "app" links to: {} but the target was not found. Possible reasons include: *'
    messages = ["the package hipblas is not installed", said.format("roc::hipblas"), said.format("own::lib")]
    failures = [Failure("", 1, 1, text) for text in messages]
    assert [found.message for found in attribute(failures, (), (), str(tmp_path)).new] == [messages[0], messages[2]]


LINES = ["cudaFancy value;", "value.member = 1;", "other.member = 1;"]


@pytest.mark.parametrize(
    ("message", "line", "is_new"),
    [
        ("use of undeclared identifier 'value'", 2, False),
        ("\u2018value\u2019 was not declared in this scope; did you mean \u2018valve\u2019?", 2, False),
        ("\u2018other\u2019 was not declared in this scope", 3, True),
        ("use of undeclared identifier 'Fancy'", 3, False),  # the name of the finding itself
        ("no member named 'value' in 'T'", 3, True),
    ],
)
def test_uses_of_what_a_reported_line_declares_follow_from_it(
    message: str, line: int, is_new: bool, tmp_path: Path
) -> None:
    for name in ("a.cu", "a.hip"):
        (tmp_path / name).write_text("\n".join(LINES) + "\n")
    source, target = str(tmp_path / "a.cu"), str(tmp_path / "a.hip")
    text = "cudaFancy has no counterpart in HIP"
    reported = Diagnostic(source, 1, 1, "HP101", Severity.ERROR, text, quote=Quote(LINES[0], len("cudaFancy") + 1))
    results = [FileResult(source, target, Action.TRANSLATE, True)]
    left = attribute([Failure(target, line, 1, message)], results, [reported], str(tmp_path))
    assert (left.explained, bool(left.new)) == (() if is_new else (reported,), is_new)
