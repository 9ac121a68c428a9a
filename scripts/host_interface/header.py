"""Write what is recorded of a release as a C header, so that programs for it are compiled without its own headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scripts.host_interface.model import Interface, Record

_NUMBERS = {
    "void": "void", "f2": "_Float16", "f4": "float", "f8": "double",
    **{f"{letter}{size}": f"{sign}{name}" for letter, sign in (("i", "signed "), ("u", "unsigned "))
       for size, name in ((1, "char"), (2, "short"), (4, "int"), (8, "long"))},
}  # fmt: skip
_RENAMED = re.compile(r"(\w+?)R\d{4}")


def header(interface: Interface) -> str:
    """Return a header with the enumerations, structures and functions, and a macro `HAVE_X` for each.

    A structure is a union with each member behind as many bytes as the release has before it. Functions that take
    structures by value are left out: such unions are not passed as structures are.
    """
    lines = ["#pragma once"]
    for name, numbers in interface.enums.items():
        constants = ", ".join(f"{constant} = {number}" for constant, number in numbers.items()) or f"{_c(name)}_none"
        lines.append(f"typedef enum {{ {constants} }} {_c(name)};")
    lines += _records(interface)
    for name, function in interface.functions.items():
        if not any(each.startswith("record") for each in (function.result, *function.parameters)):
            parameters = ", ".join(_declared(each, "") for each in function.parameters) or "void"
            lines.append(f"{_declared(function.result, '')} {name}({parameters});")
    named = (*interface.records, *interface.functions)
    lines += (f"#define HAVE_{_c(name)} 1" for name in named)
    lines += (
        f"#define {found[1]} {name}\n#define HAVE_{found[1]} 1" for name in named if (found := _RENAMED.fullmatch(name))
    )
    return "\n".join(lines) + "\n"


def library(interface: Interface) -> str:
    """Return a C source with all functions, to link programs with."""
    return "".join(f"void {name}(void) {{}}\n" for name in interface.functions)


def _records(interface: Interface) -> Iterator[str]:
    """Yield the structures, each behind those that it has as members."""
    seen: set[str] = set()

    def one(name: str) -> Iterator[str]:
        if name not in seen:
            seen.add(name)
            for member in interface.records[name].members.values():
                before, _, inner = member.type.rpartition("record ")
                yield from one(inner) if inner in interface.records and "ptr" not in before else ()
            yield from _record(name, interface.records[name])

    for name in interface.records:
        yield from one(name)


def _record(name: str, record: Record) -> Iterator[str]:
    align = next(each for each in (8, 4, 2, 1) if record.size % each == 0)
    yield f"typedef union __attribute__((aligned({align}))) {_c(name)} {{ char all[{record.size}];"
    for each, member in record.members.items():
        place = f"char before_{each}[{member.offset}]"
        yield f"  struct __attribute__((packed)) {{ {place}; {_declared(member.type, each)}; }};"
    yield f"}} {_c(name)};"
    yield from (f"#define HAVE_{_c(name)}_{each} 1" for each in record.members)


def _declared(type_: str, name: str) -> str:
    """Return the declaration of a name, or the type without one."""
    kind, _, rest = type_.partition(" ")
    if kind.startswith("["):
        return _declared(rest, f"{name}{kind}")
    if kind == "ptr":
        is_structure = rest.startswith("record ")
        pointee = (
            f"union {_c(rest.removeprefix('record '))}" if is_structure else _declared(rest, "") if rest else "void"
        )
        return f"{pointee}* {name}".rstrip()
    return f"{_c(rest) if kind in ('enum', 'record') else _NUMBERS[kind]} {name}".rstrip()


def _c(name: str) -> str:
    return re.sub(r"\W+", "_", name)
