"""The errors of a build, attributed to the sources."""

from __future__ import annotations

from pathlib import Path

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
