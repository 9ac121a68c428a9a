"""Check that the libraries that the sources include, under HIP or CUDA names, are installed."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.counts import count_of
from hipport.doctor.findings import Area, Finding, error, ok
from hipport.doctor.machine import Machine
from hipport.files.include_lines import include_lines
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import closure, is_support
from hipport.toolchain.libraries import Library, load_libraries
from hipport.toolchain.places import rocm_roots

TITLE = "libraries of the sources"
AREA = Area.LIBRARIES


def run(machine: Machine) -> Iterator[Finding]:
    """Look for the header of each library."""
    if machine.tree is None:
        return
    wanted = _headers(machine)
    missing = {header: count for header, count in wanted.items() if not _is_there(machine, header)}
    for header, count in sorted(missing.items()):
        users = f"{count_of(count, 'file')} in {machine.tree.root} {'needs' if count == 1 else 'need'}"
        yield error(f"<{header}>, which {users}, is not installed", _advice(header))
    if wanted and not missing:
        yield ok(", ".join(sorted({header.partition("/")[0] for header in wanted})))


def _headers(machine: Machine) -> dict[str, int]:
    """Return the header of each library, with the number of files that include it."""
    choice = NameChoice(installed=machine.hip.version or None if machine.hip else None)
    headers = load_choice(choice).headers
    found: dict[str, int] = {}
    for operand, count in machine.tree.includes if machine.tree else ():
        known = headers.get(operand)
        name = known.hip if known is not None and known.hip else operand
        for library in _libraries(name):
            found[library.header] = found.get(library.header, 0) + count
    return found


def _libraries(header: str) -> list[Library]:
    """Return the library of a header, or those that one of hipport's own headers needs."""
    headers = {header}
    if is_support(header):
        headers = {line.operand for data in closure([header]).values() for line in include_lines(data)}
    names = sorted({each.partition("/")[0].removesuffix(".h").removesuffix(".hpp") for each in headers})
    return [load_libraries()[name] for name in names if name in load_libraries()]


def _is_there(machine: Machine, header: str) -> bool:
    return any((root / "include" / header).is_file() for root in rocm_roots(machine.where))


def _advice(header: str) -> str:
    row = next(row for row in load_libraries().values() if row.header == header)
    if not row.debian:
        return f"ROCm's packages (Debian has none): {row.rocm}"
    release = row.since if row.since == "sid" else f"{row.since} and newer"
    return f"apt-get install {row.debian} (Debian {release}, or Ubuntu); ROCm's packages: {row.rocm}"
