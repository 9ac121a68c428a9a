"""Describe the build machine, as the reference for all others."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import hipport
from hipport.builds.plan import BuildPlan
from hipport.builds.prepare import write_if_changed
from hipport.builds.scheduler.check import fingerprint
from hipport.builds.scheduler.protocol import Site
from hipport.builds.scheduler.variables import of_site
from hipport.toolchain.process import amd_environment

_DEVICE_LIBRARIES = "--rocm-device-lib-path="
_FOLDERS = ("-isystem", "-idirafter", "-iquote")
_PROBE = "site"


def survey(plan: BuildPlan, folder: str, token: str, environ: Mapping[str, str] | None = None) -> Site:
    """Return what all machines must agree on to run the steps of a plan, and leave a probe in the build folder.

    `token` is new for each build and is the content of the probe.
    """
    environment = of_site(amd_environment(environ))
    probe = Path(folder).absolute() / _PROBE
    write_if_changed(probe, token.encode())
    here = Path.cwd()
    return Site(
        socket.gethostname(),
        str(here),
        str(probe),
        token,
        hipport.__version__,
        environment,
        tuple(sorted({str(here / path) for path in _include_folders(plan) if (here / path).is_dir()})),
        tuple((tool, fingerprint(tool, environment)) for tool in sorted(set(_tools(plan, here)))),
    )


def _include_folders(plan: BuildPlan) -> Iterator[str]:
    for step in plan.steps:
        before = ""
        for argument in step.command:
            if argument.startswith("-I"):
                yield argument[2:]
            elif before in _FOLDERS:
                yield argument
            before = argument


def _tools(plan: BuildPlan, here: Path) -> Iterator[str]:
    """Yield the programs that commands start with, including launchers, and the folders of device libraries."""
    for step in plan.steps:
        for argument in step.command:
            if argument.startswith("-"):
                break
            if os.path.isabs(argument):  # noqa: PTH117 - a path on another machine
                yield argument
        for argument in step.command:
            if argument.startswith(_DEVICE_LIBRARIES):
                yield str(here / argument.removeprefix(_DEVICE_LIBRARIES))
