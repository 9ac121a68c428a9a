"""Write `hipport/translate/passes/enumerators.py`: the CUDA enumerators of which HIP's have other numbers.

    python -m scripts.enum_numbers --cuda FOLDER... --rocm FOLDER... --earlier FOLDER... --resources CLANG

The folders are searched for headers in this order; CLANG is clang's resource directory (`clang -print-resource-dir`).
`--earlier` names headers of a ROCm release before 6.0, which gave many enumerators other numbers.
HIP's libraries declare more than CUDA's headers say: only names with a counterpart in the tables are compared.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clang import cindex

from hipport.mappings.loader import load
from hipport.mappings.tables import Tables
from scripts.clang_signatures import CUDA_HEADERS, HIP_HEADERS

PATH = Path(__file__).resolve().parent.parent / "hipport/translate/passes/enumerators.py"
_MORE = {
    "cuda": ("cuda_runtime_api.h", "cuda.h", "library_types.h"),
    "rocm": ("hip/hip_runtime_api.h", "hip/driver_types.h", "hip/library_types.h"),
}
_HEADERS = {"cuda": CUDA_HEADERS, "rocm": HIP_HEADERS}
_CPP = ("cuda_runtime.h", "hip/hip_runtime.h", "_kernel.h", "_fp16.h", "_bf16.h", "_fp8.h", "_groups.h", "nvToolsExt.h")
_FLAGS = ("-x", "c++", "-std=c++17", "-w", "-ferror-limit=0", "-D__HIP_PLATFORM_AMD__=1")
_SENTINEL = re.compile(r"\w*(?:Max|_MAX|Count|NUM_INPUT_TYPES|_UNDEFINED)")
_RENUMBERED = "6.0.0"
"""The release in which HIP's enumerators got CUDA's numbers."""
_ELSEWHERE = {"cudaError"}
"""Types that another check reads: HP501."""
_HEAD = '''"""The numbers of enumerators whose types do not have the same numbers in CUDA and HIP.

Written by `python -m scripts.enum_numbers`.
"""

from __future__ import annotations

TYPES: dict[str, dict[str, tuple[int, str, int]]] = {
'''
_TYPES_DOC = '"""By CUDA type and enumerator: CUDA\'s number, the counterpart, its number."""\n\n'

Row = tuple[int, str, int]


@dataclass(slots=True)
class Enums:
    """Enumerators with their numbers by the canonical name of their type, and the other names of the types."""

    numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)


def read(product: str, folders: Sequence[Path], resources: Path) -> Enums:
    """Return the enumerations that the headers in the folders declare."""
    wanted = [name for name in (*_MORE[product], *_HEADERS[product]) if not name.endswith(_CPP)]
    headers = [name for name in wanted if any((folder / name).is_file() for folder in folders)]
    text = "".join(f"#include <{name}>\n" for name in headers)
    arguments = [*_FLAGS, "-resource-dir", str(resources)]
    arguments += [part for folder in folders for part in ("-isystem", str(folder))]
    unit = cindex.Index.create().parse("enums.cpp", args=arguments, unsaved_files=[("enums.cpp", text)], options=0x200)
    found = Enums()
    _walk(unit.cursor, found)
    return found


def _walk(cursor: Any, found: Enums) -> None:
    for child in cursor.get_children():
        kind = child.kind.name
        if kind == "ENUM_DECL" and child.is_definition():
            constants = (each for each in child.get_children() if each.kind.name == "ENUM_CONSTANT_DECL")
            type_ = child.type.get_canonical().spelling
            found.numbers[type_] = {each.spelling: each.enum_value for each in constants}
        elif kind == "TYPEDEF_DECL":
            type_ = child.underlying_typedef_type.get_canonical()
            if type_.kind.name == "ENUM":
                found.names.setdefault(type_.spelling, []).append(child.spelling)
        elif kind in ("LINKAGE_SPEC", "UNEXPOSED_DECL"):
            _walk(child, found)


def differing(cuda: Enums, rocm: Enums, tables: Tables) -> dict[str, dict[str, Row]]:
    """Return the types with an enumerator of another number, and all their enumerators that have a counterpart."""
    numbers = {name: number for each in rocm.numbers.values() for name, number in each.items()}
    found: dict[str, dict[str, Row]] = {}
    for type_, names in cuda.numbers.items():
        rows: dict[str, Row] = {}
        for name, number in names.items():
            entry = tables.names.get(name)
            hip = entry.hip.name if entry is not None and entry.hip is not None else None
            if hip is not None and hip in numbers:
                rows[name] = (number, hip, numbers[hip])
        if any(row[0] != row[2] and not _SENTINEL.fullmatch(name) for name, row in rows.items()):
            found[type_] = rows
    return {type_: rows for type_, rows in sorted(found.items()) if type_ not in _ELSEWHERE}


def _by_number(row: tuple[str, Row]) -> tuple[bool, int, str]:
    """Sort negative numbers last: the first one is an example in messages."""
    return row[1][0] < 0, row[1][0], row[0]


def text_of(found: Mapping[str, Mapping[str, Row]], earlier: Sequence[str], names: Mapping[str, Sequence[str]]) -> str:
    """Return the table as Python; `earlier` are the types that differ in early releases only."""
    lines = []
    for type_, rows in found.items():
        inner = "".join(
            f'        "{name}": ({row[0]}, "{row[1]}", {row[2]}),\n'
            for name, row in sorted(rows.items(), key=_by_number)
        )
        lines.append(f'    "{type_}": {{\n{inner}    }},\n')
    aliases = {alias: type_ for type_ in found for alias in names.get(type_, ()) if alias != type_}
    others = [f'    "{alias}": "{type_}",\n' for alias, type_ in sorted(aliases.items())]
    head = f"{_HEAD}{''.join(lines)}}}\n{_TYPES_DOC}ALIASES: dict[str, str] = {{\n"
    until = "".join(f'    "{type_}": "{_RENUMBERED}",\n' for type_ in earlier)
    return (
        f'{head}{"".join(others)}}}\n"""Other names of the types."""\n\n'
        f'UNTIL: dict[str, str] = {{\n{until}}}\n"""The ROCm release since which a type has CUDA\'s numbers."""\n'
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuda", nargs="+", type=Path, required=True)
    parser.add_argument("--rocm", nargs="+", type=Path, required=True)
    parser.add_argument("--earlier", nargs="+", type=Path, required=True)
    parser.add_argument("--resources", type=Path, required=True)
    options = parser.parse_args()
    cuda, rocm = (read(each, getattr(options, each), options.resources) for each in ("cuda", "rocm"))
    tables = load()
    found = differing(cuda, rocm, tables)
    before = differing(cuda, read("rocm", options.earlier, options.resources), tables)
    earlier = sorted(before.keys() - found.keys())
    found = dict(sorted({**before, **found}.items()))
    PATH.write_text(text_of(found, earlier, cuda.names), encoding="utf-8")
    print(f"{PATH.name}: {len(found)} types, {sum(map(len, found.values()))} enumerators")


if __name__ == "__main__":
    main()
