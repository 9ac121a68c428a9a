"""`hipport llm kernels`: check each kernel against double precision, and measure how close it is to its limit."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.llm.model import TargetOptions, check_packages, chosen_target, start_emulated, target_options
from hipport.cli.results import check_folders, write
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.llm.harness.kernel import Kernel
    from hipport.llm.harness.limits import Limits
    from hipport.llm.harness.measuring import Checked, Timed


class KernelsOptions(Struct, frozen=True):
    """The options of `hipport llm kernels`."""

    names: tuple[str, ...]
    device: TargetOptions
    sizes: str | None
    seed: int
    check_only: bool
    only_list: bool
    path: Path | None


@click.command("kernels")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@target_options
@click.option(
    "--sizes", metavar="NAME=N,...", help="Also check and measure these sizes; unnamed ones keep their values."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="Seed of random inputs and sizes.")
@click.option("--check-only", is_flag=True, help="Only check, do not measure.")
@click.option("--list", "only_list", is_flag=True, help="List the kernels and their sizes.")
@click.option("--json", "path", type=click.Path(path_type=Path, dir_okay=False), help="Write the results to FILE.")
@takes(KernelsOptions)
def command(options: KernelsOptions) -> None:
    """Check the kernels NAME, or all, against double precision: all versions, with several block sizes.

    On GPUs, also measure their time, compared with the limits of the memory or the matrix units.
    """
    check_packages("numpy")
    check_folders(options.path)
    from hipport.llm.harness.kernel import kernels

    known = kernels()
    chosen = [_kernel(known, name) for name in options.names] or list(known.values())
    if options.only_list:
        for kernel in chosen:
            click.echo(f"{kernel.name}: {kernel.what}\n  {_said(kernel.timed)}")
        return
    start_emulated(options.device)
    found = list(_run(chosen, known, options))
    if options.path:
        write(options.path, json.dumps(found, indent=2) + "\n")
    if wrong := [entry["name"] for entry in found if any(item["problem"] for item in entry["checks"])]:
        raise HipportError(f"wrong: {', '.join(wrong)}")


def _run(chosen: Sequence[Kernel], known: dict[str, Kernel], options: KernelsOptions) -> Iterator[dict[str, Any]]:
    """Check, measure and show the kernels in sequence."""
    from hipport.llm.harness.binding import open_device
    from hipport.llm.harness.measuring import check_kernel, measure_limits, time_kernel
    from hipport.toolchain.places import Surroundings

    where = Surroundings()
    asked = {kernel.name: _sizes(kernel, options.sizes) for kernel in chosen}
    target = chosen_target(options.device, where)
    device = open_device(target, where, lambda line: click.echo(line, err=True), options.device.compiler)
    on_cpu = target.name == "cpu" or options.device.emulate is not None
    limits = None if on_cpu or options.check_only else measure_limits(device, known)
    _show_device(device.name, limits, on_cpu)
    for kernel in chosen:
        sizes = asked[kernel.name]
        more = sizes if options.sizes or not on_cpu else None
        checks = check_kernel(device, kernel, more, options.seed)
        times = list(time_kernel(device, kernel, sizes, limits)) if limits else []
        _show(kernel, sizes, checks, times)
        yield {
            "name": kernel.name,
            "device": device.name,
            "sizes": dict(sizes),
            "limit": kernel.limit,
            "limits": limits and asdict(limits),
            "checks": [_entry(checked) for checked in checks],
            "times": [asdict(timed) for timed in times],
        }


def _kernel(known: dict[str, Kernel], name: str) -> Kernel:
    if name not in known:
        raise UsageError(f"unknown kernel {name}", hint=f"Kernels: {', '.join(known)}.")
    return known[name]


def _sizes(kernel: Kernel, text: str | None) -> dict[str, int]:
    """Return the sizes at which a kernel is measured, including those of the option. Raises `UsageError`."""
    sizes = dict(kernel.timed)
    for part in text.split(",") if text else ():
        name, _, value = part.partition("=")
        if name not in {*sizes, *kernel.drawn}:
            raise UsageError(
                f"{kernel.name} has no size {name}", hint=f"Its sizes: {', '.join({**sizes, **kernel.drawn})}."
            )
        if not value.isdecimal() or int(value) > 2**31 - 1:
            raise UsageError(f"{part}: the size must be a number below 2147483648")
        sizes[name] = int(value)
    return sizes


def _show_device(name: str, limits: Limits | None, on_cpu: bool) -> None:
    click.echo(name)
    if on_cpu:
        click.echo("Checks only: a processor runs the GPU code, so times would be meaningless.")
    if limits:
        click.echo(f"read {limits.read / 1e9:,.0f} GB/s, copy {limits.copy / 1e9:,.0f} GB/s, measured", nl=False)
        click.echo(f"; matrix units {limits.flops / 1e12:,.0f} TFLOP/s, nominal" if limits.flops else "")


def _show(kernel: Kernel, sizes: dict[str, int], checks: list[Checked], times: list[Timed]) -> None:
    click.echo(f"\n{kernel.name}: {kernel.what}")
    if times:
        click.echo(f"  {_said(sizes)}")
    shown = 0
    measured = {timed.launched: timed for timed in times}
    for checked in checks:
        version = checked.launched.version
        if version.number != shown:
            click.echo(f"  {version.number}. {version.what}")
            shown = version.number
        speed = _speed(kernel, measured[checked.launched]) if times else ""
        click.echo(f"     {checked.launched.block:5} threads  {_verdict(checked)}{speed}")


def _verdict(checked: Checked) -> str:
    if checked.problem:
        return f"WRONG at {_said(checked.sizes or {})}: {checked.problem}"
    return f"correct, largest error {checked.error:.0e} at most"


def _speed(kernel: Kernel, timed: Timed) -> str:
    rate = (
        f"{timed.flops_per_second / 1e12:8.2f} TFLOP/s"
        if kernel.limit == "flops"
        else f"{timed.bytes_per_second / 1e9:8.1f} GB/s"
    )
    part = "" if timed.fraction is None else f"  {timed.fraction:6.1%} of the limit"
    return f"  {timed.seconds * 1e6:10.1f} us {rate}{part}"


def _said(sizes: Any) -> str:
    return " ".join(f"{name}={value}" for name, value in sizes.items())


def _entry(checked: Checked) -> dict[str, Any]:
    """Return the result for JSON, which has no infinity: a non-finite error becomes null."""
    entry = asdict(checked)
    return entry | {"error": entry["error"] if math.isfinite(entry["error"]) else None}
