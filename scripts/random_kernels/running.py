"""Build random kernels for the CPU target and for GPUs, run them, and compare."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.random_kernels.kernels import source

DRIVER = Path(__file__).parent / "driver.hip"
# A product and a sum are two roundings on the CPU target, too; a compiler that crashes leaves no files.
_FLAGS = ("-ffp-contract=off", "-w")
_CLANG_FLAGS = (*_FLAGS, "-fno-crash-diagnostics")
# clang 15 computes something else with arrays that it makes vectors.
_AVOIDED = ("-mllvm", "-disable-promote-alloca-to-vector")
_NOT_COMPARED = (
    "PLEASE submit a bug report",
    "error in backend",
    "invalid target ID",
    "cannot find ROCm device library",
)
"""Messages of clang about its own crashes and about targets that it does not know."""
_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Build:
    """A code object to compare: `command` compiles standard input to standard output.

    A single word is a compiler for `hipport build`; without one, that chooses it.
    """

    target: str
    level: int
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        by = f", {' '.join(self.command)}" if self.command else ""
        return f"{self.target} -O{self.level}{by}"


@dataclass(frozen=True, slots=True)
class Difference:
    """A kernel that computed something else than on the CPU target; `values` are some of the first ones."""

    seed: int
    build: Build
    kernel: str
    values: str


def builds(seed: int, targets: Sequence[str], levels: Sequence[int], commands: Sequence[str]) -> Iterator[Build]:
    """Yield a build for each target and compiler; the optimization levels take turns with seeds."""
    for which, command in enumerate(commands or ("",)):
        for number, target in enumerate(targets):
            yield Build(target, levels[(seed + number + which) % len(levels)], tuple(shlex.split(command)))


def drivers(folder: Path) -> None:
    """Build the programs that run kernels on the CPU target and on the emulator."""
    for name, options in (
        ("cpu", ("cpu", "--wave-size", "64")),
        ("emulated", ("emulated", "--offload-arch", "gfx90a")),
    ):
        if not (folder / name).exists():
            _hipport("build", "--target", *options, str(DRIVER), "-o", str(folder / name))


def differences(seed: int, kernels: int, wanted: Sequence[Build], folder: Path) -> Iterator[Difference]:
    """Yield what differs. Raises `CalledProcessError` if the CPU target's build fails or it does not run."""
    text = folder / f"{seed}.hip"
    text.write_text(source(seed, kernels), "utf-8")
    module = folder / f"{seed}.so"
    options = ("--genco", "--target", "cpu", "--wave-size", "64", "-O", "1")
    _hipport("build", *options, str(text), "-o", str(module), "--", *_FLAGS)
    right = _output([str(folder / "cpu"), str(module), str(kernels)], {}).splitlines()
    assert len(right) == kernels, right
    for one in wanted:
        yield from compared(seed, one, text, module, right, folder)


def compared(
    seed: int, one: Build, text: Path, module: Path, right: Sequence[str], folder: Path
) -> Iterator[Difference]:
    """Yield the kernels whose lines differ from those in `right`."""
    product = folder / f"{seed}-{one.target}-{one.level}.co"
    try:
        _compile(one, text, product)
    except subprocess.TimeoutExpired:  # a compiler that does not end, as clang 15 with some sources
        return
    except subprocess.CalledProcessError as error:
        if not any(text in (error.stderr or "") for text in _NOT_COMPARED):
            yield Difference(seed, one, "all", f"it does not compile: {_last_lines(error.stderr)}")
        return
    run = [str(folder / "emulated"), str(product), str(len(right))]
    found = _output(run, {"HIPPORT_EMULATE": one.target}).splitlines()
    for number, line in enumerate(right):
        if number >= len(found) or found[number] != line:
            shown = _first_differences(module, product, number, len(right), one.target, folder)
            yield Difference(seed, one, f"kernel{number}", shown or " ".join(found[number:]) or "it does not run")
            if number >= len(found):
                break


def _first_differences(module: Path, product: Path, number: int, kernels: int, target: str, folder: Path) -> str:
    words = [str(kernels), str(number)]
    right = _output([str(folder / "cpu"), str(module), *words], {}).splitlines()
    found = _output([str(folder / "emulated"), str(product), *words], {"HIPPORT_EMULATE": target}).splitlines()
    pairs = [f"{b} instead of {a.split()[-1]}" for a, b in zip(right, found, strict=False) if a != b]
    return f"{len(pairs)} values: {'; '.join(pairs[:3])}" if pairs else ""


def _compile(one: Build, text: Path, product: Path) -> None:
    if len(one.command) < 2:
        options = ("--genco", "--offload-arch", one.target, "-O", str(one.level))
        options += ("--compiler", *one.command) if one.command else ()
        _hipport("build", *options, str(text), "-o", str(product), "--", *_CLANG_FLAGS, *_AVOIDED)
        return
    options = ("-x", "hip", f"--offload-arch={one.target}", "--cuda-device-only", "--no-gpu-bundle-output")
    command = [*one.command, *options, f"-O{one.level}", *_CLANG_FLAGS, "-", "-o", "-"]
    with text.open("rb") as given:
        done = subprocess.run(command, stdin=given, capture_output=True, check=False, timeout=_SECONDS)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr.decode())
    product.write_bytes(done.stdout)


def _hipport(*words: str) -> None:
    command = [sys.executable, "-m", "hipport", *words]
    subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS)


def _output(command: Sequence[str], variables: dict[str, str]) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS)
    return done.stdout + "".join(f"{line}\n" for line in done.stderr.splitlines())


def _last_lines(text: str | None) -> str:
    return " ".join((text or "").splitlines()[-3:])
