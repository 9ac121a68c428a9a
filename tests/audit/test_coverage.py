"""Coverage of small tables, and its charts."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from rich.console import Console

from hipport.audit import coverage_plot, coverage_text
from hipport.audit.coverage import ELSEWHERE, Coverage, State, coverage
from hipport.audit.headers import Declaration
from hipport.mappings.entry import Kind
from tests.audit.support import TABLE, cuda, extract, tables

NAMES = (
    *cuda("cudaCopy", "cudaMade", "cudaNever", "cudaUnheardOf"),
    *cuda("Block", scope="cooperative_groups"),
    *cuda("_cudaHidden", "cudaHidden_ptsz", "unrelated"),
    *cuda("cudaInner", scope="detail"),
    *cuda("fooBar", "_foo", header="foo.h"),
    *cuda("cudaImpl", header="crt/detail/inner.h"),
)


def counted(*extra: Declaration, text: str = TABLE) -> Coverage:
    return coverage(extract("cuda", "13.0", *NAMES, *extra), tables(text))


def test_states() -> None:
    runtime, elsewhere = counted().libraries
    assert runtime.counts == {State.MAPPED: 2, State.CHANGED: 1, State.NONE: 1, State.UNKNOWN: 1}
    assert (runtime.unknown, runtime.whole) == (("cudaUnheardOf",), 1)
    assert (elsewhere.library, elsewhere.unknown) == (ELSEWHERE, ("fooBar",))


def test_what_a_table_names_is_public() -> None:
    found = counted(
        *cuda("_cudaHidden"), text=TABLE.replace("cudaNever:", "_cudaHidden:").replace("[cudaNever]", "[_*]")
    )
    assert found.libraries[0].counts[State.NONE] == 1


def test_a_header_without_counterpart_speaks_for_its_names() -> None:
    text = TABLE.replace("headers:\n", "headers:\n  foo.h: {reason: HIP has no foo, alternative: something else}\n")
    assert counted(*cuda("cudaFoo", header="foo.h"), text=text).libraries[0].counts[State.NONE] == 2


def test_the_sum() -> None:
    whole = counted().whole
    assert (whole.total, whole.known) == (6, 4)
    assert coverage_text.share(whole) == "66.7%"


def test_nearly_all_is_not_all() -> None:
    many = [Declaration(f"cudaCopy{n}", Kind.FUNCTION, "cuda_runtime.h") for n in range(3000)]
    text = TABLE.replace("functions:\n", "functions:\n" + "".join(f"  cudaCopy{n}: hipCopy{n}\n" for n in range(3000)))
    assert coverage_text.share(counted(*many, text=text).libraries[0]) == "99.9%"


def test_plain_text_lines_up() -> None:
    title, *table, remark = coverage_text.plain(counted())
    assert "CUDA 13.0" in title
    assert len({len(line) for line in table}) == 1
    assert "applies to 1 name" in remark


def test_a_terminal_and_a_page_show_the_same_numbers() -> None:
    console = Console(record=True, width=100, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    coverage_text.draw(counted(), console)
    drawn = console.export_text()
    for row in coverage_text.rows(counted()):
        assert all(cell in drawn for cell in row)
        assert f"| {' | '.join(row)} |" in list(coverage_text.markdown(counted()))


def test_data_for_programs() -> None:
    found = coverage_text.data(counted())
    assert found["libraries"][0]["names"] == ["cudaUnheardOf"]
    assert found["all"]["total"] == sum(library["total"] for library in found["libraries"])


def test_the_picture_is_well_formed_and_described() -> None:
    root = ElementTree.fromstring(coverage_plot.svg(counted()))
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert "CUDA 13.0" in (root.findtext(f"{space}title") or "")
    assert "runtime: 80.0% of 5 names known" in (root.findtext(f"{space}desc") or "")
    colours = {rect.get("fill") for rect in root.iter(f"{space}rect")}
    assert set(coverage_plot.COLOURS.values()) <= colours


def test_bars_are_as_long_as_their_share() -> None:
    root = ElementTree.fromstring(coverage_plot.svg(counted()))
    widths: dict[str, list[float]] = {}
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        hover = rect.findtext("{http://www.w3.org/2000/svg}title")
        if hover:
            widths.setdefault(hover.split(":")[0], []).append(float(rect.get("width", "0")))
    full = widths[ELSEWHERE][0]
    assert sum(widths["runtime"]) == pytest.approx(full, abs=0.5)
    assert widths["runtime"][0] == pytest.approx(full * 2 / 5, abs=0.1)


def test_names_are_escaped() -> None:
    found = counted(Declaration("<script>", Kind.MACRO, "bar.h"))
    assert "<script>" not in coverage_plot.html(found)
    assert "&lt;script&gt;" in coverage_plot.html(found)


def test_the_page_loads_nothing() -> None:
    page = coverage_plot.html(counted())
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page
    assert 'lang="en"' in page
