from __future__ import annotations

from pathlib import Path

from hipport.mappings.compat import parse_provided
from hipport.mappings.loader import tables_folder
from hipport.mappings.tables import PROVIDED

PAGE = (Path(__file__).parents[2] / "docs" / "compat.md").read_text()


def test_every_header_is_described() -> None:
    provided = parse_provided((tables_folder() / PROVIDED).read_text(), "7.2")
    providers = [each for each, _ in (*provided.names.values(), *provided.members.values(), *provided.data.values())]
    headers = {each.header.rpartition("/")[2] for each in (*providers, *provided.includes.values())}
    assert {header for header in headers if f"\n| `{header}` |" not in PAGE} == set()
