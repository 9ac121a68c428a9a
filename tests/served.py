"""Run the command `hipport` in processes that are forked from one that has imported it: nothing is imported again.

A command that starts by itself takes 0.3 CPU seconds to import what it needs, thousands of times in a run of the tests.
What a command imported that the server did not have yet, the server imports for later ones.
Tests of how the command starts, of signals, and of variables that Python reads start processes of their own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SECONDS = 300


def hipport(
    *words: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run `hipport` with these arguments; return its status and its output as text."""
    done = served(*words, cwd=cwd, env=env, timeout=timeout)
    texts = (data.decode().replace("\r\n", "\n") for data in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, *texts)


def served(
    *words: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    code: str = "",
    timeout: float = SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    """Run `hipport`, or Python code, with these arguments; return its status, negative for a signal, and its output.

    Raises `subprocess.TimeoutExpired`.
    """
    arguments = [os.fspath(word) if isinstance(word, Path) else str(word) for word in words]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "stdin").write_bytes(stdin)
        told = {
            "words": arguments,
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "folder": name,
            "code": code,
        }
        status = _SERVER.ask(told, timeout)
        stdout, stderr = ((folder / stream).read_bytes() for stream in ("stdout", "stderr"))
    return subprocess.CompletedProcess(["hipport", *arguments], status, stdout, stderr)


@dataclass(slots=True)
class _Server:
    process: subprocess.Popen[bytes] | None = field(default=None)

    def ask(self, told: dict[str, Any], timeout: float) -> int:
        """Return the status of one command; end the server and raise `TimeoutExpired` if there is none in time."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.served"],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), _python_path())))},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,  # so that a command that does not end is ended together with all that it started
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(told).encode() + b"\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.end()
            raise subprocess.TimeoutExpired(told["words"], timeout)
        return int(self.process.stdout.readline())

    def close(self) -> None:
        """Let the server end, so that its time counts as that of a child of this process."""
        if self.process is not None:
            self.process.communicate()

    def end(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, 9)
            self.process.communicate()
            self.process = None


_SERVER = _Server()
atexit.register(_SERVER.close)


def _python_path() -> str:
    return os.environ.get("PYTHONPATH", "")


def _serve() -> Callable[[], object]:
    """Answer requests until there are no more; return, in a forked process, what that process has to run."""
    while line := sys.stdin.buffer.readline():
        told = json.loads(line)
        gc.freeze()  # what is here is no garbage in the processes to come
        child = os.fork()
        if not child:
            return _entered(told)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _import(Path(told["folder"]) / "imported")
        sys.stdout.write(f"{status}\n")
        sys.stdout.flush()
    return lambda: None


def _entered(told: dict[str, Any]) -> Callable[[], object]:
    """Make this process that of a command: its folder, variables, streams and arguments; return what runs it."""
    folder = Path(told["folder"])
    for number, (stream, flags) in enumerate(
        (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY | os.O_CREAT), ("stderr", os.O_WRONLY | os.O_CREAT))
    ):
        descriptor = os.open(folder / stream, flags, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (the old one may have read ahead)
    os.environ.clear()
    os.environ.update(told["env"])
    os.chdir(told["cwd"])
    tempfile.tempdir = None
    sys.argv = [str(ROOT / "hipport/__main__.py"), *told["words"]]
    sys.modules["__main__"].__package__ = "hipport"  # click takes the name of the program from these two
    before = set(sys.modules)
    atexit.register(_tell, folder / "imported", before, os.getpid())
    if told["code"]:
        return lambda: exec(told["code"], {"__name__": "__main__"})
    from hipport.__main__ import main

    return main


def _tell(path: Path, before: set[str], process: int) -> None:
    """Write which modules of hipport a command imported; its own child processes write nothing."""
    if os.getpid() == process and path.parent.is_dir():
        path.write_text("\n".join(name for name in sys.modules.keys() - before if name.startswith("hipport.")))


def _import(path: Path) -> None:
    if path.is_file():
        for name in path.read_text().split():
            importlib.import_module(name)


if __name__ == "__main__":
    _serve()()
