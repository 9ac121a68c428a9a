"""A verification from start to finish."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings
from hipport.verify.compare import compare, status_text
from hipport.verify.execute import execute
from hipport.verify.model import Platform, Program, RunOutcome, TraceFinding, Verdict, Verification, VerifyRequest
from hipport.verify.programs import check_device, executable, identity

_NOT_STARTED = 127
_NO_LIBRARY = b"error while loading shared libraries"

Say = Callable[[str], None]
"""Receives progress messages."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A program ready to run: its path, its own folder, and the library that traces it, if it needs one."""

    program: Program
    path: Path
    folder: Path
    preload: Path | None


def verify(request: VerifyRequest, folder: Path, say: Say) -> Verification:
    """Build what is needed, run the programs below `folder`, and compare them. Raises `HipportError`."""
    original, *ports = _prepare(request, folder, say)
    expected = _run(original, request, say)
    _check_original(expected, request)
    verdicts = []
    for port in ports:
        outcome = _run(port, request, say)
        finding = _trace(original, port, request, say)
        verdicts.append(Verdict(port.program, compare(expected, outcome, request.rules), outcome.seconds, finding))
    return Verification(request.original, expected.seconds, tuple(verdicts))


def _check_original(outcome: RunOutcome, request: VerifyRequest) -> None:
    """Reject a run that is useless as a reference, even if a port does the same."""
    if outcome.status is None:
        raise HipportError(
            f"the original did not finish within {request.conditions.timeout:g} s",
            hint="Allow more time with --timeout.",
        )
    said = outcome.stderr.read_bytes()
    if outcome.status == _NOT_STARTED and _NO_LIBRARY in said:
        raise HipportError(
            f"the original did not start: {said.decode(errors='replace').strip()}",
            hint="If a shared library is missing, such as CUDA's runtime, add its folder to LD_LIBRARY_PATH.",
        )


def _prepare(request: VerifyRequest, folder: Path, say: Say) -> list[_Ready]:
    """Return all programs, the original first; identical ones are built once."""
    programs = (request.original, *request.ports)
    for platform in dict.fromkeys(program.platform for program in programs if program.emulate is None):
        check_device(platform, Surroundings())
    libraries = _libraries(request, folder)
    paths: dict[tuple[object, ...], Path] = {}
    ready = []
    for number, program in enumerate(programs):
        own = folder / str(number)
        own.mkdir(parents=True, exist_ok=True)
        if (key := identity(program)) not in paths:
            if program.executable is None:
                say(f"building the {program.title}")
            paths[key] = executable(program, own / "program", request.build_flags)
        ready.append(_Ready(program, paths[key], own, libraries.get(program.platform)))
    return ready


def _libraries(request: VerifyRequest, folder: Path) -> dict[Platform, Path | None]:
    """Return the tracing library for each platform, or nothing without a trace."""
    from hipport.verify.trace.run import preloaded

    if request.trace_limit is None:
        return {}
    platforms = {program.platform for program in (request.original, *request.ports)}
    return {platform: preloaded(platform, folder) for platform in platforms}


def _run(ready: _Ready, request: VerifyRequest, say: Say) -> RunOutcome:
    say(f"running the {ready.program.title}")
    outcome = execute(ready.path, _name(request), ready.folder / "run", request.conditions, _variables(ready, say))
    say(f"  exit status {status_text(outcome.status)}, {outcome.seconds:.1f} s")
    return outcome


def _variables(ready: _Ready, say: Say) -> dict[str, str]:
    """Return what puts the emulator in the place of HIP's library, if the program is emulated."""
    if ready.program.emulate is None:
        return {}
    from hipport.emulate.companions import with_companions
    from hipport.emulate.surroundings import emulated

    where = Surroundings()
    variables = emulated(ready.program.emulate, os.environ, where, say)
    return with_companions(ready.path, {**os.environ, **variables}, where, say)


def _name(request: VerifyRequest) -> str:
    """Return the argv[0] that all programs get, since some print it."""
    original = request.original
    return Path(original.executable or original.sources[0]).stem


def _trace(original: _Ready, port: _Ready, request: VerifyRequest, say: Say) -> TraceFinding | None:
    from hipport.verify.trace.run import Tracer
    from hipport.verify.trace.search import search

    if request.trace_limit is None:
        return None
    say(f"tracing the original and the {port.program.title}")
    first, second = (
        Tracer(ready.program, ready.path, _name(request), ready.folder / "traced", request.conditions, ready.preload)
        for ready in (original, port)
    )
    return search(first, second, request.rules, request.trace_limit)
