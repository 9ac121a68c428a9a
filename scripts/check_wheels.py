"""Check that PyPI has a wheel for every dependency, for each supported Python release and machine. Needs network.

`python -m scripts.check_wheels` asks pip to resolve hipport's core dependencies, including transitive ones, from
wheels only; nothing is installed. `--extra NAME` adds an extra, `--all` all extras for users. The exit status is 1 if
something would have to be compiled.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
MACHINES = ("x86_64", "aarch64")
GLIBC = range(28, 4, -1)
"""Minor releases of glibc 2 whose wheels are accepted. RHEL 8, the oldest system with ROCm 6 and 7, has 2.28."""
FOR_DEVELOPERS = ("dev", "peers", "bench")


def project() -> Mapping[str, Any]:
    """Return the table [project] of pyproject.toml."""
    tomllib = __import__("tomllib" if sys.version_info >= (3, 11) else "tomli")
    table: Mapping[str, Any] = tomllib.loads(PYPROJECT.read_text())["project"]
    return table


def releases(table: Mapping[str, Any]) -> list[str]:
    """Return the Python releases in the classifiers, `3.10` first."""
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in table["classifiers"])
    return [match[1] for match in found if match]


def requirements(table: Mapping[str, Any], extra: str | None = None) -> list[Requirement]:
    """Return the core dependencies, or those of an extra and of the extras it includes."""
    lines = table["optional-dependencies"][extra] if extra else table["dependencies"]
    found: list[Requirement] = []
    for requirement in map(Requirement, lines):
        if requirement.name == table["name"]:
            found += [inner for name in sorted(requirement.extras) for inner in requirements(table, name)]
        else:
            found.append(requirement)
    return found


def applies(marker: Marker | None, release: str, machine: str) -> bool:
    """Return whether a requirement applies on Linux for a Python release and a machine."""
    there = {"python_version": release, "python_full_version": f"{release}.0", "platform_machine": machine}
    return marker is None or marker.evaluate(there | {"sys_platform": "linux", "platform_system": "Linux"})


def missing(wanted: Sequence[Requirement], release: str, machine: str) -> Iterator[str]:
    """Yield each requirement that wheels cannot satisfy, with the last line of pip's error."""
    held = [f"{one.name}{one.specifier}" for one in wanted if applies(one.marker, release, machine)]
    if held and _refused(held, release, machine):
        alone = [(text, _refused([text], release, machine)) for text in held]
        found = [f"{text}: {said}" for text, said in alone if said]
        yield from found or [f"not all together: {', '.join(held)}"]


def _refused(held: Sequence[str], release: str, machine: str) -> str:
    """Return why pip cannot resolve requirements from wheels, or "" if it can."""
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in GLIBC]
    platforms += [f"--platform={name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1", "linux")]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--only-binary=:all:"]
    with tempfile.TemporaryDirectory() as target:
        command += [f"--target={target}", f"--python-version={release}", "--implementation=cp", *platforms, *held]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return "" if done.returncode == 0 else lines[-1].removeprefix("ERROR: ") if lines else done.stderr.strip()


def main() -> int:
    """Check the core dependencies and the chosen extras."""
    table = project()
    extras = list(table["optional-dependencies"])
    parser = argparse.ArgumentParser(description="Check that all dependencies have wheels.")
    parser.add_argument("--extra", action="append", choices=extras, default=[])
    parser.add_argument("--all", action="store_true", help="all extras but those for developers")
    chosen = parser.parse_args()
    groups = [None, *([name for name in extras if name not in FOR_DEVELOPERS] if chosen.all else chosen.extra)]
    status = 0
    for group in groups:
        for release in releases(table):
            for machine in MACHINES:
                found = list(missing(requirements(table, group), release, machine))
                print(f"{group or 'core':9} {release:5} {machine:8}", "; ".join(found) or "wheels only", flush=True)
                status = 1 if found else status
    return status


if __name__ == "__main__":
    sys.exit(main())
