"""Imports follow `scripts/architecture/layers.toml`, there are no cycles, and the picture is up to date."""

from __future__ import annotations

import pytest

from scripts.architecture.__main__ import PICTURE
from scripts.architecture.imports import Graph, circle, direct, levels, module_imports, part_imports
from scripts.architecture.picture import GROUND, PARTS, draw
from scripts.architecture.table import read_table

TABLE = read_table()


@pytest.fixture(scope="module")
def imports() -> Graph:
    return module_imports()


@pytest.mark.parametrize("package", TABLE)
def test_parts_import_what_the_table_allows_and_nothing_else(package: str, imports: Graph) -> None:
    found = part_imports(imports, package)
    assert {part: sorted(names) for part, names in found.items()} == {
        part: sorted(names) for part, names in TABLE[package].items()
    }


@pytest.mark.parametrize("package", TABLE)
def test_a_part_stands_after_those_that_it_imports(package: str) -> None:
    before: set[str] = set()
    for part, names in TABLE[package].items():
        assert before.issuperset(names), part
        before.add(part)


def test_no_modules_import_each_other_in_a_circle(imports: Graph) -> None:
    assert len(imports) > 500
    assert circle(imports) == []


def test_the_picture_is_that_of_the_table() -> None:
    parts = TABLE["hipport"].keys() - {"__main__"}
    assert parts == {*GROUND, *PARTS}
    assert PICTURE.read_text(encoding="utf-8") == draw(TABLE["hipport"]), "run: python -m scripts.architecture"


def test_circles_levels_and_direct_imports() -> None:
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert (circle(graph), levels(graph)) == ([], {"c": 1, "b": 2, "a": 3})
    assert direct(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}
    assert {"a", "c"} <= set(circle(graph | {"c": {"a"}}))
