"""Programs to compare: shell scripts, and a CUDA program built once with 32 and once with 64 lanes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.shared import made_once

PROGRAMS = Path(__file__).parent / "programs"

Scripts = Callable[..., tuple[str, ...]]


@dataclass(frozen=True)
class Done:
    """The exit status and the output of `hipport verify`."""

    status: int
    out: str
    err: str


def verify(*arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> Done:
    command = [sys.executable, "-m", "hipport", "verify", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=300)
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    """A function that writes two scripts, and returns the options that name them as original and port."""

    def make(original: str, port: str) -> tuple[str, ...]:
        (tmp_path / "scripts").mkdir()
        old, new = (script(tmp_path / "scripts" / name, text) for name, text in (("old", original), ("new", port)))
        return ("--original-exe", old, "--port-exe", new)

    return make


@dataclass(frozen=True)
class Verified:
    """A verification that built programs, and their folder."""

    done: Done
    folder: Path

    @property
    def programs(self) -> tuple[str, ...]:
        """Return options that name the programs of the first and the last port, which differ in wavefront size."""
        original, port = (str(self.folder / name / "program") for name in ("0", "2"))
        return ("--original-exe", original, "--port-exe", port)


@pytest.fixture(scope="session")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Verified:
    """The program `sums.cu` with its bug, with 32 lanes and with 64."""
    sizes = ("--wave-size", "32", "--wave-size", "64")
    flags = ("--build=-O1", "--dtype", "f32", "--trace")
    source = str(PROGRAMS / "sums.cu")

    def build(folder: Path) -> None:
        done = verify(source, *sizes, *flags, "--work-dir", str(folder / "work"), "--", "bug")
        (folder / "done.json").write_text(json.dumps(asdict(done)))

    folder = made_once(tmp_path_factory, "verify", build)
    return Verified(Done(**json.loads((folder / "done.json").read_text())), folder / "work")
