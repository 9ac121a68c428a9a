"""Golden cases: each file in `fixtures/pairs/` is translated and compared with the `.out` file beside it.

No `.out` file means that nothing may change. A `.findings` file lists the diagnostics; none means no diagnostics. A
first line `// hipport: --launch chevron` sets the options: `--launch`, `--rocm`, `--cuda`, `--libs`, `--wave-size`,
`--fix yes` and `--mappings`, whose file lies beside the case. `pytest --update-pairs` writes what comes out: read the
diff before you commit it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import Tables, load_choice
from hipport.translate.context import Context, Options, WaveSize
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.unknown_names import undeclared

FIXTURES = Path(__file__).parents[1] / "fixtures"
PAIRS = FIXTURES / "pairs"
WAVE_SIZES: dict[str, WaveSize] = {"auto": 0, "32": 32, "64": 64}
RENAMED = {f"{name}.cu": f"{name}.hip" for name in ("kernels", "clock_kernel", "scan", "reduce", "sort")}
CASES = sorted(path for path in PAIRS.rglob("*.*") if path.suffix not in (".out", ".findings", ".md", ".yaml"))
SOURCES = (".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hip", ".hpp")
OTHERS = sorted(path for path in FIXTURES.rglob("*") if path.suffix in SOURCES and PAIRS not in path.parents)


def translate(case: Path, data: bytes, tables: Tables) -> Conversion:
    line = re.match(r"// hipport: (.*)", data.decode("latin-1"))
    flags = dict(re.findall(r"--([\w-]+) (\S+)", line[1] if line else ""))
    launch = flags.pop("launch", "ggl")
    assert launch in ("ggl", "chevron")
    options = Options(launch, wave_size=WAVE_SIZES[flags.pop("wave-size", "auto")], fix=flags.pop("fix", "no") == "yes")
    context = Context(_tables(case, flags) if flags else tables, options, renamed=RENAMED)
    made = convert_source(data, case.name, context)
    found = (*made.diagnostics, *undeclared(made.unknown, made.declares, context.tables))
    return replace(made, diagnostics=tuple(sorted(found, key=lambda each: (each.line, each.column, each.code))))


def _tables(case: Path, flags: dict[str, str]) -> Tables:
    overlays = (str(case.parent / flags.pop("mappings")),) if "mappings" in flags else ()
    flavour = flags.pop("libs", "hip")
    assert flavour in ("hip", "roc")
    return load_choice(NameChoice(overlays=overlays, flavour=flavour, **flags))


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
        write(expected, conversion.data if conversion.data != data else None)
        write(listed, findings(conversion).encode() or None)
    assert conversion.data == (expected.read_bytes() if expected.exists() else data)
    assert findings(conversion) == (listed.read_text() if listed.exists() else "")


@pytest.mark.parametrize("case", CASES + OTHERS, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_second_pass_changes_nothing(case: Path, tables: Tables) -> None:
    once = translate(case, case.read_bytes(), tables).data
    assert translate(case, once, tables).data == once


def write(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(data)
