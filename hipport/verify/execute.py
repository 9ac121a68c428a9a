"""Run one program in its own folder, under limits."""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hipport.errors import HipportError, UsageError
from hipport.verify.model import Conditions, RunOutcome


def execute(program: Path, name: str, folder: Path, conditions: Conditions, extra: Mapping[str, str]) -> RunOutcome:
    """Run a program until it ends or times out; `name` is its argv[0], `extra` is added to its environment.

    `folder` is recreated. Raises `HipportError` if the program cannot be started.
    """
    work = folder / "work"
    shutil.rmtree(folder, ignore_errors=True)
    work.mkdir(parents=True)
    for path in conditions.inputs:
        _copy_input(path, work)
    before = dict(_digests(work))
    started = time.monotonic()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err, _stdin(conditions) as stdin:
        try:
            process = subprocess.Popen(
                [name, *conditions.arguments],
                executable=program,
                cwd=work,
                env={**os.environ, **dict(conditions.environment), **extra},
                stdin=stdin,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=_limits(conditions.memory),
            )
        except OSError as error:
            raise HipportError(f"cannot run {program}: {error.strerror}") from None
        status = _wait(process, conditions.timeout)
    seconds = time.monotonic() - started
    written = {name: work / name for name, digest in _digests(work) if before.get(name) != digest}
    return RunOutcome(status, folder / "stdout", folder / "stderr", written, seconds)


def _copy_input(path: str, work: Path) -> None:
    """Copy a file or folder to its relative path in the working folder, or by name if it is outside."""
    source = Path(path)
    inner = source.is_absolute() or ".." in source.parts
    target = work / (source.resolve().name if inner else source)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)
    except (OSError, shutil.Error) as error:
        raise UsageError(f"cannot copy the input {path}: {error}") from None


def _digests(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files below a folder, except links, with their digests."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield str(path.relative_to(folder)), _digest(file.read)


def _digest(read: Callable[[int], bytes]) -> bytes:
    digest = hashlib.sha256()
    while piece := read(1 << 20):
        digest.update(piece)
    return digest.digest()


@contextlib.contextmanager
def _stdin(conditions: Conditions) -> Iterator[int]:
    """Open the program's standard input: a file, or /dev/null."""
    try:
        descriptor = os.open(conditions.stdin or os.devnull, os.O_RDONLY)
    except OSError as error:
        raise UsageError(f"cannot read {conditions.stdin}: {error.strerror}") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _limits(memory: int | None) -> Callable[[], None]:
    """Return a function that disables core dumps and limits data to `memory` MiB.

    The address space is not limited: CUDA reserves all it can get.
    """

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory << 20, memory << 20))

    return limit


def _wait(process: subprocess.Popen[bytes], timeout: float) -> int | None:
    """Return the exit status, or None after the timeout; kills everything that the program started."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
