"""`hipport run`: run a program, on a GPU or emulated."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.results import write
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.emulate.gpus import Gpu
    from hipport.emulate.tools import Observed


class RunOptions(Struct, frozen=True):
    """The options of `hipport run`; `emulate` is a target, "any" for the best one, or None for a GPU."""

    program: str
    arguments: tuple[str, ...]
    emulate: str | None
    libraries: Literal["cpu", "installed"]
    check: bool
    trace: str | None
    profile: str | None
    gpu: str | None
    fidelity: bool
    report: str | None

    @property
    def command_line(self) -> list[str]:
        return [self.program, *self.arguments]

    @property
    def tools(self) -> list[str]:
        """The options that watch kernels; a profile also yields the fidelity report."""
        chosen = {
            "--check": self.check,
            "--trace": self.trace is not None,
            "--profile": self.profile is not None or self.fidelity,
        }
        return [name for name, is_chosen in chosen.items() if is_chosen]


_CPU_RUNTIME, _REGISTERS = b"hipport_cpu", b"__hipRegisterFatBinary"
_TARGET = re.compile(r"gfx\d[0-9a-f]*(-\d+)*(-generic)?(:\w*[+-]?)*|any|rocjitsu(:.*)?")
"""The form of a target after --emulate. A word of this form is never the program, even if no such target exists."""


class _RunCommand(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept `--emulate` without a target."""
        valued = {name for option in self.params if not getattr(option, "is_flag", True) for name in option.opts}
        return super().parse_args(ctx, _with_target(args, valued))


def _with_target(arguments: Sequence[str], valued: set[str]) -> list[str]:
    """Return the arguments with the target `any` for an `--emulate` before the program that has none.

    `valued` are the options that take the next word as their value.
    """
    words, at = list(arguments), 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        if words[at] == "--emulate" and not any(map(_TARGET.fullmatch, words[at + 1 : at + 2])):
            words[at] = "--emulate=any"
        at += 2 if words[at] in valued else 1
    return words


@click.command(cls=_RunCommand, context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("program", metavar="PROGRAM")
@click.argument("arguments", nargs=-1, metavar="[ARGUMENTS]...")
@click.option(
    "--emulate",
    metavar="[TARGET]",
    help="Run the machine code for TARGET (gfx90a, gfx1030, gfx942:xnack+...) on this processor, without a GPU. "
    "Without TARGET, or with `any`: for the GPU that the program's code objects fit best. `rocjitsu[:TARGET]` uses "
    "AMD's emulator of that name.",
)
@click.option(
    "--libraries",
    type=click.Choice(["cpu", "installed"]),
    default="cpu",
    show_default=True,
    help="With --emulate, where hipBLAS, hipRAND and MIOpen come from: the CPU target, or this machine's ROCm.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Report accesses out of bounds, uses of values that nothing wrote, races, divergent barriers and more: in "
    "emulated kernels, or without --emulate in a program from `hipport build --target cpu --sanitize`.",
)
@click.option(
    "--report",
    metavar="FILE",
    help="Also write the findings of --check to FILE: SARIF if it ends in .sarif, else JSON; - prints JSON.",
)
@click.option(
    "--trace",
    metavar="KERNEL[@X,Y,Z,WAVE]",
    help="Write each instruction of a kernel's first launch, and the registers it changes, to stderr: of one wavefront "
    "of a block, by default the first one.",
)
@click.option(
    "--profile",
    metavar="FILE",
    help="Count what kernels execute and move. Writes FILE (JSON) and a roofline (.svg).",
)
@click.option(
    "--gpu", metavar="NAME", help="The GPU of the roofline, such as MI300X. Default: one that runs the target's code."
)
@click.option("--fidelity", is_flag=True, help="Report which executed instructions are inexact in the emulator.")
@takes(RunOptions)
def command(options: RunOptions) -> None:
    """Run PROGRAM with HIP's runtime library, or with an emulator in its place.

    PROGRAM is an executable as hipport, hipcc or CMake built it; it is not changed. Its host code runs as it is. What
    the emulator lacks stops the program with one line that names it (docs/emulation.md).
    Exit status: that of PROGRAM; 1 if --check found something and PROGRAM ended with 0; 2 for a usage error.
    """
    program = _program(options.program)
    if options.emulate is not None:
        _check_is_for_gpu(program, options.program)
    if options.tools or options.gpu or options.report:
        _check_tools(options)
    if options.emulate is not None and options.emulate.partition(":")[0] == "rocjitsu":
        _execute_rocjitsu(program, options)
    if options.tools:
        sys.exit(_observed(program, options))
    variables = _variables(program, options)
    try:
        os.execve(program, [options.program, *options.arguments], variables)
    except OSError as error:
        hint = _how_to_build(options.program)
        raise HipportError(f"{options.program} cannot be run: {error.strerror}", hint=hint) from None


def _program(name: str) -> Path:
    found = Path(name) if os.sep in name or Path(name).is_file() else Path(shutil.which(name) or name)
    if not found.is_file():
        raise UsageError(f"{name}: no such program")
    return found.absolute()


def _how_to_build(name: str) -> str | None:
    from hipport.files.sources import is_source

    command = f"hipport build --target cpu {shlex.quote(name)} -o PROGRAM"
    return f"It is a source. Build it first: {command}" if is_source(name) else None


def _check_is_for_gpu(program: Path, name: str) -> None:
    """Raise `UsageError` for a program that has the CPU target's runtime and registers no code for GPUs."""
    try:
        data = program.read_bytes()
    except OSError:
        return
    if data.startswith(b"\x7fELF") and _CPU_RUNTIME in data and _REGISTERS not in data:
        hint = f"Run it as it is, or build it again: hipport build --offload-arch gfx90a ... -o {name}"
        raise UsageError(f"{name} is built for the CPU target and has no code to emulate", hint=hint)


def _emulated(target: str, program: Path, libraries: str) -> Mapping[str, str]:
    """Return the variables that put the emulator in the place of HIP's library. Raises `HipportError`."""
    from hipport.emulate.companions import with_companions
    from hipport.emulate.surroundings import emulated
    from hipport.toolchain.places import Surroundings

    where, say = Surroundings(), lambda text: click.echo(f"hipport: {text}", err=True)
    variables = {**os.environ, **emulated(target, os.environ, where, say)}
    return with_companions(program, variables, where, say) if libraries == "cpu" else variables


def _library_path(program: Path, variables: Mapping[str, str]) -> str:
    from hipport.toolchain.places import Surroundings
    from hipport.toolchain.shared_libraries import library_path

    return library_path(program, variables, Surroundings())


def _variables(program: Path, options: RunOptions) -> dict[str, str]:
    """Return the environment in which the program finds its libraries, or the emulator and those that belong to it."""
    variables = dict(os.environ)
    if options.emulate is not None:
        variables = dict(_emulated(options.emulate, program, options.libraries))
    variables["LD_LIBRARY_PATH"] = _library_path(program, variables)
    return variables


def _check_tools(options: RunOptions) -> None:
    """Raise `UsageError` if options of tools do not fit together."""
    checks_cpu = options.emulate is None and options.tools == ["--check"] and options.gpu is None
    if not checks_cpu and (options.emulate is None or options.emulate.startswith("rocjitsu")):
        raise UsageError(f"{(options.tools or ['--gpu and --report'])[0]} needs --emulate")
    if len(options.tools) > 1:
        raise UsageError(f"{' and '.join(options.tools)} cannot be used together")
    if options.gpu is not None and options.profile is None:
        raise UsageError("--gpu needs --profile FILE")
    if options.report is not None and not options.check:
        raise UsageError("--report needs --check")


def _observed(program: Path, options: RunOptions) -> int:
    """Run the program with a tool, write what it found, and return the exit status."""
    from hipport.emulate import gpus, tools

    gpu = gpus.find_gpu(options.gpu) if options.gpu else None
    environment = _variables(program, options)
    if options.trace is not None:
        seen = tools.observe(options.command_line, program, environment, "trace", options.trace)
        for line in seen.lines:
            _to_stderr(line)
        return seen.status
    if options.check and options.emulate is None:
        return _checked_on_cpu(tools.observe_checks(options.command_line, program, environment), options)
    if options.check:
        seen = tools.observe(options.command_line, program, environment, "check")
        return _checked(seen, options.report, " in emulated kernels")
    return _profiled(tools.observe(options.command_line, program, environment, "profile"), options, gpu)


def _to_stderr(line: str) -> None:
    click.echo(line, err=True)


def _checked_on_cpu(seen: Observed, options: RunOptions) -> int:
    from hipport.emulate import findings

    if not findings.has_checks(seen.records()):
        raise HipportError(
            f"{options.program} ran without checks",
            hint="Build it with hipport build --target cpu --sanitize, or check GPU code with --emulate.",
        )
    return _checked(seen, options.report, "")


def _checked(seen: Observed, report: str | None, where: str) -> int:
    from hipport.counts import count_of
    from hipport.emulate import findings
    from hipport.emulate.sarif import to_sarif

    found = findings.read(seen.records())
    if report is not None:
        document = json.dumps(findings.to_json(found), indent=2)
        if report == "-":
            click.echo(document)
        else:
            write(Path(report), to_sarif(found) if report.endswith(".sarif") else document + "\n")
    for finding in found:
        for line in finding.lines():
            _to_stderr(line)
    _to_stderr(f"hipport: {count_of(len(found), 'finding')}{where}")
    return seen.status or int(bool(found))


def _profiled(seen: Observed, options: RunOptions, gpu: Gpu | None) -> int:
    from hipport.emulate import gpus, profile
    from hipport.emulate.roofline import roofline

    profiles = profile.read(seen.records())
    if gpu is None and profiles:
        gpu = gpus.usual_gpu(profiles[0].target)
    if options.profile is not None:
        path = Path(options.profile)
        write(path, json.dumps(profile.to_json(profiles, gpu), indent=2) + "\n")
        if gpu is not None:
            write(path.with_suffix(".svg"), roofline(profiles, gpu))
        for one in profiles:
            for line in profile.lines(one, gpu):
                _to_stderr(line)
    if options.fidelity:
        for line in profile.fidelity_lines(profiles):
            _to_stderr(line)
    return seen.status


def _execute_rocjitsu(program: Path, options: RunOptions) -> None:
    """Become AMD's emulator with the program. Raises `HipportError` if it is not installed."""
    from hipport.emulate import rocjitsu

    target = (options.emulate or "").partition(":")[2]
    command = rocjitsu.command(target, program, options.arguments)
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise HipportError(f"{command[0]} cannot be run: {error.strerror}") from None
