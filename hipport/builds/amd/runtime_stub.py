"""Link for a host without an installed HIP runtime, against a stub library that only has its symbols.

AMD ships libamdhip64 for x86-64 only. The symbols, and the soname that the program loads at startup, are taken from
the installed library; a symbol missing from HIP is still a link error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.toolchain.hip import LIBRARY
from hipport.toolchain.hosts import HostTarget
from hipport.toolchain.places import Surroundings


@dataclass(frozen=True, slots=True)
class Exports:
    """The soname of a shared library and the functions it exports."""

    soname: str
    names: tuple[str, ...]


def find_runtime(host: HostTarget, folders: tuple[str, ...], where: Surroundings) -> Path | None:
    """Return the folder of the runtime for another host, from the link's folders or the host's own; None if missing."""
    own = (Path(folder) for folder in folders)
    system = (where.root / f"usr/lib/{host.triple}", where.root / f"usr/{host.triple}/lib")
    return next((folder for folder in (*own, *system) if (folder / LIBRARY).is_file()), None)


def exports(library: Path) -> Exports:
    """Return the soname and the functions that a shared library exports."""
    from elftools.elf.elffile import ELFFile

    with library.open("rb") as stream:
        elf: Any = ELFFile(stream)
        tags = elf.get_section_by_name(".dynamic").iter_tags("DT_SONAME")
        soname = next((tag.soname for tag in tags), library.name)
        symbols = elf.get_section_by_name(".dynsym").iter_symbols()
        names = {symbol.name for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF" and _is_function(symbol)}
    return Exports(soname, tuple(sorted(names)))


def _is_function(symbol: Any) -> bool:
    return bool(symbol["st_info"]["type"] == "STT_FUNC")


def with_stub(plan: BuildPlan, found: Exports, clang: Path, host: HostTarget, folder: str) -> BuildPlan:
    """Return the plan with a step before its link that builds the stub in `folder`."""
    *steps, link = plan.steps
    source, output = f"{folder}/stub.s", f"{folder}/{LIBRARY}"
    command = (str(clang), f"--target={host.triple}", "-shared", "-nostdlib", f"-Wl,-soname,{found.soname}")
    stub = BuildStep(StepKind.ASSEMBLE, f"stub of {LIBRARY}", (*command, source, "-o", output), (source,), output)
    link = replace(link, inputs=(*link.inputs, output))
    return replace(plan, steps=(*steps, stub, link), files=(*plan.files, (source, "".join(_assembly(found)))))


def _assembly(found: Exports) -> Iterator[str]:
    yield ".text\n"
    for name in found.names:
        yield f".globl {name}\n.type {name}, %function\n{name}:\n"
