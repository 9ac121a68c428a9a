"""Report programs of NVIDIA's toolkit that recipes and scripts run, which a machine with ROCm does not have."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.diagnostics import Severity

_FOLDER = re.compile(r"[\w./~${}()-]*/\Z")
_COMMENT = re.compile(r"(?:\A|[\s;])#")
_FRONT = re.compile(
    r"(?:\A[ \t]*[@+-]*|[;&|(`!]|\b(?:then|do|else|time|sudo|exec|if)[ \t]|\w\s*[:?+]?=\s*[\"']?)"
    r"[ \t]*(?:\w+=\S*[ \t]+)*\Z"
)
"""Matches what stands in front of a command: the beginning of a line, `&&`, `then`, `NAME=value`; and of a value."""


def run(work: BuildFile) -> Iterator[Found]:
    """Report the first use of each program in a Makefile, where nvcc is translated."""
    yield from reported(work, frozenset(work.context.tables.programs) - {"nvcc"})


def run_on_script(work: BuildFile) -> Iterator[Found]:
    """Report the first use of each program in a script, nvcc included: scripts are not translated."""
    yield from reported(work, frozenset(work.context.tables.programs))


def reported(work: BuildFile, programs: frozenset[str]) -> Iterator[Found]:
    """Report the first use of each of some programs where a command or the value of a variable begins."""
    seen = set[str]()
    any_of = re.build(rf"(?<![\w.$])(?:{'|'.join(sorted(programs))})(?![\w.=:/-])")
    for match in any_of.finditer(work.text):
        if match[0] not in seen and _is_run(work.text, match.start()):
            seen.add(match[0])
            message = f"{match[0]} is a program of NVIDIA's, which a machine with ROCm does not have"
            if match[0] == "nvcc":
                message = "the script runs nvcc; scripts are not translated, nor are the names of sources in them"
            advice = f"Use instead: {work.context.tables.programs[match[0]]}."
            yield work.report(match.start(), "HP413", Severity.WARNING, message, advice)


def _is_run(text: str, offset: int) -> bool:
    """Return whether a program's name stands where a command begins, or the value of a variable."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    before = _FOLDER.sub("", before)
    return _COMMENT.search(before) is None and _FRONT.search(before) is not None
