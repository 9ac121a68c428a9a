"""The host interface of each release of HIP, as recorded from its headers, against what the emulator's functions take.

HIP 5, 6 and 7 have functions of one name whose structures and numbers differ; a program that is linked with one of them
passes its own. Headers of recorded releases are looked for in `/usr/include`, `/opt/rocm*/include` and the folders in
`HIPPORT_HIP_HEADERS`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache as cached
from pathlib import Path
from typing import Any

import pytest
import yaml

from hipport.emulate.library import NATIVE
from hipport.support import include_dir
from scripts.host_interface.compare import Comparison, agreed
from scripts.host_interface.header import header, library
from scripts.host_interface.model import Interface
from scripts.host_interface.read import of_emulator, of_headers, resources
from scripts.host_interface.recorded import load
from tests.emulate.conftest import emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

FOLDER = Path(__file__).parent
EXPECTED = yaml.safe_load((FOLDER / "differences.yaml").read_text(encoding="utf-8"))
SOURCES, RECORDED = load()
RELEASES = list(RECORDED)
_VERSION = re.compile(r"#define HIP_VERSION_(?:MAJOR|MINOR) +(\d+)")

Group = tuple[str, str, str, str]
"""Type, member or enumerator, first and last release."""


@pytest.fixture(scope="session")
def emulator() -> Interface:
    return of_emulator(NATIVE, include_dir() / "cpu", resources())


def _installed() -> Iterator[Path]:
    yield Path("/usr/include")
    yield from (path / "include" for path in sorted(Path("/opt").glob("rocm*")))
    yield from map(Path, filter(None, os.environ.get("HIPPORT_HIP_HEADERS", "").split(":")))


@cached
def _headers() -> dict[str, Path]:
    """Return the folders with headers by release."""
    found = {}
    for folder in _installed():
        version = folder / "hip" / "hip_version.h"
        if version.is_file():
            found[".".join(_VERSION.findall(version.read_text(encoding="utf-8"))[:2])] = folder
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_recorded_interface_is_that_of_the_headers(release: str) -> None:
    if release not in _headers():
        pytest.skip(f"HIP {release} is not installed, nor in HIPPORT_HIP_HEADERS")
    read = of_headers(_headers()[release], resources())
    for part in ("enums", "records", "functions"):
        recorded = getattr(RECORDED[release], part)
        of_release = {name: fact for name, fact in getattr(read, part).items() if name in recorded}
        assert of_release == recorded, part
        assert not getattr(read, part).keys() - recorded.keys(), part


def _layouts(release: str) -> dict[str, str]:
    """Return the emulator's structures for those that it takes by pointers without a type."""
    until = RELEASES[: RELEASES.index(release) + 1]
    rows = {name: [each for each in until if each in since] for name, since in EXPECTED["layouts"].items()}
    return {name: EXPECTED["layouts"][name][found[-1]] for name, found in rows.items() if found}


def _groups(emulator: Interface) -> dict[Group, set[str]]:
    """Return the functions that take something else than the releases pass."""
    alike = agreed(list(RECORDED.values()))
    releases: dict[tuple[str, str], list[str]] = defaultdict(list)
    functions: dict[tuple[str, str], set[str]] = defaultdict(set)
    for release, interface in RECORDED.items():
        for each in Comparison(interface, emulator, alike, _layouts(release)).differences():
            key = each.type, each.name
            releases[key] += [release] if release not in releases[key] else []
            functions[key].add(each.function)
    return {(*key, found[0], found[-1]): functions[key] for key, found in releases.items()}


def _listed() -> Iterator[tuple[Group, dict[str, Any]]]:
    for row in EXPECTED["differences"]:
        yield from (((row["type"], name, row["since"], row["until"]), row) for name in row["names"])


def test_differences_between_releases_are_converted_or_listed(emulator: Interface) -> None:
    found, listed = _groups(emulator), dict(_listed())
    assert "\n".join(map(str, sorted(found.keys() - listed.keys()))) == "", "neither converted nor listed"
    assert "\n".join(map(str, sorted(listed.keys() - found.keys()))) == "", "listed, but there is no such difference"
    for group, row in listed.items():
        assert len(row.keys() & {"converted", "harmless", "unsupported"}) == 1, group
        if "functions" in row or "converted" in row:
            assert found[group] == set(row["functions"]), group


@pytest.mark.parametrize("release", RELEASES)
def test_a_program_of_each_release_passes_its_own_structures(release: str, cache: Path, tmp_path: Path) -> None:
    interface = RECORDED[release]
    (tmp_path / "interface.h").write_text(header(interface))
    (tmp_path / "attributes.h").write_text("".join(_attributes(interface)))
    (tmp_path / "library.c").write_text(library(interface))
    major, minor = release.split(".")
    soname = f"libamdhip64.so.{major}"
    built = f"{soname}.{minor}.{major}{minor:0>2}00"
    _run("gcc", "-w", "-shared", "-o", built, "library.c", f"-Wl,-soname,{soname}", cwd=tmp_path)
    (tmp_path / soname).symlink_to(built)
    link = (soname, f"-Wl,-rpath,{tmp_path},--enable-new-dtags")
    _run(
        "gcc",
        "-Werror=implicit-function-declaration",
        "-w",
        "-I",
        ".",
        "-o",
        "program",
        str(FOLDER / "host_program.c"),
        *link,
        cwd=tmp_path,
    )
    done = emulated("--emulate", "gfx90a", "./program", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def _attributes(interface: Interface) -> Iterator[str]:
    """Yield a line for each property of a device that is also an attribute."""
    name = next(name for name in ("hipDeviceProp_tR0600", "hipDeviceProp_t") if name in interface.records)
    members = interface.records[name].members
    for attribute in interface.enums["hipDeviceAttribute_t"]:
        ending = attribute.removeprefix("hipDeviceAttribute")
        member = ending[:1].lower() + ending[1:]
        if member in members and members[member].type in ("i4", "u8"):
            yield f"ATTRIBUTE({member}, {attribute})\n"


def _run(*command: str, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
