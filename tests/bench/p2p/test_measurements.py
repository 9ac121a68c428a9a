"""The JSON of a measurement survives a round trip, and other JSON is rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.bench.p2p.measurements import Device, Link, Measurements, Way, read_result, write_result
from hipport.errors import HipportError

STORED = Path(__file__).parents[3] / "docs/data/p2p-h200-x4.json"


@st.composite
def results(draw: st.DrawFn) -> Measurements:
    size = draw(st.integers(1, 4))
    value = st.none() | st.floats(1e-9, 1e13)
    text = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
    link = st.none() | st.builds(Link, text, st.none() | st.integers(1, 32))

    def square(cell: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.tuples(*[st.tuples(*[cell] * size)] * size)

    return Measurements(
        draw(text),
        draw(text),
        draw(st.integers(1, 2**40)),
        16,
        draw(st.tuples(*[st.builds(Device, text, text, text, st.just(0.0) | st.floats(1e-9, 1e13))] * size)),
        draw(square(link)),
        tuple(draw(st.lists(st.builds(Way, text, square(value), square(value), square(value)), max_size=2))),
    )


@given(results())
def test_what_is_written_comes_back(tmp_path_factory: pytest.TempPathFactory, result: Measurements) -> None:
    path = tmp_path_factory.mktemp("result") / "result.json"
    write_result(path, result)
    assert read_result(path) == result


def test_a_stored_measurement_is_read() -> None:
    result = read_result(STORED)
    assert [device.architecture for device in result.devices] == ["sm_90"] * 4
    assert result.links[0][1:] == (Link("NVLink", 18),) * 3
    assert result.ways[0].both_ways[2][2] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "unsupported format 2"),
        ({"devices": []}, "is not a result"),
        ({"devices": [{"name": "x"}] * 4}, "is not a result"),
        ({"links": [[None]]}, "is not a result"),
        ({"ways": [{"name": "x", "one_way": [[1]], "both_ways": [[1]], "latency": [[1]]}]}, "is not a result"),
        ({"ways": [{"name": "x", "one_way": "abcd", "both_ways": [], "latency": []}]}, "is not a result"),
        ({"ways": 3}, "is not a result"),
        ({"bytes": 0}, "positive number, not 0"),
        ({"bytes": float("nan")}, "positive number, not nan"),
        ({"date": "\x1b[2J"}, "string of one line"),
    ],
)
def test_what_is_none_is_said_to_be_none(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(json.loads(STORED.read_text()) | change))
    with pytest.raises(HipportError, match=said):
        read_result(path)


@pytest.mark.parametrize("text", ["", "{}", "[]", "3", "\x00", '{"format": 1}', "[" * 100_000])
def test_other_files_are_said_to_be_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(HipportError, match=r"is not a result|nested more than 100 levels deep"):
        read_result(path)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="cannot write"):
        write_result(tmp_path / "missing/result.json", read_result(STORED))
