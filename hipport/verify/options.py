"""Build a verification request from the command line."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from hipport.errors import UsageError
from hipport.verify.model import Conditions, Platform, Program, Rules, Tolerance, VerifyRequest


class VerifyOptions(Struct, frozen=True):
    """The options of `hipport verify`."""

    sources: tuple[str, ...]
    original: Literal["cpu", "nvidia"]
    port: Literal["cpu", "nvidia", "amd"]
    emulate: tuple[str, ...]
    port_sources: tuple[str, ...]
    original_exe: str | None
    port_exe: str | None
    wave_sizes: tuple[Literal["32", "64"], ...]
    build: str
    inputs: tuple[str, ...]
    stdin: str | None
    environment: tuple[str, ...]
    timeout: float
    memory: int | None
    rtol: float
    atol: float
    ignore: tuple[str, ...]
    skip: tuple[str, ...]
    dtypes: tuple[str, ...]
    trace: bool
    trace_limit: int
    reports: tuple[str, ...]
    work_dir: str | None


def request(options: VerifyOptions, arguments: tuple[str, ...]) -> VerifyRequest:
    """Return the request, checked as far as possible before anything is built. Raises `UsageError`."""
    return VerifyRequest(
        original=_original(options),
        ports=tuple(_ports(options)),
        conditions=Conditions(
            arguments=arguments,
            inputs=options.inputs,
            stdin=options.stdin,
            environment=tuple(_pair(text, "--env", "NAME=VALUE") for text in options.environment),
            timeout=_finite("timeout", options.timeout),
            memory=options.memory,
        ),
        rules=Rules(
            Tolerance(_finite("rtol", options.rtol), _finite("atol", options.atol)),
            tuple(map(_pattern, options.ignore)),
            options.skip,
            tuple(_typed(options.dtypes)),
        ),
        build_flags=_split(options.build),
        trace_limit=options.trace_limit << 20 if options.trace else None,
    )


def _original(options: VerifyOptions) -> Program:
    from hipport.verify.programs import expand

    platform = Platform(options.original)
    if options.original_exe:
        return Program("original", platform, executable=options.original_exe)
    if not options.sources:
        raise UsageError("no original: name CUDA sources or --original-exe")
    return Program("original", platform, expand(options.sources, cuda=True), wave_size=_cuda_lanes(platform))


def _cuda_lanes(platform: Platform) -> int | None:
    return 32 if platform is Platform.CPU else None


def _ports(options: VerifyOptions) -> Iterable[Program]:
    from hipport.verify.programs import expand

    targets = _emulated(options)
    platform = Platform.AMD if targets else Platform(options.port)
    if options.port_exe:
        if options.port_sources:
            raise UsageError("--port-exe and --port-source cannot be combined")
        return [Program("port", platform, executable=options.port_exe, emulate=name) for name in targets or [None]]
    named = options.port_sources
    if not named and not options.sources:
        raise UsageError("no port: name --port-exe or --port-source, or CUDA sources to translate")
    expanded = expand(named, cuda=False) if named else expand(options.sources, cuda=True)
    if targets:
        return [Program("port", platform, expanded, emulate=name, targets=targets) for name in targets]
    if platform is not Platform.CPU:
        return [Program("port", platform, expanded)]
    waves = dict.fromkeys(int(size) for size in options.wave_sizes)
    return [Program("port", platform, expanded, wave_size=size) for size in waves]


def _emulated(options: VerifyOptions) -> tuple[str, ...]:
    from hipport.emulate.surroundings import check_one_target

    names = tuple(dict.fromkeys(name for text in options.emulate for name in text.split(",")))
    for name in names:
        check_one_target(name)
    if names and options.port != "cpu":
        raise UsageError(f"--emulate and --port {options.port} cannot be combined")
    return names


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals) or "\0" in text:
        raise UsageError(f"{option} takes {form}, not {text!r}")
    return name, value


def _finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise UsageError(f"--{name} {value}: must be a number")
    return value


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"--ignore {text!r} is not a regular expression: {error}") from None


def _typed(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    from hipport.verify.arrays import TYPES  # raises here, before anything is run, if numpy is missing

    for text in texts:
        glob, _, element = text.rpartition("=")
        if element not in TYPES:
            raise UsageError(f"--dtype {text}: unknown type {element!r}", hint=f"There are {', '.join(TYPES)}.")
        yield glob or "*", element


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--build {text!r} is not a valid list of flags: {error}") from None
