"""The options of `hipport build`, and the build that they describe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.builds.backends import BuildName
from hipport.cli.name_options import NameOptions, chosen_names
from hipport.cli.project_settings import chosen_targets
from hipport.cli.scheduler import SchedulerOptions
from hipport.cli.trailing import behind_dashes

if TYPE_CHECKING:
    from hipport.builds.request import BuildRequest, CompileSettings, OutputKind


class BuildOptions(Struct, frozen=True):
    """The options of `hipport build`."""

    sources: tuple[str, ...]
    database: str | None
    output: str | None
    targets: tuple[str, ...]
    target: BuildName
    host_target: str | None
    wave_size: Literal["32", "64"] | None
    sanitize: tuple[str, ...]
    lockstep: bool
    shared: bool
    static: bool
    genco: bool
    compress: bool
    compiler: str | None
    include_dirs: tuple[str, ...]
    defined: tuple[str, ...]
    undefined: tuple[str, ...]
    optimize: str
    debug: bool
    std: str
    warnings: tuple[str, ...]
    library_dirs: tuple[str, ...]
    libraries: tuple[str, ...]
    device: tuple[str, ...]
    host: tuple[str, ...]
    link: tuple[str, ...]
    mpi: str | None
    names: NameOptions
    launcher: str | None
    scheduling: SchedulerOptions
    jobs: int | None
    build_dir: str
    save_temps: bool
    verbose: bool
    quiet: bool
    dry_run: bool


def check_special(options: BuildOptions) -> None:
    """Raise UsageError for an option that the chosen backend does not take."""
    from hipport.builds.backends import backend, taking

    given = {
        "--compress": options.compress,
        "--host-target": options.host_target,
        "--wave-size": options.wave_size,
        "--sanitize": options.sanitize,
        "--lockstep": options.lockstep,
    }
    for name in (name for name, value in given.items() if value and name not in backend(options.target).options):
        raise click.UsageError(f"{name} needs --target {' or '.join(taking(name))}")


def _targets(options: BuildOptions) -> tuple[str, ...]:
    """Return the targets named on the command line; for AMD GPUs also those of the project's settings."""
    return chosen_targets(options.targets, options.sources) if options.target == "amd" else options.targets


def request_of(options: BuildOptions, output: str) -> BuildRequest:
    """Return the build that the options describe, of the product `output`. Raises UsageError and HipportError."""
    from hipport.builds.backends import backend
    from hipport.builds.request import BuildRequest
    from hipport.toolchain.places import Surroundings

    return BuildRequest(
        sources=options.sources,
        output=output,
        targets=backend(options.target).targets(_targets(options), Surroundings()),
        kind=_kind(options),
        build_dir=options.build_dir,
        settings=_settings(options),
        compiler=options.compiler,
        jobs=options.jobs,
        launcher=options.launcher,
        compress=options.compress,
        wave_size=int(options.wave_size) if options.wave_size else None,
        sanitizers=options.sanitize,
        lockstep=options.lockstep,
        names=chosen_names(options.names, options.sources, look=False),
    )


def _kind(options: BuildOptions) -> OutputKind:
    from hipport.builds.request import OutputKind

    kinds = {
        "--shared": (options.shared, OutputKind.SHARED),
        "--static": (options.static, OutputKind.STATIC),
        "--genco": (options.genco, OutputKind.FAT_BINARY),
    }
    given = {name: kind for name, (wanted, kind) in kinds.items() if wanted}
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} cannot be combined")
    return next(iter(given.values()), OutputKind.EXECUTABLE)


def _settings(options: BuildOptions) -> CompileSettings:
    from hipport.builds.request import CompileSettings
    from hipport.toolchain.hosts import host_target

    host = host_target(options.host_target) if options.host_target else None
    warnings = [name for name in options.warnings if not name.startswith("l,")]
    to_linker = [name for name in options.warnings if name.startswith("l,")]
    return CompileSettings(
        include_dirs=options.include_dirs,
        defines=(*(f"-D{name}" for name in options.defined), *(f"-U{name}" for name in options.undefined)),
        std=options.std,
        optimize=options.optimize,
        debug=options.debug,
        save_temps=options.save_temps,
        both=(*(f"-W{name}" for name in warnings), *behind_dashes()),
        device=options.device,
        host=options.host,
        link=(
            *(f"-W{name}" for name in to_linker),
            *(f"-L{folder}" for folder in options.library_dirs),
            *(f"-l{name}" for name in options.libraries),
            *options.link,
        ),
        host_target=host.triple if host else "",
    )
