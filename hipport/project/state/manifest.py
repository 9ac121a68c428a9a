"""The manifest of an output tree, which records what hipport made of which input; to be committed with the tree.

JSON with one sorted line per file, without absolute paths or times, so that it changes only when the tree does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from hipport import lazy_re as re
from hipport.errors import HipportError
from hipport.files.documents import parse_json

_SCHEMA = 1
_DIGEST = re.compile(r"[0-9a-f]{40}")


class ManifestEntry(Struct, frozen=True):
    """The record of one output file.

    `source`: the input file that it comes from, as a path in the layout of the output. `input`: digest of that file.
    `output`: digest of what hipport made of it, which is the base of a hand edit. `alone`: the file was named by
    itself, not as part of a tree. `conflict`: it was merged and has parts to be resolved by hand.
    """

    source: str
    input: str
    output: str
    alone: bool = False
    conflict: bool = False


class Manifest(Struct, frozen=True):
    """The setup that all translations depend on (see `hipport.project.state.setup`), and the entries by output file."""

    setup: Mapping[str, Any] = field(default_factory=dict)
    entries: Mapping[str, ManifestEntry] = field(default_factory=dict)


def to_text(manifest: Manifest, results: Mapping[str, str] | None = None) -> str:
    """Return the text of a manifest; a journal also stores `results`."""
    head = {"schema": _SCHEMA, "setup": dict(sorted(manifest.setup.items()))}
    if results is not None:
        head["results"] = dict(results)
    lines = [
        f"  {json.dumps(name)}: {json.dumps(_compact(name, entry))}" for name, entry in sorted(manifest.entries.items())
    ]
    files = ",\n".join(lines)
    return f'{json.dumps(head, indent=2)[:-2]},\n  "files": {{\n{files}\n  }}\n}}\n'


def from_text(text: str, where: str) -> tuple[Manifest, dict[str, str]]:
    """Return a manifest and the results stored with it; HipportError for text that hipport never writes."""
    hint = "Restore it from version control, or remove it: all files then count as not written by hipport."
    try:
        data = parse_json(text, where, hint)
        if data["schema"] > _SCHEMA:
            raise HipportError(f"{where} was written by a newer hipport", hint="Use that release or a later one.")
        entries = {_inner(name): _entry(name, value) for name, value in data["files"].items()}
        results = {_inner(name): _digest(value) for name, value in data.get("results", {}).items()}
        return Manifest(dict(data["setup"]), entries), results
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise HipportError(f"{where} is damaged: {error!r}", hint=hint) from None


def is_inner(path: str) -> bool:
    """Return whether a relative path surely lies below its base folder."""
    return all(part not in ("", ".", "..") for part in path.split("/")) and "\0" not in path


def _compact(name: str, entry: ManifestEntry) -> dict[str, Any]:
    known = {"input": entry.input}
    if entry.output != entry.input:
        known["output"] = entry.output
    if entry.source != name:
        known["source"] = entry.source
    return known | {flag: True for flag in ("alone", "conflict") if getattr(entry, flag)}


def _entry(name: str, value: Mapping[str, Any]) -> ManifestEntry:
    flags = {flag: bool(value.get(flag, False)) for flag in ("alone", "conflict")}
    made = value.get("output", value["input"])
    return ManifestEntry(_inner(value.get("source", name)), _digest(value["input"]), _digest(made), **flags)


def _inner(path: str) -> str:
    if not is_inner(path):
        raise ValueError(f"{path!r} is not a path inside the tree")
    return path


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError(f"{text!r} is not a digest")
    return text
