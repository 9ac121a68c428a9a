"""The published JSON Schema agrees with the tables and with hipport's own checks."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from hipport.errors import HipportError
from hipport.mappings import loader
from hipport.mappings.overlays import read_overlays
from scripts import json_schema

VALIDATOR = jsonschema.Draft202012Validator(json_schema.build())


def mistakes(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_the_published_schema_is_that_of_the_code() -> None:
    assert json_schema.TARGET.read_text() == json_schema.text(), "run: python -m scripts.json_schema"
    jsonschema.Draft202012Validator.check_schema(json.loads(json_schema.text()))


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(loader.tables_folder().glob("*.yaml")), ids=lambda path: path.name)
def test_every_table_obeys_it(path: Path) -> None:
    if path.name != "releases.yaml":
        assert mistakes(path.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "function:\n  x: y\n",
        "functions: [x]\n",
        "functions:\n  x y: z\n",
        "functions:\n  x: y z\n",
        "functions:\n  x: y 1.0 experimental 2.0\n",
        "functions:\n  x: {hpi: y}\n",
        "functions:\n  x: {hip: y, cuda: 9.0 gone 10.0}\n",
        "functions:\n  x: {hip: y, args: [{wrap: 0}]}\n",
        "functions:\n  x: {hip: y, args: [{wrap: 0, append: z, with: a...b}]}\n",
        "functions:\n  x: {hip: y, args: [{rename: z}]}\n",
        "functions:\n  x: {hip: y, ordinary: often}\n",
        "headers:\n  <x.h>: y.h\n",
        "members:\n  T: {a: {roc: b}}\n",
        "groups:\n  - {match: '*', reason: none}\n",
    ],
)
def test_what_hipport_refuses_the_schema_refuses(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(HipportError):
        read_overlays((str(path),))
    assert mistakes(text)
