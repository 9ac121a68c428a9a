"""Has ninja go by what files hold rather than by their times.

Beside each output lies a stamp: the content hashes of all files that its step reads and no other step makes, headers
included, and the tools. For ninja the stamp is the input in place of them, and it is written only when it differs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hipport.build.plan import Plan, Step
from hipport.build.prepare import write_if_changed
from hipport.project.state.hashes import Hasher

_NAME = re.compile(r"(?:\\[ #:\\]|\$\$|[^\s\\]|\\(?![\n ]))+")
"""A path in what compilers write about headers: blanks and the like have a backslash before them."""

_LONG_AGO = (1, 1)


def stamp_path(output: str) -> str:
    """Where the stamp of an output lies."""
    return f"{output}.inputs"


@dataclass(frozen=True, slots=True)
class Freshness:
    """Keeps the stamps of a plan; `tools` says which programs the steps run, with their versions."""

    plan: Plan
    tools: str
    _digests: dict[str, str | None] = field(default_factory=dict)

    def before(self) -> None:
        """Bring the stamps up to date with the files before ninja looks at them."""
        made = {step.output for step in self.plan.steps}
        for step in self.plan.steps:
            self._write(step, made)

    def after(self, step: Step, started: int) -> None:
        """Take the headers that a step has found into its stamp; `started`: when ninja was, in nanoseconds.

        A stamp that is new without anything being so must look old. If a file has changed since the start, nobody
        knows what the step has read: its stamp stays without the headers, and the step is run again next time.
        """
        made = {step.output for step in self.plan.steps}
        if any(_changed(path) >= started for path in _reads(step, made)):
            return
        self._write(step, made)
        os.utime(stamp_path(step.output), _LONG_AGO)

    def _write(self, step: Step, made: set[str]) -> None:
        lines = (f"{self._digest(path)} {path}" for path in _reads(step, made))
        text = "\n".join([self.tools, *lines, ""])
        write_if_changed(Path(stamp_path(step.output)), text.encode(errors="surrogateescape"))

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = Hasher({}).at(os.path.realpath(path))
        return self._digests[path]


def _reads(step: Step, made: set[str]) -> list[str]:
    """The files that a step reads and no step makes, headers included as far as they are known."""
    headers: Iterable[str] = ()
    if step.depfile and Path(step.depfile).exists():
        headers = dependencies(Path(step.depfile).read_text(encoding="utf-8", errors="surrogateescape"))
    return sorted({*step.inputs, *headers} - made)


def dependencies(text: str) -> list[str]:
    """The paths behind the colon of a rule as compilers write it for make."""
    _, _, behind = text.replace("\\\n", " ").partition(": ")
    if "\\" not in behind and "$" not in behind:
        return behind.split("\n")[0].split()
    return [re.sub(r"\\([ #:\\])|\$(\$)", r"\1\2", name) for name in _NAME.findall(behind.split("\n")[0])]


def _changed(path: str) -> int:
    """When a file changed, in nanoseconds; long ago for one that is not there."""
    return Path(path).stat().st_mtime_ns if Path(path).exists() else 0
