"""Read a YAML file such that every error in it can be reported by file, line and key."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator
from typing import NoReturn, TypeVar

import yaml
from msgspec import Struct

from hipport.errors import HipportError
from hipport.files.documents import compose_yaml

_T = TypeVar("_T")


class Value(Struct, frozen=True):
    """A node of the document with its path: `key` is `functions.cudaMalloc.hip`."""

    file: str
    key: str
    node: yaml.Node

    @property
    def line(self) -> int:
        """Return the line, counted from 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def is_null(self) -> bool:
        return self.node.tag == "tag:yaml.org,2002:null"

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        """Raise a HipportError that names this place."""
        where = f"{self.file}:{self.line}: " + (f"{self.key}: " if self.key else "")
        raise HipportError(where + message, hint=hint)

    def text(self) -> str:
        """Return the scalar as spelled: `12.0` stays `12.0`."""
        if not isinstance(self.node, yaml.ScalarNode) or self.is_null or not self.node.value.strip():
            self.fail("expected a string")
        return str(self.node.value).strip()

    def says(self, word: str) -> bool:
        """Return whether it is the scalar `word`."""
        return isinstance(self.node, yaml.ScalarNode) and self.node.value == word

    def parsed(self, parse: Callable[[str], _T]) -> _T:
        """Return the text parsed by `parse`, whose ValueError is reported as an error at this place."""
        try:
            return parse(self.text())
        except ValueError as error:
            self.fail(str(error), "the notation is: NAME ADDED deprecated VERSION changed VERSION removed VERSION")

    def flag(self) -> bool:
        """Parse `true` or `false`."""
        if self.text() not in ("true", "false"):
            self.fail(f"{self.text()!r} is not true or false")
        return self.text() == "true"

    def items(self) -> Iterator[Value]:
        """Yield the elements of a list; a single value counts as a list of one."""
        if not isinstance(self.node, yaml.SequenceNode):
            yield self
            return
        for number, node in enumerate(self.node.value):
            yield Value(self.file, f"{self.key}[{number}]", node)

    def members(self, allowed: Collection[str] | None = None) -> dict[str, Value]:
        """Return the keys and values of a mapping, empty for null; duplicate and unknown keys raise."""
        if self.is_null:
            return {}
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("expected a mapping")
        found: dict[str, Value] = {}
        for key_node, node in self.node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                Value(self.file, self.key, key_node).fail("expected a plain word as the key")
            key = str(key_node.value)
            value = Value(self.file, f"{self.key}.{key}" if self.key else key, node)
            at_key = Value(self.file, value.key, key_node)
            if key in found:
                at_key.fail(f"duplicate; first given in line {found[key].line}", "remove one of the two lines")
            if allowed is not None and key not in allowed:
                at_key.fail("unknown key" + _suggestion(key, allowed), f"allowed here: {', '.join(sorted(allowed))}")
            found[key] = value
        return found


def read(text: str, file: str) -> Value:
    """Return the root of a YAML document; `file` is its name in errors."""
    node = compose_yaml(text, file)
    if node is None:
        raise HipportError(f"{file}:1: the file is empty")
    return Value(file, "", node)


def _suggestion(key: str, allowed: Collection[str]) -> str:
    close = difflib.get_close_matches(key, allowed, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
