"""Write the JSON Schema of `hipport.toml`, made from the code that checks it, to `docs/hipport.schema.json`.

    python -m scripts.settings_schema

Editors with a TOML language server can use it: `#:schema hipport.schema.json` in the first line.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hipport.builds import project_file
from hipport.project.setting_keys import KEYS, TARGETS

TARGET = Path(__file__).parents[1] / "docs" / "hipport.schema.json"
_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}}


def build() -> dict[str, Any]:
    """Return the schema as an object."""
    keys = {name: {"description": key.about, **key.shape.schema} for name, key in KEYS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hipport.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {**keys, TARGETS: {"type": "object", "additionalProperties": _target()}},
    }


def text() -> str:
    """Return the text of the schema file."""
    return json.dumps(build(), indent=2) + "\n"


def _target() -> dict[str, Any]:
    return {
        "description": "what `hipport build` of the folder builds",
        "type": "object",
        "additionalProperties": False,
        "required": ["sources"],
        "properties": {
            **dict.fromkeys(project_file.LISTS, _TEXTS),
            **{key: {"type": "boolean"} for key in project_file.SWITCHES},
            "kind": {"enum": list(project_file.KINDS)},
            "std": {"type": "string", "pattern": r"^(c|gnu)\+\+\w\w$"},
        },
    }


if __name__ == "__main__":
    TARGET.write_text(text())
