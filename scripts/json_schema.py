"""Write the JSON Schema of the mapping tables, derived from the code that checks them, to `docs/mappings.schema.json`.

    python -m scripts.json_schema

Editors with a YAML language server can use it: `# yaml-language-server: $schema=mappings.schema.json`. It describes
the structure; errors that involve the whole table (a duplicate name, a group that matches nothing) are only reported
by hipport.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hipport.mappings import arguments, life, schema

TARGET = Path(__file__).parents[1] / "docs" / "mappings.schema.json"
_VERSION = life.VERSION.pattern.removesuffix(r"\Z")
_TEXT = {"type": "string", "minLength": 1}
_ABOUT = {
    "library": "the name of the file without .yaml; an overlay may go without",
    "versions": "the product whose versions `cuda` counts, where that is not CUDA: cuDNN",
    "extends": "overlays that this one stands on, seen from its folder",
    "headers": "what to include instead",
    "members": "members of CUDA types that HIP calls otherwise or lacks",
    "groups": "reasons that many names without a counterpart share",
    "namespaces": "C++ namespaces",
}


def build() -> dict[str, Any]:
    """Return the schema as an object."""
    sections = {name: _names(name) for name in schema.SECTIONS}
    properties = {
        "library": _TEXT,
        "versions": _TEXT,
        "extends": _one_or_more(_TEXT),
        **sections,
        "headers": _mapping(schema.HEADER, {"$ref": "#/$defs/header"}),
        "members": _mapping(schema.CUDA_NAME, _mapping(schema.CUDA_NAME, {"$ref": "#/$defs/member"})),
        "groups": {"type": "array", "items": {"$ref": "#/$defs/group"}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hipport mapping table",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key: {"description": _ABOUT.get(key, f"{key} of CUDA"), **value} for key, value in properties.items()
        },
        "$defs": {
            "life": {"type": ["string", "number"], "pattern": _life()},
            "entry": _value(schema.NAME, schema.ENTRY_KEYS),
            "header": _value(schema.HEADER, schema.HEADER_KEYS),
            "member": _value(schema.MEMBER, schema.MEMBER_KEYS),
            "group": _object(schema.GROUP_KEYS, match=_one_or_more(_TEXT)) | {"required": sorted(schema.GROUP_KEYS)},
            "change": _change(),
        },
    }


def text() -> str:
    """Return the text of the schema file."""
    return json.dumps(build(), indent=2) + "\n"


def _names(section: str) -> dict[str, Any]:
    return _mapping(schema.CUDA_NAME, {"$ref": "#/$defs/entry"})


def _mapping(names: re.Pattern[str], value: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": ["object", "null"],
        "propertyNames": {"pattern": _whole(names)},
        "additionalProperties": value,
    }


def _value(names: re.Pattern[str], keys: frozenset[str]) -> dict[str, Any]:
    """Return the schema of a name's value: a counterpart, several, nothing, or a mapping with more fields."""
    target = {"type": "string", "pattern": _target(names)}
    short: list[dict[str, Any]] = [{"type": "null"}, _one_or_more(target)]
    return {"anyOf": [*short, _object(keys, hip=_one_or_more(target), roc=_one_or_more(target))]}


def _object(keys: frozenset[str], **special: dict[str, Any]) -> dict[str, Any]:
    known = {
        "cuda": {"$ref": "#/$defs/life"},
        "args": _one_or_more({"$ref": "#/$defs/change"}),
        "ordinary": {"type": "boolean"},
        "drop": {"type": "boolean"},
        "typedef": {"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": r"^[A-Za-z_]\w*$"}]},
        **special,
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {key: known.get(key, _TEXT) for key in sorted(keys)},
    }


def _change() -> dict[str, Any]:
    """Return the schema of an argument change: an operation, its operands, and the limits common to all operations."""
    number, version = {"type": "integer", "minimum": 0}, {"$ref": "#/$defs/life"}
    limits = {"arity": number, "before": version, "cuda": version, "given": {"type": "string"}}
    assert set(limits) == arguments.OPTIONS
    text = {"type": ["string", "number", "boolean"]}
    values = {op: number if op in ("wrap", "remove", "replace") else text for op in arguments.OPERATIONS}
    extras = {"with": text, "at": number}
    return {
        "oneOf": [
            {
                "type": "object",
                "additionalProperties": False,
                "properties": {op: value, **{key: extras[key] for key in sorted(arguments.needs(op))}, **limits},
                "required": [op, *sorted(arguments.needs(op)), *(["arity"] if op in arguments.ABOUT_THE_CALL else [])],
            }
            for op, value in values.items()
        ]
    }


def _one_or_more(value: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [value, {"type": "array", "items": value}]}


def _whole(pattern: re.Pattern[str]) -> str:
    return f"^(?:{pattern.pattern.removesuffix(chr(92) + 'Z')})$"


def _life() -> str:
    events = "|".join(life.EVENTS[1:])
    return rf"^(?:{_VERSION})?(?:(?:^| )(?:{events}) {_VERSION})*$"


def _target(names: re.Pattern[str]) -> str:
    name = names.pattern.removesuffix(r"\Z")
    return rf"^(?:{name})(?: {_VERSION})?(?: (?:{'|'.join(life.EVENTS[1:])}) {_VERSION})*(?: experimental)?$"


if __name__ == "__main__":
    TARGET.write_text(text())
