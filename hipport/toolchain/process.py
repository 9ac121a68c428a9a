"""Run tools with argument lists, without a shell, and always for the AMD platform."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from hipport.toolchain.jobserver import without_pipe
from hipport.toolchain.temporary import own_temporary_folder


class Finished(Struct, frozen=True):
    """The result of a finished process."""

    status: int
    stdout: str
    stderr: str


def amd_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for all commands; without HIP_PLATFORM, hipcc targets NVIDIA if nvcc is installed."""
    return {**without_pipe(os.environ if environ is None else environ), "HIP_PLATFORM": "amd"}


def run(
    command: Sequence[str | Path], timeout: float = 60, *, environ: Mapping[str, str] | None = None
) -> Finished | None:
    """Run a short query; return None if the tool cannot be started or does not answer in `timeout` seconds.

    `environ` is used unchanged but for TMPDIR; the default is `amd_environment()`.
    """
    try:
        with own_temporary_folder(amd_environment() if environ is None else environ) as own:
            done = subprocess.run(
                [str(part) for part in command],
                env=own,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Finished(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
