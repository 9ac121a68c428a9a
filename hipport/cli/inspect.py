"""`hipport inspect`: show the code objects inside a binary."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.findings import has_colour
from hipport.counts import count_of
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.codeobject import Binary


class InspectOptions(Struct, frozen=True):
    """The options of `hipport inspect`."""

    files: tuple[Path, ...]
    as_json: bool
    demangle: bool


@click.command("inspect")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON (the schema is in docs/inspect.md).")
@click.option("--demangle", is_flag=True, help="Show C++ names of kernels, with c++filt or llvm-cxxfilt.")
@takes(InspectOptions)
def command(options: InspectOptions) -> None:
    """Show the GPU code in executables, libraries, objects, archives and fat binaries.

    For each bundle entry: target, offset and size. For each kernel: registers, spills, LDS, scratch and the resulting
    occupancy. Kernels that the host code registers are looked up in all code objects. The exit status is 1 if a FILE
    has no GPU code, cannot be read, or registers a kernel that is missing.
    """
    binaries, errors = _read_all(options.files)
    names = _names(binaries) if options.demangle else {}
    if options.as_json:
        _print_json(binaries, errors, names)
    else:
        _print_tables(binaries, names)
    for error in errors.values():
        click.echo(f"hipport: error: {error}", err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
    if errors:
        raise SystemExit(2 if all(isinstance(error, UsageError) for error in errors.values()) else 1)


def _read_all(files: Sequence[Path]) -> tuple[list[Binary], dict[Path, HipportError]]:
    from hipport import codeobject

    binaries: list[Binary] = []
    errors: dict[Path, HipportError] = {}
    for path in files:
        try:
            binary = codeobject.read(path)
        except HipportError as error:
            errors[path] = error
            continue
        if binary.bundles:
            binaries.append(binary)
        if wrong := _wrong(binary):
            errors[path] = wrong
    return binaries, errors


def _wrong(binary: Binary) -> HipportError | None:
    if not binary.bundles:
        return _no_gpu_code(binary)
    missing = {kernel.name for host in binary.hosts for kernel in host.missing if kernel.is_error}
    if not missing:
        return None
    return HipportError(
        f"{binary.path}: {count_of(len(missing), 'kernel')} registered by the host code but missing in code objects",
        hint="Template arguments or signatures of these kernels depend on macros that only device compiles define.",
    )


def _no_gpu_code(binary: Binary) -> HipportError:
    return HipportError(
        f"{binary.path}: no GPU code found in this {binary.kind}",
        hint="If the kernels are in a shared library that it loads (ldd lists them), inspect that library.",
    )


def _names(binaries: Sequence[Binary]) -> Mapping[str, str]:
    from hipport.codeobject.demangle import demangle

    entries = (entry for binary in binaries for bundle in binary.bundles for entry in bundle.entries)
    registered = (name for binary in binaries for host in binary.hosts for name in host.registered)
    return demangle(chain((kernel.name for entry in entries for kernel in entry.kernels), registered))


def _print_json(binaries: Sequence[Binary], errors: Mapping[Path, HipportError], names: Mapping[str, str]) -> None:
    from hipport.codeobject.export import SCHEMA_VERSION, to_json

    files = [to_json(binary, names) for binary in binaries]
    failed = [{"path": str(path), "error": str(error)} for path, error in errors.items()]
    click.echo(json.dumps({"version": SCHEMA_VERSION, "files": files, "errors": failed}, indent=2))


def _print_tables(binaries: Sequence[Binary], names: Mapping[str, str]) -> None:
    from hipport.codeobject import render

    for index, binary in enumerate(binaries):
        if index:
            click.echo()
        if sys.stdout.isatty():
            from rich.console import Console

            render.draw(binary, names, Console(highlight=False, no_color=not has_colour(sys.stdout)))
        else:
            click.echo("\n".join(render.plain(binary, names)))
