"""Make ninja rebuild by file content rather than modification time.

Beside each output is a stamp file: the content hashes of all files that its step reads and no other step makes,
including headers, and the tools. ninja sees the stamp as the input in place of these files, and the stamp is only
written when its content changes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hipport.builds.plan import BuildPlan, BuildStep
from hipport.builds.prepare import write_if_changed
from hipport.files.hashes import Hasher

_NAME = re.compile(r"(?:\\[ #:\\]|\$\$|[^\s\\]|\\(?![\n ]))+")
"""A path in a depfile: blanks and similar characters are escaped by a backslash."""

_LONG_AGO = (1, 1)


def stamp_path(output: str) -> str:
    return f"{output}.inputs"


@dataclass(frozen=True, slots=True)
class Freshness:
    """Keeps the stamps of a plan; `tools` lists the programs that the steps run, with versions."""

    plan: BuildPlan
    tools: str
    _digests: dict[str, str | None] = field(default_factory=dict)

    def before(self) -> None:
        """Update the stamps from the files before ninja reads them."""
        made = {step.output for step in self.plan.steps}
        for step in self.plan.steps:
            self._write(step, made)

    def after(self, step: BuildStep, started: int) -> None:
        """Add the headers that a step found to its stamp; `started` is when ninja started, in nanoseconds.

        A stamp rewritten without any change must look old to ninja. If a file has changed since the start, it is
        unknown which version the step has read: its stamp stays without the headers, and the step is run again next
        time.
        """
        made = {step.output for step in self.plan.steps}
        if any(_changed(path) >= started for path in _reads(step, made)):
            return
        self._write(step, made)
        os.utime(stamp_path(step.output), _LONG_AGO)

    def _write(self, step: BuildStep, made: set[str]) -> None:
        lines = (f"{self._digest(path)} {path}" for path in _reads(step, made))
        text = "\n".join([self.tools, *lines, ""])
        write_if_changed(Path(stamp_path(step.output)), text.encode(errors="surrogateescape"))

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = Hasher({}).at(os.path.realpath(path))
        return self._digests[path]


def _reads(step: BuildStep, made: set[str]) -> list[str]:
    """Return the files that a step reads and no step makes, including known headers."""
    headers: Iterable[str] = ()
    if step.depfile and Path(step.depfile).exists():
        headers = dependencies(Path(step.depfile).read_text(encoding="utf-8", errors="surrogateescape"))
    return sorted({*step.inputs, *headers} - made)


def dependencies(text: str) -> list[str]:
    """Return the prerequisites of a make rule as written by compilers."""
    _, _, behind = text.replace("\\\n", " ").partition(": ")
    if "\\" not in behind and "$" not in behind:
        return behind.split("\n")[0].split()
    return [re.sub(r"\\([ #:\\])|\$(\$)", r"\1\2", name) for name in _NAME.findall(behind.split("\n")[0])]


def _changed(path: str) -> int:
    """Return a file's modification time in nanoseconds, or 0 if it does not exist."""
    return Path(path).stat().st_mtime_ns if Path(path).exists() else 0
