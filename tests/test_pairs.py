"""Golden cases: each file in `fixtures/pairs/` is translated and compared with the `.out` file beside it.

No `.out` file means that nothing may change. A `.findings` file lists the diagnostics; none means no diagnostics. A
first line `// hipport: --launch chevron` sets the options. `pytest --update-pairs` writes what comes out: read the
diff before you commit it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.convert import Context, Conversion, Options, convert_source
from hipport.mappings.loader import Tables

PAIRS = Path(__file__).parents[1] / "fixtures" / "pairs"
CASES = sorted(path for path in PAIRS.rglob("*.*") if path.suffix not in (".out", ".findings", ".md"))


def translate(case: Path, data: bytes, tables: Tables) -> Conversion:
    flags = re.match(rb"// hipport: --launch (ggl|chevron)", data)
    launch = "chevron" if flags and flags[1] == b"chevron" else "ggl"
    context = Context(tables, Options(launch), renamed={"kernels.cu": "kernels.hip"})
    return convert_source(data, case.name, context)


def findings(conversion: Conversion) -> str:
    return "".join(f"{d.line}:{d.column}: {d.severity.value}[{d.code}]: {d.message}\n" for d in conversion.diagnostics)


def test_there_are_cases() -> None:
    assert len(CASES) > 30


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_pair(case: Path, tables: Tables, request: pytest.FixtureRequest) -> None:
    data = case.read_bytes()
    conversion = translate(case, data, tables)
    expected, listed = case.with_name(case.name + ".out"), case.with_name(case.name + ".findings")
    if request.config.getoption("--update-pairs"):
        _write(expected, conversion.data if conversion.data != data else None)
        _write(listed, findings(conversion).encode() or None)
    assert conversion.data == (expected.read_bytes() if expected.exists() else data)
    assert findings(conversion) == (listed.read_text() if listed.exists() else "")


@pytest.mark.parametrize("case", CASES, ids=lambda path: str(path.relative_to(PAIRS)))
def test_second_pass_changes_nothing(case: Path, tables: Tables) -> None:
    once = translate(case, case.read_bytes(), tables).data
    assert translate(case, once, tables).data == once


def _write(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(data)
