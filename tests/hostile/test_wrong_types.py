"""Values of a wrong type at every place of a configuration file: one error that names a file, or a result.

The places are those of the published JSON Schemas. For files without one they are those of a valid example.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hipport.builds.project_file import read_targets
from hipport.errors import HipportError
from hipport.mappings.overlays import read_overlays
from hipport.project.settings import find_settings
from tests.fuzz.targets import TARGETS

DOCS = Path(__file__).parents[2] / "docs"
WRONG: tuple[Any, ...] = (
    *(None, True, 1.5, "", "**a", "a\0b", "\ud800", [], ["x"], ["**a", "a\0"], {"a": "x"}, [{"kind": ["x"]}]),
    *({"": {"": []}}, 10**30),
)
ENTRIES = {
    "database": [
        {"directory": "HERE", "file": "a.cu", "command": "nvcc -DA a.cu", "arguments": ["nvcc"], "output": "a"}
    ],
    "state": {"schema": 1, "setup": {"rocm": "6.2"}, "files": {"a": {"input": "00", "output": "11", "conflict": True}}},
}
Wrap = Callable[[Any], Any]


def places(schema: dict[str, Any], node: dict[str, Any], wrap: Wrap) -> Iterator[Wrap]:
    """Yield functions that return a document with a value at one place of the schema."""
    node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    yield wrap
    needed = {name: _valid(node["properties"][name]) for name in node.get("required", ())}
    inner: list[tuple[dict[str, Any], Wrap]] = [
        *((each, wrap) for kind in ("anyOf", "oneOf") for each in node.get(kind, ())),
        *(
            (each, lambda value, name=name, needed=needed: wrap({**needed, name: value}))
            for name, each in node.get("properties", {}).items()
        ),
    ]
    if isinstance(node.get("additionalProperties"), dict):
        inner.append((node["additionalProperties"], lambda value: wrap({"a": value})))
    if "items" in node:
        inner.append((node["items"], lambda value: wrap([value])))
    for each, around in inner:
        yield from places(schema, each, around)


def _valid(node: dict[str, Any]) -> Any:
    return {"array": ["a.cu"], "integer": 0, "boolean": True}.get(str(node.get("type")), "y")


def documents(schema: dict[str, Any]) -> list[Any]:
    found = {
        json.dumps(wrap(value)): wrap(value) for wrap in places(schema, schema, lambda value: value) for value in WRONG
    }
    return [document for document in found.values() if isinstance(document, dict)]


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def read_settings(folder: Path, document: dict[str, Any]) -> None:
    lines = [f"{json.dumps(key)} = {toml(value)}\n" for key, value in document.items()]
    (folder / "hipport.toml").write_text("".join(lines))
    find_settings([str(folder)])
    if "targets" in document:
        read_targets(folder)


def read_table(folder: Path, document: dict[str, Any]) -> None:
    (folder / "own.yaml").write_text(json.dumps(document))
    read_overlays((str(folder / "own.yaml"),))


@pytest.mark.parametrize(("schema", "read"), [("hipport", read_settings), ("mappings", read_table)])
def test_wrong_values_in_settings_and_tables(
    schema: str, read: Callable[[Path, dict[str, Any]], None], tmp_path: Path
) -> None:
    rules = json.loads((DOCS / f"{schema}.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(rules)
    tried = documents(rules)
    assert len(tried) > 300
    for document in tried:
        try:
            read(tmp_path, document)
        except HipportError as error:
            assert str(tmp_path) in str(error), document
        else:  # all scalars of YAML are text to hipport
            assert schema == "mappings" or validator.is_valid(document), document


def changed(document: Any) -> Iterator[Any]:
    """Yield the document with each of its values replaced by each wrong one."""
    yield from WRONG
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, inner in items:
        for value in changed(inner):
            copy = document.copy()
            copy[key] = value
            yield copy


@pytest.mark.parametrize("target", ENTRIES)
def test_wrong_values_in_databases_and_state(target: str) -> None:
    for document in changed(ENTRIES[target]):
        with suppress(HipportError):
            TARGETS[target].run(json.dumps(document).encode())
