"""Run a program in the emulator with a tool: checks, a profile, a trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ToolName = Literal["check", "profile", "trace"]


@dataclass(frozen=True, slots=True)
class Observed:
    """The lines that a tool wrote while a program ran, and the program's exit status."""

    status: int
    lines: tuple[str, ...]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the JSON objects; a line cut off by the end of the program is left out."""
        for line in self.lines:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def observe(
    program: Sequence[str], executable: Path, environment: Mapping[str, str], tool: ToolName, trace: str = ""
) -> Observed:
    """Run a program with a tool and return what the tool wrote. `trace` selects a kernel for the tool of that name."""
    settings = {"HIPPORT_EMULATE_TOOL": tool, "HIPPORT_EMULATE_TRACE": trace}
    return _observed(program, executable, {**environment, **settings}, "HIPPORT_EMULATE_REPORT")


def observe_checks(program: Sequence[str], executable: Path, environment: Mapping[str, str]) -> Observed:
    """Run a program for the CPU and return what its checks wrote: nothing if it was built without them."""
    return _observed(program, executable, environment, "HIPPORT_CHECK_REPORT")


def _observed(program: Sequence[str], executable: Path, environment: Mapping[str, str], variable: str) -> Observed:
    with tempfile.TemporaryDirectory(prefix="hipport-") as folder:
        report = Path(folder) / "report"
        status = _run(program, executable, {**os.environ, **environment, variable: str(report)})
        text = report.read_text(encoding="utf-8", errors="replace") if report.exists() else ""
    return Observed(status, tuple(text.splitlines()))


def _run(program: Sequence[str], executable: Path, environment: Mapping[str, str]) -> int:
    # The program gets the terminal's signals itself, and says what it has to say.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = subprocess.run(list(program), executable=executable, env=dict(environment), check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)
    return 128 - status if status < 0 else status
