"""Starts the tools: argument lists, no shell, and always for the AMD platform."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finished:
    """What a process left behind."""

    status: int
    stdout: str
    stderr: str


def amd_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of every command: where nvcc is installed hipcc takes the NVIDIA platform unless told."""
    return {**(os.environ if environ is None else environ), "HIP_PLATFORM": "amd"}


def run(
    command: Sequence[str | Path], timeout: float = 60, *, environ: Mapping[str, str] | None = None
) -> Finished | None:
    """Run a short question to a tool; None if it cannot be started or does not answer.

    `environ` is the environment as it stands; without it it is that of every command.
    """
    try:
        done = subprocess.run(
            [str(part) for part in command],
            env=amd_environment() if environ is None else dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Finished(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
