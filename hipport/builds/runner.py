"""Run ninja on a build file and parse its output into events."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.jobserver import jobserver_pipe
from hipport.toolchain.process import amd_environment
from hipport.toolchain.temporary import own_temporary_folder

_STATUS = "@hipport %f %t "
_STEP = re.compile(r"@hipport (\d+) (\d+) (\d+)")
_FAILED = "FAILED: "


@dataclass(frozen=True, slots=True)
class Done:
    """A finished step: `step` is its index in the plan, `text` its output; `done` of `total` steps are finished."""

    step: int
    done: int
    total: int
    text: str = ""
    failed: bool = False


def ninja_program() -> Path:
    """Return the ninja of the `ninja` package, or else of PATH. Raises `HipportError` if there is none."""
    import ninja

    found = shutil.which("ninja", path=ninja.BIN_DIR) if ninja.BIN_DIR else None
    found = found or shutil.which("ninja")
    if found is None:
        raise HipportError("cannot find ninja", hint="Install it: pip install ninja, or your system's ninja-build.")
    return Path(found)


def run_ninja(build_file: str, jobs: int | None = None) -> Iterator[Done]:
    """Run ninja and yield steps as they finish, including failed ones. Raises `HipportError` if ninja itself fails.

    Without `jobs`, ninja shares the job slots of a make that started hipport, where it gives them.
    """
    command = [str(ninja_program()), "-f", build_file, *(["-j", str(jobs)] if jobs else [])]
    with own_temporary_folder(amd_environment()) as environ, _started(command, environ) as process:
        assert process.stdout is not None
        failed = False
        for done in parse_output(process.stdout):
            failed |= done.failed
            yield done
        status = process.wait()
    if status and not failed:
        raise HipportError("ninja stopped without a message", hint=f"Run it by hand: ninja -f {build_file}")


@contextlib.contextmanager
def _started(command: Sequence[str], environ: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Start a process that is interrupted, and waited for, when the caller stops iterating."""
    pipe = jobserver_pipe(os.environ)
    shared = {"MAKEFLAGS": os.environ["MAKEFLAGS"]} if pipe else {}
    process = subprocess.Popen(
        command,
        env={**environ, **shared, "NINJA_STATUS": _STATUS},
        pass_fds=pipe or (),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="surrogateescape",
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            # ninja then stops its commands and removes their partial outputs.
            process.send_signal(signal.SIGINT)
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def parse_output(lines: Iterable[str]) -> Iterator[Done]:
    """Parse ninja's output: the step's output follows its status line; ninja's own messages are dropped.

    A failed step's output starts with a `FAILED:` line and its command. Raises `HipportError` for ninja's errors.
    """
    current: tuple[int, int, int] | None = None
    text: list[str] = []
    for line in lines:
        if line.startswith("ninja: error: "):
            raise HipportError(f"ninja: {line.removeprefix('ninja: error: ').strip()}")
        match = _STEP.match(line)
        if match is None:
            text.append(line)
            continue
        if current is not None:
            yield _done(current, text)
        current, text = (int(match[3]), int(match[1]), int(match[2])), []
    if current is not None:
        yield _done(current, text)


def _done(place: tuple[int, int, int], text: list[str]) -> Done:
    failed = bool(text) and text[0].startswith(_FAILED)
    kept = (line for line in text[2 if failed else 0 :] if not line.startswith("ninja: "))
    return Done(*place, "".join(kept), failed)
