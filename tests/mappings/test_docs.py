"""The examples in `docs/mappings.md` agree with the tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from hipport.mappings import loader
from scripts import tablefile

TEXT = (Path(__file__).parents[2] / "docs/mappings.md").read_text()
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.S)


def shipped(section: str, name: str) -> list[Any]:
    tables = [tablefile.load(path) for path in loader.tables_folder().glob("*.yaml") if path.name != "releases.yaml"]
    contents = [table.sections.get(section) or table.rest.get(section) or {} for table in tables]
    return [content[name] for content in contents if name in content]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split()[1])
def test_examples_are_in_the_tables(block: str) -> None:
    text = block if not block.startswith(" ") else "functions:\n" + block
    ((section, content),) = yaml.load(text, Loader=yaml.CBaseLoader).items()
    if section == "groups":
        groups = [group for library in ("runtime", "driver") for group in table(library).rest["groups"]]
        assert all(group in groups for group in content)
        return
    for name, value in content.items():
        found = shipped(section, name)
        assert len(found) == 1, name
        if section == "members":
            assert value.items() <= found[0].items()
        elif section == "headers":
            assert value == found[0]
        else:
            assert (value if isinstance(value, dict) else {"hip": value}) == found[0]


def table(library: str) -> tablefile.TableFile:
    return tablefile.load(loader.tables_folder() / f"{library}.yaml")


def test_all_keys_are_described() -> None:
    for key in ("library", *tablefile.SECTIONS, "headers", "members", "groups"):
        assert f"`{key}`" in TEXT
    for key in ("cuda", "hip", "roc", "args", "reason", "alternative", "note", "ordinary", "drop", "arity", "before"):
        assert f"`{key}" in TEXT
