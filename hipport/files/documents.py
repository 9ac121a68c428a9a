"""Parsing of external JSON, TOML and YAML, with limits on size and nesting.

Parsers of these formats recurse: deep nesting raises RecursionError, and crashes PyYAML's C loader with a segmentation
fault. So the depth is measured first, without recursion.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hipport import lazy_re as re
from hipport.errors import HipportError
from hipport.files.paths import is_possible
from hipport.files.sources import open_regular

if TYPE_CHECKING:
    import yaml

DEEPEST = 100
"""Maximum nesting depth. Compilation databases have 3 levels, mapping tables 6, model configurations 5."""
LARGEST_SETTINGS = 1 << 20
LARGEST_TABLE = 16 << 20
LARGEST_JSON = 256 << 20
"""Maximum sizes in bytes of TOML, YAML and JSON files, in this order."""
_MOST_ALIASES = 1000

_JSON_STEP = dict(zip(b"[{]}", (1, 1, -1, -1), strict=True))
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TOML_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[{]|[\]}]|\.|[,=\n]', re.DOTALL
)


def read_bounded(path: str | Path, largest: int, hint: str | None = None) -> bytes:
    """Return the bytes of a regular file. Raises OSError, and HipportError for a file above `largest` bytes."""
    if not is_possible(str(path)):
        raise HipportError(f"{str(path)!a} is not a valid path", hint=hint)
    with open_regular(str(path)) as file:
        if os.fstat(file.fileno()).st_size <= largest:
            data = file.read(largest + 1)
            if len(data) <= largest:
                return data
    raise HipportError(f"{path}: larger than the limit of {largest >> 20} MiB for such files", hint=hint)


def read_text(path: str | Path, largest: int, hint: str | None = None) -> str:
    """Return the text of a regular file. Raises as `read_bounded`, and HipportError if it is not UTF-8."""
    try:
        return read_bounded(path, largest, hint).decode()
    except UnicodeDecodeError as error:
        raise HipportError(f"{path}: not UTF-8 at byte {error.start}", hint=hint) from None


def parse_json(data: bytes | str, where: str, hint: str | None = None) -> Any:
    """Return the value of a JSON document. Raises ValueError if it is malformed, HipportError if it is too deep."""
    import json  # most runs read TOML only, if anything

    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if _is_deep(raw):
        _too_deep(where, hint)
    try:
        return json.loads(data)
    except RecursionError:  # json.loads accepts UTF-16, too
        _too_deep(where, hint)


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table of a TOML document. Raises HipportError if it is malformed or too deep."""
    depth = dots = 0
    for token in _TOML_TOKEN.finditer(text):
        first = token[0][0]
        depth += (first in "[{") - (first in "]}")
        dots = dots + 1 if first == "." else 0 if first in ",=\n" else dots
        if max(depth, dots) > DEEPEST:
            _too_deep(where, None)
    try:
        tomllib = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        content: dict[str, Any] = tomllib.loads(text)
        return content
    except ModuleNotFoundError:
        raise HipportError(f"{where}: reading TOML with Python 3.10 needs tomli", hint="pip install tomli") from None
    except RecursionError:
        _too_deep(where, None)
    except ValueError as error:
        raise HipportError(f"{where}: not valid TOML: {error}") from None


def compose_yaml(text: str, where: str) -> yaml.Node | None:
    """Return the root node of a YAML document, None for an empty one.

    Raises HipportError for malformed text, nesting above `DEEPEST`, and aliases inside anchored collections, whose
    expansion would grow exponentially or never end.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if len(text) > LARGEST_TABLE:
        raise HipportError(f"{where}: larger than the limit of {LARGEST_TABLE >> 20} MiB for such files")
    try:
        _check_events(yaml.parse(text, Loader=loader), where)
        node: yaml.Node | None = yaml.compose(text, Loader=loader)
        return node
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise HipportError(f"{where}:{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise HipportError(f"{where}:1: not valid YAML: {str(error).splitlines()[0]}") from None


def _check_events(events: Any, where: str) -> None:
    """Raise HipportError if nesting or aliases exceed the limits. The event parser does not recurse."""
    import yaml

    anchored: list[bool] = []
    aliases = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            anchored.append(event.anchor is not None)
            if len(anchored) > DEEPEST:
                _too_deep(f"{where}:{_line(event)}", None)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchored.pop()
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if any(anchored) or aliases > _MOST_ALIASES:
                hint = "Write the value out in full."
                raise HipportError(f"{where}:{_line(event)}: too many aliases, or nested ones", hint=hint)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _is_deep(data: bytes) -> bool:
    """Return whether brackets outside strings are nested too deep."""
    # Without escapes, every second quote ends a string: splitting there is ten times as fast as matching the strings.
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in data else data
    brackets = b"".join(plain.split(b'"')[::2]).translate(None, _NO_BRACKETS)
    return max(itertools.accumulate(map(_JSON_STEP.__getitem__, brackets)), default=0) > DEEPEST


def _too_deep(where: str, hint: str | None) -> NoReturn:
    raise HipportError(f"{where}: nested more than {DEEPEST} levels deep", hint=hint or "Such files need fewer levels.")
