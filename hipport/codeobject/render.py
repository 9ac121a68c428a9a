"""Format a binary's content as text: tables for a terminal, plain columns for a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hipport.codeobject.model import Binary, Bundle, BundleEntry, Kernel, MissingKernel
from hipport.counts import count_of

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

Row = tuple[str, ...]

_ENTRY_COLUMNS = ("BUNDLE", "KIND", "TARGET", "CONTENT", "OFFSET", "SIZE", "KERNELS")
_KERNEL_COLUMNS = ("TARGET", "VGPR", "AGPR", "SGPR", "SPILL", "LDS", "SCRATCH", "WF", "WG", "ARGS", "OCCUPANCY")
_LEFT = {"KIND", "TARGET", "CONTENT", "OCCUPANCY", "KERNEL"}


def plain(binary: Binary, names: Mapping[str, str]) -> Iterator[str]:
    """Yield lines independent of any terminal.

    There is a row per entry, and a row per kernel and target, with names last and uncut.
    """
    yield _headline(binary)
    yield from _bundle_lines(binary)
    yield from _columns(_ENTRY_COLUMNS, _entry_rows(binary))
    kernels = [(*_kernel_row(entry, kernel), _name(kernel, names)) for entry, kernel in _kernels(binary)]
    if kernels:
        yield from _columns((*_KERNEL_COLUMNS, "KERNEL"), kernels)
    yield from _host_lines(binary)
    yield from _warnings(binary, names)


def draw(binary: Binary, names: Mapping[str, str], console: Console) -> None:
    """Print tables on a terminal, with kernels grouped by name and a row per target, so that 80 columns are enough."""
    from rich.text import Text

    console.print(Text(_headline(binary), style="bold"))
    for line in _bundle_lines(binary):
        console.print(Text(line, style="dim"))
    entries = _entry_rows(binary)
    console.print(_table(_ENTRY_COLUMNS, entries, _widths(_ENTRY_COLUMNS, entries), console))
    groups = _by_name(binary, names)
    widths = _widths(_KERNEL_COLUMNS, [row for rows in groups.values() for row in rows])
    for name, rows in groups.items():
        console.print()
        console.print(Text(name, style="bold cyan"), overflow="fold")
        console.print(_table(_KERNEL_COLUMNS, rows, widths, console))
    for line in _host_lines(binary):
        console.print(Text(line, style="dim"))
    for line in _warnings(binary, names):
        console.print(Text(line, style="yellow"))


def _headline(binary: Binary) -> str:
    objects = [entry for bundle in binary.bundles for entry in bundle.entries if entry.content == "code object"]
    kernels = sum(len(entry.kernels) for entry in objects)
    return printable(
        f"{binary.path}: {binary.kind}, {count_of(len(objects), 'code object')}, {count_of(kernels, 'kernel')}"
    )


def _bundle_lines(binary: Binary) -> Iterator[str]:
    for index, bundle in enumerate(binary.bundles, 1):
        yield printable(f"bundle {index}: {', '.join(_bundle_facts(bundle))}")


def _bundle_facts(bundle: Bundle) -> Iterator[str]:
    yield bundle.format
    if bundle.compression:
        yield f"{bundle.compression} (version {bundle.version}, {bundle.uncompressed_size} bytes uncompressed)"
    if bundle.member:
        yield f"member {bundle.member}"
    if bundle.section:
        yield f"section {bundle.section}"
    yield f"offset {bundle.offset:#x}"
    yield f"{bundle.size} bytes"


def _entry_rows(binary: Binary) -> list[Row]:
    return [_entry_row(index, entry) for index, bundle in enumerate(binary.bundles, 1) for entry in bundle.entries]


def _entry_row(index: int, entry: BundleEntry) -> Row:
    content = entry.content + ("" if entry.code_object_version is None else f" v{entry.code_object_version}")
    target = entry.target_id or entry.triple
    kernels = str(len(entry.kernels)) if entry.content == "code object" else "-"
    place = (f"{entry.offset:#x}", str(entry.size))
    return tuple(map(printable, (str(index), entry.kind or "-", target, content, *place, kernels)))


def _kernels(binary: Binary) -> Iterator[tuple[BundleEntry, Kernel]]:
    for bundle in binary.bundles:
        for entry in bundle.entries:
            yield from ((entry, kernel) for kernel in entry.kernels)


def _by_name(binary: Binary, names: Mapping[str, str]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for entry, kernel in _kernels(binary):
        groups.setdefault(_name(kernel, names), []).append(_kernel_row(entry, kernel))
    return groups


def _kernel_row(entry: BundleEntry, kernel: Kernel) -> Row:
    return (
        printable(entry.target_id),
        str(kernel.vgprs),
        "-" if kernel.agprs is None else str(kernel.agprs),
        str(kernel.sgprs),
        f"{kernel.vgpr_spills}/{kernel.sgpr_spills}",
        str(kernel.lds),
        f"{kernel.scratch}{'+' if kernel.dynamic_stack else ''}",
        str(kernel.wavefront_size),
        str(kernel.max_workgroup_size),
        str(kernel.kernarg_size),
        _occupancy(kernel),
    )


def _occupancy(kernel: Kernel) -> str:
    if kernel.occupancy is None:
        return "?"
    limit = kernel.occupancy.limited_by
    return f"{kernel.occupancy.waves}/{kernel.occupancy.max_waves}{f' {limit}' if limit else ''}"


def _name(kernel: Kernel, names: Mapping[str, str]) -> str:
    return printable(names.get(kernel.name, kernel.name))


def _host_lines(binary: Binary) -> Iterator[str]:
    """Yield which kernels host code registers, and whether code objects have them."""
    for host in binary.hosts:
        who = "host code" if host.member is None else f"host code of member {host.member}"
        if host.registered:
            lacking = len({missing.name for missing in host.missing})
            state = f"{lacking} missing in code objects" if lacking else "in all code objects"
            yield printable(f"{who}: registers {count_of(len(host.registered), 'kernel')}, {state}")
        if host.unchecked:
            what = "other kernels that it registers" if host.registered else "kernels that it registers"
            yield printable(f"{who}: {what} are not checked: {host.unchecked}")


def _warnings(binary: Binary, names: Mapping[str, str]) -> Iterator[str]:
    for bundle in binary.bundles:
        for entry in bundle.entries:
            yield from (printable(f"warning: {entry.target_id}: {warning}") for warning in entry.warnings)
    for host in binary.hosts:
        yield from (printable(_missing(missing, names)) for missing in host.missing)


def _missing(missing: MissingKernel, names: Mapping[str, str]) -> str:
    name = names.get(missing.name, missing.name)
    level = "error" if missing.is_error else "warning"
    text = f"{level}: {missing.target_id}: the host registers {name}, which is missing"
    others = ", ".join(names.get(other, other) for other in missing.instead)
    return f"{text}; not registered: {others}" if others else text


def printable(text: str) -> str:
    """Escape characters that could control a terminal: names come from the file and may hold anything."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _widths(columns: Sequence[str], rows: Iterable[Row]) -> list[int]:
    return [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]


def _columns(columns: Row, rows: Sequence[Row]) -> Iterator[str]:
    widths = _widths(columns, rows)
    for row in (columns, *rows):
        cells = zip(columns, row, widths, strict=True)
        yield "  ".join(cell.ljust(w) if name in _LEFT else cell.rjust(w) for name, cell, w in cells).rstrip()


def _table(columns: Row, rows: Sequence[Row], widths: Sequence[int], console: Console) -> Table:
    """Return a table whose TARGET column wraps over several lines if the terminal is too narrow."""
    from rich.table import Table
    from rich.text import Text

    fits = sum(widths) + len(widths) - 1 <= console.width
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    for name, width in zip(columns, widths, strict=True):
        justify: JustifyMethod = "left" if name in _LEFT else "right"
        fixed = fits or name != "TARGET"
        table.add_column(name, justify=justify, width=width if fixed else None, overflow="fold", no_wrap=fixed)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
