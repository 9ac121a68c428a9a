"""`hipport doctor`: find what would make a port fail on this machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.completion import complete_targets
from hipport.cli.findings import has_colour

if TYPE_CHECKING:
    from hipport.doctor.findings import CheckResult
    from hipport.doctor.machine import Machine


class DoctorOptions(Struct, frozen=True):
    """The options of `hipport doctor`."""

    tree: Path | None
    targets: tuple[str, ...]
    build_only: bool
    as_json: bool
    fix: bool
    env_file: str


@click.command(name="doctor")
@click.argument("tree", required=False, metavar="[TREE]", type=click.Path(path_type=Path))
@click.option(
    "--offload-arch",
    "targets",
    metavar="TARGETS",
    multiple=True,
    shell_complete=complete_targets,
    help="Comma-separated targets to check for. Default: this machine's GPUs, else some common ones.",
)
@click.option(
    "--build-only", is_flag=True, help="Skip the checks of driver, devices and groups: programs run on another machine."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (the schema is in docs/doctor.md).")
@click.option("--fix", "fix", is_flag=True, help="Apply the suggested fixes: write environment variables, join groups.")
@click.option(
    "--env-file",
    metavar="FILE",
    default="hipport-env.sh",
    show_default=True,
    help="File to source that --fix writes the variables to.",
)
@takes(DoctorOptions)
def command(options: DoctorOptions) -> None:
    """Check this machine, and what the sources in TREE need, before the first build.

    Nothing is changed unless --fix is given, and then only what the findings name.
    Exit status: 0 if no error was found, 1 otherwise, 2 for a usage error.
    """
    machine = _machine(options.tree, options.targets)
    results = _diagnose(machine, options.build_only)
    if options.as_json:
        _print_json(machine, results)
    else:
        _print(results)
    if options.fix:
        _fix(results, options.env_file)
    sys.exit(_status(results))


def _machine(tree: Path | None, targets: tuple[str, ...]) -> Machine:
    from hipport.doctor.machine import this_machine
    from hipport.doctor.tree import look
    from hipport.toolchain.native import resolve_native
    from hipport.toolchain.places import Surroundings
    from hipport.toolchain.target_id import parse_list

    where = Surroundings()
    chosen = parse_list(resolve_native(targets, where)) if targets else ()
    return this_machine(where, chosen, look(tree) if tree is not None else None)


def _diagnose(machine: Machine, build_only: bool) -> list[CheckResult]:
    from hipport.doctor.run import diagnose

    return list(diagnose(machine, build_only=build_only))


def _print_json(machine: Machine, results: list[CheckResult]) -> None:
    from hipport.doctor.view import to_json

    click.echo(json.dumps(to_json(machine, results), indent=2))


def _print(results: list[CheckResult]) -> None:
    from hipport.doctor.view import draw, plain_lines

    if sys.stdout.isatty():
        from rich.console import Console

        draw(results, Console(no_color=not has_colour(sys.stdout)))
        return
    for line in plain_lines(results):
        click.echo(line)


def _fix(results: list[CheckResult], env_file: str) -> None:
    from hipport.doctor.fixes import carry_out, fixes, planned

    chosen = fixes(results)
    for line in planned(chosen, env_file) if chosen else ("hipport cannot fix any of this by itself",):
        click.echo(f"fix: {line}", err=True)
    carry_out(chosen, env_file)


def _status(results: list[CheckResult]) -> int:
    from hipport.doctor.findings import Level

    return int(any(result.level is Level.ERROR for result in results))
