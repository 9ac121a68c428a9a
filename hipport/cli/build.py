"""`hipport build`: build an executable, library or fat binary for several gfx targets."""

from __future__ import annotations

import itertools
import os
import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hipport.builds.backends import BUILD_NAMES
from hipport.cli.build_request import BuildOptions, check_special, request_of
from hipport.cli.common import quiet_option, takes
from hipport.cli.completion import complete_targets
from hipport.cli.flags import split_flags
from hipport.cli.mpi import mpi_found, mpi_needs, mpi_option, spelled_out, with_mpi
from hipport.cli.name_options import name_options
from hipport.cli.scheduler import chosen_engine, scheduler_options
from hipport.cli.trailing import TrailingCommand
from hipport.counts import count_of

if TYPE_CHECKING:
    from hipport.builds.engine import Engine
    from hipport.builds.messages import Message
    from hipport.builds.project_file import ProjectTarget
    from hipport.builds.request import BuildRequest
    from hipport.builds.workspace import BuildResult, Workspace


_LOGS = ".hipport-slurm"
"""The folder for the output of Slurm jobs, in the build folder."""


class _BuildCommand(TrailingCommand):
    trailing = "COMPILE_FLAGS"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Accept `--mpi` and `--sanitize` without a value, and compiler flags without a preceding `--`."""
        end = args.index("--") if "--" in args else len(args)
        ours, flags = split_flags(list(_sanitize_spelled_out(args[:end])), self.get_params(ctx))
        behind = [*flags, *args[end + 1 :]]
        return super().parse_args(ctx, [*spelled_out(ours), *(("--", *behind) if behind else ())])


def _sanitize_spelled_out(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the arguments with a value for every `--sanitize` before another option, a file, or the end."""
    for word, following in itertools.pairwise([*arguments, "-"]):
        is_alone = following.startswith("-") or "." in following or os.sep in following
        yield "--sanitize=kernels" if word == "--sanitize" and is_alone else word


@click.command(cls=_BuildCommand, name="build")
@click.argument("sources", nargs=-1, required=True)
@click.option(
    "-p",
    "database",
    metavar="PATH",
    help="For a folder: the compile_commands.json to build, or the folder that holds it.",
)
@click.option("-o", "output", metavar="OUT", help="Output file; for a folder, the output folder. Default: DIR/build.")
@click.option(
    "--offload-arch",
    "targets",
    metavar="TARGETS",
    multiple=True,
    shell_complete=complete_targets,
    help="Comma-separated targets: gfx90a,gfx1100 or gfx90a:xnack+, for NVIDIA sm_80,sm_90; `native`: this machine's "
    "GPUs.",
)
@click.option(
    "--target",
    type=click.Choice(BUILD_NAMES),
    default="amd",
    show_default=True,
    help="What the program runs on: AMD GPUs, this machine's CPU (with the wavefront size of the gfx target), "
    "NVIDIA GPUs, or an emulator of AMD GPUs.",
)
@click.option(
    "--host-target",
    metavar="TRIPLE",
    help="Host to build for: riscv64-linux-gnu or aarch64-linux-gnu. Default: this machine's.",
)
@click.option("--wave-size", type=click.Choice(["32", "64"]), help="CPU only: lanes per wavefront.")
@click.option(
    "--sanitize",
    metavar="[NAMES]",
    multiple=True,
    help="CPU only: check kernels for wrong accesses, races and more (see hipport run --check); or with NAMES "
    "sanitizers of the compiler: address,undefined or thread.",
)
@click.option(
    "--lockstep",
    is_flag=True,
    help="CPU only: let the lanes of a warp access memory in step, for code that relies on it.",
)
@click.option("--shared", is_flag=True, help="Build a shared library.")
@click.option("--static", is_flag=True, help="Build a static library.")
@click.option("--genco", is_flag=True, help="Build a standalone fat binary, for hipModuleLoad.")
@click.option("--compress", is_flag=True, help="AMD only: compress the fat binaries.")
@click.option(
    "--compiler",
    metavar="NAME",
    help="hipcc, amdclang++, clang++, nvcc or a path. Default: the first that is suitable.",
)
@click.option("-I", "include_dirs", metavar="DIR", multiple=True, help="Search DIR for headers.")
@click.option("-D", "defined", metavar="NAME[=VALUE]", multiple=True, help="Define a macro.")
@click.option("-U", "undefined", metavar="NAME", multiple=True, help="Undefine a macro.")
@click.option("-O", "optimize", metavar="LEVEL", default="3", show_default=True, help="Optimization level.")
@click.option("-g", "debug", is_flag=True, help="Generate debug information.")
@click.option("-std", "std", metavar="STD", default="c++17", show_default=True, help="C++ standard.")
@click.option(
    "-W", "warnings", metavar="NAME", multiple=True, help="Compiler warning to enable, or -Wl,OPTION for the linker."
)
@click.option("-L", "library_dirs", metavar="DIR", multiple=True, help="Search DIR for libraries.")
@click.option("-l", "libraries", metavar="NAME", multiple=True, help="Link this library.")
@click.option("-X", "--device-flag", "device", metavar="FLAG", multiple=True, help="Flag for device compiles only.")
@click.option("--host-flag", "host", metavar="FLAG", multiple=True, help="Flag for host compiles only.")
@click.option("--link-flag", "link", metavar="FLAG", multiple=True, help="Flag for the linker.")
@mpi_option
@name_options
@click.option(
    "--launcher",
    metavar="NAME",
    help="Run every compile through this launcher: ccache, sccache, distcc, icecc and the like.",
)
@scheduler_options
@click.option("-j", "jobs", type=click.IntRange(min=1), metavar="N", help="Number of commands to run in parallel.")
@click.option("--build-dir", metavar="DIR", default="", help="Folder for intermediate files. Default: OUT.build")
@click.option("--save-temps", is_flag=True, help="Keep bitcode and assembly in the build folder.")
@click.option("-v", "--verbose", is_flag=True, help="Print the commands as they run.")
@quiet_option
@click.option("--dry-run", is_flag=True, help="Print all commands without running them.")
@takes(BuildOptions)
def command(options: BuildOptions) -> None:
    """Build .hip and .cu SOURCES for AMD GPUs, for the CPU, or for NVIDIA GPUs; .cu files are translated first.

    Sources without device code (.cpp, .c) are compiled for the host only. Flags after `--` are passed to every compile.
    Given a folder, build the targets in its hipport.toml or, without one, the units in its compile_commands.json.
    """
    try:
        if len(options.sources) == 1 and Path(options.sources[0]).is_dir():
            _build_folder(Path(options.sources[0]), options)
            return
        if options.database:
            raise click.UsageError("-p needs a folder, not sources")
        if not options.output:
            raise click.UsageError("Missing option '-o'.")
        _build_all(options, [with_mpi(request_of(options, options.output), options.mpi, options.target, wanted=False)])
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; run the same command again to continue", err=True)
        raise SystemExit(130) from None


def _build_all(options: BuildOptions, requests: Sequence[BuildRequest]) -> None:
    for line in mpi_found(requests):
        click.echo(line, err=True)
    logs = Path(requests[0].folder) / _LOGS
    with chosen_engine(options.scheduling, options.jobs, logs, dry_run=options.dry_run) as engine:
        for request in requests:
            _build(options, request, engine)
    for line in () if options.dry_run else mpi_needs(requests, options.target):
        click.echo(line, err=True)


def _build(options: BuildOptions, request: BuildRequest, engine: Engine | None) -> None:
    build = _prepare(options, request)
    _introduce(build, options)
    if options.dry_run:
        _show_plan(build)
        _check_translation(build, "would be built")
        return
    with build.locked():
        _run(build, engine, options)


def _build_folder(folder: Path, options: BuildOptions) -> None:
    """Build the targets of a project in sequence: a later one may link an earlier one."""
    from hipport.builds.project_file import needs_mpi, request_for

    given = {
        "--shared": options.shared,
        "--static": options.static,
        "--genco": options.genco,
        "--build-dir": options.build_dir,
        "--dry-run": options.dry_run,
    }
    for name in (name for name, value in given.items() if value):
        raise click.UsageError(f"{name} applies to sources, not to a folder")
    targets = _folder_targets(folder, options.database)
    out = Path(options.output or folder / "build")
    base = request_of(options, str(out))
    requests = [
        with_mpi(
            request_for(target, targets, base, out), options.mpi, options.target, wanted=needs_mpi(target, targets)
        )
        for target in targets
    ]
    _build_all(options, requests)


def _folder_targets(folder: Path, database: str | None) -> tuple[ProjectTarget, ...]:
    """Return the targets in the named compilation database, in the folder's own description, or in its database."""
    from hipport.builds.database import database_targets, find_database
    from hipport.builds.project_file import has_targets, read_targets

    found = Path(database) if database else None if has_targets(folder) else find_database(folder)
    return read_targets(folder) if found is None else database_targets(found)


def _prepare(options: BuildOptions, request: BuildRequest) -> Workspace:
    from hipport.builds.backends import backend
    from hipport.toolchain.places import Surroundings

    check_special(options)
    return backend(options.target).prepare(request, Surroundings())


def _introduce(build: Workspace, options: BuildOptions) -> None:
    """Report decisions made for the user, and diagnostics of the translation; with --quiet, its errors."""
    from hipport.diagnostics import Severity
    from hipport.report.displayable import shown

    for line in (*build.notes(), *(build.tools_used() if options.verbose else ())):
        _tell(line, options)
    diagnostics = build.ingested.diagnostics
    for found in diagnostics:
        if found.severity is Severity.ERROR:
            place = f"{shown(found.path)}:{found.line}:{found.column}"
            click.echo(f"{place}: error: {shown(found.message)} [{found.code}]", err=True)
    warned = [found.path for found in diagnostics if found.severity is Severity.WARNING]
    if warned:
        _tell(f"{count_of(len(warned), 'warning')} while translating; see: hipport check {_where(warned)}", options)


def _tell(line: str, options: BuildOptions) -> None:
    if not options.quiet:
        click.echo(line, err=True)


def _where(paths: Iterable[str]) -> str:
    """Return the file, or the folder that holds all of the files, as a word for a shell."""
    return shlex.quote(os.path.relpath(os.path.commonpath([Path(path).absolute() for path in paths])))


def _show_plan(build: Workspace) -> None:
    for name, value in build.environment().items():
        click.echo(f"export {name}={shlex.quote(value)}")
    for step in build.plan.steps:
        click.echo(shlex.join(step.command))
    click.echo(shlex.join(["cp", build.plan.product, build.request.output]))


def _run(build: Workspace, engine: Engine | None, options: BuildOptions) -> None:
    from hipport.builds.messages import messages
    from hipport.errors import HipportError

    started = time.monotonic()
    build.write()
    events = []
    for event in build.run(engine):
        events.append(event)
        step = build.plan.steps[event.step]
        _tell(f"[{event.done}/{event.total}] {step.title}", options)
        if options.verbose:
            _tell(shlex.join(step.command), options)
    _show(build, messages(build.plan, events))
    failed = sum(event.failed for event in events)
    if failed:
        raise HipportError(f"build failed in {failed} of {count_of(len(build.plan.steps), 'step')}")
    result = build.finish()
    if not options.quiet:
        _conclude(result, bool(events), time.monotonic() - started)
    _check_translation(build, "was built")


def _conclude(result: BuildResult, worked: bool, seconds: float) -> None:
    for line in result.warnings:
        click.echo(line, err=True)
    if not worked and not result.fresh:
        click.echo(f"{result.output}: nothing to do")
    else:
        targets = ", ".join(result.targets) or "no GPU code"
        click.echo(f"{result.output}: {result.size:,} bytes, {targets}, {seconds:.1f} s")


def _check_translation(build: Workspace, done: str) -> None:
    """Raise HipportError if the product is made from a translation with errors."""
    from hipport.diagnostics import Severity
    from hipport.errors import HipportError

    wrong = sum(found.severity is Severity.ERROR for found in build.ingested.diagnostics)
    if wrong:
        raise HipportError(
            f"{build.request.output} {done}, but {count_of(wrong, 'error')} of the translation left it wrong",
            hint="Fix what is reported above, or mark a line with `// hipport: ignore[CODE] reason`.",
        )


def _show(build: Workspace, found: Iterable[Message]) -> None:
    from hipport.builds.messages import explained

    for message in found:
        click.echo(f"\n{message.where}:", err=True)
        click.echo(message.text.rstrip("\n"), err=True)
        for line in (*build.explain(message.text), *explained(message.text)):
            click.echo(f"hipport: {line}", err=True)
