"""Tables and pictures of stored measurements."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.bench.p2p.measurements import Device, Measurements, Way, read_result
from hipport.bench.p2p.picture import svg
from hipport.bench.p2p.table import share, tables

ROOT = Path(__file__).parents[3]
STORED = ROOT / "docs/data"


@pytest.fixture
def result() -> Measurements:
    return read_result(STORED / "p2p-h200-x4.json")


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter() if element.tag.endswith("text")]


def test_the_picture_in_the_documentation_is_that_of_the_data(result: Measurements) -> None:
    assert (ROOT / "docs/images/p2p-h200-x4.svg").read_text(encoding="utf-8") == svg(result)


def test_a_picture_has_every_number_and_nothing_beside_it(result: Measurements) -> None:
    picture = svg(result)
    found = texts(picture)
    for source, row in enumerate(result.ways[0].one_way):
        for target, value in enumerate(row):
            assert value is not None and f"{value / 1e9:,.0f}" in found
            assert f"{share(result, source, target, value, 1):.0%}" in found
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', picture).groups())  # type: ignore[union-attr]
    for element in ElementTree.fromstring(picture).iter():
        if "x" in element.attrib:
            right = float(element.attrib["x"]) + float(element.attrib.get("width", 0))
            assert 0 <= right <= width and 0 < float(element.attrib["y"]) < height


def test_names_cannot_break_a_picture(result: Measurements) -> None:
    odd = tuple(Device("<a&b>", device.architecture, device.bus, 0.0) for device in result.devices)
    assert "Copies between GPUs: 4x <a&b>" in texts(svg(replace(result, devices=odd)))


def test_what_was_not_measured_stays_empty() -> None:
    nothing = ((None, None), (None, None))
    devices = (Device("GPU", "gfx90a", "0000:c1:00.0", 0.0),) * 2
    result = Measurements(
        "amd", "2026-11-21", 1 << 20, 16, devices, nothing, (Way("kernel", nothing, nothing, nothing),)
    )
    assert "GPU 1" in texts(svg(result))
    assert [table.row_count for _, table in tables(result)] == [2, 2, 2]


def test_shares_are_of_what_is_promised_in_as_many_directions(result: Measurements) -> None:
    assert share(result, 0, 1, 225e9, 1) == pytest.approx(0.5)
    assert share(result, 0, 1, 225e9, 2) == pytest.approx(0.25)
    assert share(result, 0, 0, 4.8143e12 / 2, 1) == pytest.approx(1.0)
