"""Check that the loader finds HIP's runtime, of the release that programs are linked with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine, text_of
from hipport.toolchain.hip import LIBRARY, Hip

TITLE = "library paths"
AREA = Area.SURROUNDINGS
_VARIABLE = "LD_LIBRARY_PATH"
_ALWAYS = ("lib", "lib64", "usr/lib", "usr/lib64", "usr/local/lib")


def run(machine: Machine) -> Iterator[Finding]:
    """Check LD_LIBRARY_PATH, /etc/ld.so.conf, and the runtime in their folders."""
    found = [*_variable(machine), *_configured(machine)]
    yield from found
    if machine.hip is not None and not found:
        yield _runtime(machine, machine.hip)


def _variable(machine: Machine) -> Iterator[Finding]:
    folders = [Path(text) for text in machine.variable(_VARIABLE).split(":") if text]
    kept = [folder for folder in folders if folder.is_dir() and not _is_foreign(machine, folder)]
    fix = SetVariable(_VARIABLE, ":".join(map(str, kept)) or None)
    for folder in folders:
        if not folder.is_dir():
            yield warning(f"{_VARIABLE} names {folder}, which does not exist", f"{fix}", fix)
        elif _is_foreign(machine, folder):
            yield error(
                f"{_VARIABLE} names {folder}, whose {LIBRARY} is not the one that programs are linked with",
                f"{fix}",
                fix,
            )


def _is_foreign(machine: Machine, folder: Path) -> bool:
    """Return whether a folder holds another runtime than the one that is linked."""
    if machine.hip is None or not (folder / LIBRARY).exists():
        return False
    return (folder / LIBRARY).resolve() != (machine.hip.library / LIBRARY).resolve()


def _configured(machine: Machine) -> Iterator[Finding]:
    """Report ROCm folders in the loader's configuration that no longer exist."""
    for file, folder in _lines(machine):
        if "rocm" in folder and not machine.path(folder.lstrip("/")).is_dir():
            yield warning(
                f"{file} names {folder}, which does not exist", f"Remove the line from {file}, then run ldconfig"
            )


def _lines(machine: Machine) -> Iterator[tuple[Path, str]]:
    files = [machine.path("etc/ld.so.conf"), *sorted(machine.path("etc/ld.so.conf.d").glob("*.conf"))]
    for file in files:
        for line in text_of(file).splitlines():
            if line.strip().startswith("/"):
                yield file, line.strip()


def _runtime(machine: Machine, hip: Hip) -> Finding:
    named = {machine.path(folder.lstrip("/")).resolve() for _, folder in _lines(machine)}
    named |= {Path(text).resolve() for text in machine.variable(_VARIABLE).split(":") if text}
    usual = {machine.path(folder).resolve() for folder in _ALWAYS}
    if hip.library.resolve() in named | usual:
        return ok(f"the loader finds {hip.library / LIBRARY}")
    fix = SetVariable(_VARIABLE, ":".join(filter(None, [str(hip.library), machine.variable(_VARIABLE)])))
    return warning(
        f"the loader does not search {hip.library}: programs that were not linked by hipport do not start",
        f"{fix}",
        fix,
    )
