"""Names of CUDA that macros paste together from arguments: `CAT(cuda, HostAlloc)`."""

from __future__ import annotations

import re

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import Conversion, convert_source

_PREFIXES = ("cublas", "cufft", "curand", "cusparse", "cusolverDn", "cudnn", "cuda")
_ONE = "#define CAT(a, b) a##b\n"
_TWO = "#define JOIN(a, b) a ## b\n#define CAT(x, y) JOIN(x, y)\n"


def converted(source: str, tables: Tables) -> Conversion:
    return convert_source(source.encode(), "a.cu", Context(tables))


@pytest.mark.parametrize("macros", [_ONE, _TWO], ids=["one", "two"])
def test_all_names_are_translated_or_reported(macros: str, tables: Tables) -> None:
    parts = {}
    for name, entry in tables.names.items():
        prefix = next((each for each in _PREFIXES if re.fullmatch(rf"{each}[A-Z]\w*", name)), None)
        if prefix is not None and not entry.ordinary:
            parts[f"CAT({prefix}, {name.removeprefix(prefix)})"] = entry
    assert len(parts) > 2000
    above = macros.count("\n")
    result = converted(macros + "".join(f"auto v{i} = {part};\n" for i, part in enumerate(parts)), tables)
    made = [line for line in result.data.decode().splitlines() if line.startswith("auto v")]
    reported = {each.line for each in result.diagnostics if each.code == "HP112"}
    for number, ((part, entry), line) in enumerate(zip(parts.items(), made, strict=True)):
        value = re.sub(r"CAT\((\w+), (\w+)\)", r"\1\2", line.partition("= ")[2])
        if entry.hip is None:
            assert above + number + 1 in reported, part
        else:
            assert value == f"{entry.hip.name};", part


@pytest.mark.parametrize(
    ("macro", "line", "severity"),
    [
        ("#define CAT(a, b) #a #b\n", "auto text = CAT(cuda, HostAlloc);", None),
        ("#define CAT(a, b) check(a##b, 1)\n", "CAT(cuda, HostAlloc);", "warning"),
        ("", "CAT(cuda, HostAlloc);", "warning"),
        (_ONE, "f(CAT(cuda, OwnName));", None),
        (_ONE, "f(CAT(cuda, Malloc)(&p, 4));", None),
    ],
)
def test_near_misses(macro: str, line: str, severity: str | None, tables: Tables) -> None:
    result = converted(f"{macro}{line}\n", tables)
    found = [each.severity.value for each in result.diagnostics if each.code == "HP112"]
    assert found == ([severity] if severity else [])
    assert ("HostAlloc)" in result.data.decode()) is ("HostAlloc" in line)
