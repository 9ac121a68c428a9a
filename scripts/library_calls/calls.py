"""Calls of declared functions, and a program of them with one call in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from scripts.library_calls.declarations import Declaration, Parameter, of_device, of_threads, of_thrust

_READERS = {"device": of_device, "threads": of_threads, "thrust": of_thrust}
FAMILIES = tuple(_READERS)
_MARK = re.compile(r"// call (\d+)\Z")


@dataclass(frozen=True, slots=True)
class Family:
    """Functions of which calls are made in the same way (families.yaml)."""

    name: str
    rules: Mapping[str, Any]

    def calls(self, include: Path) -> list[str]:
        """Return the calls of all functions that CUDA's headers declare, each once."""
        found = (call for declaration in _READERS[self.name](include) for call in self._of(declaration))
        return list(dict.fromkeys(found))

    def program(self, calls: Sequence[str], include: Path) -> str:
        """Return a program whose lines with calls end with their numbers."""
        own = sorted({f"thrust/{each.header}" for each in of_thrust(include)}) if self.name == "thrust" else []
        included = "".join(f"#include <{header}>\n" for header in [*own, *self.rules["headers"]])
        lines = (self.rules["line"].format(number=i, call=call) + f"  // call {i}\n" for i, call in enumerate(calls))
        return f"{included}\n{self.rules['begin']}{''.join(lines)}{self.rules['end']}\n"

    def _of(self, declaration: Declaration) -> Iterator[str]:
        """Yield calls without and with the parameters that have defaults, and with other values."""
        if re.search(self.rules["left_out"], declaration.name):
            return
        for parameters in (
            [each for each in declaration.parameters if not each.is_optional],
            list(declaration.parameters),
        ):
            values = [self._value(declaration.name, each) for each in parameters]
            if None in values:
                return
            written = self._instead([value for value in values if value is not None])
            yield from self._written(declaration, written)
            others = [self.rules["also"].get(value, value) for value in written]
            if others != written:
                yield from self._written(declaration, others)

    def _value(self, function: str, parameter: Parameter) -> str | None:
        for rule in self.rules["rules"]:
            if (
                re.search(rule.get("function", ""), function)
                and re.search(rule.get("text", ""), parameter.text)
                and re.fullmatch(rule.get("name", ".*"), parameter.name)
            ):
                return str(rule["value"])
        return None

    def _instead(self, values: list[str]) -> list[str]:
        for value, others in self.rules["instead"].items():
            if value in values:
                return [others.get(each, each) for each in values]
        return values

    def _written(self, declaration: Declaration, values: list[str]) -> Iterator[str]:
        joined = ", ".join(values)
        if "policies" in self.rules:
            for policy in self.rules["policies"]:
                yield f"thrust::{declaration.name}({', '.join(filter(None, [policy, joined]))});"
        elif declaration.owner and "classes" in self.rules:
            if declaration.owner in self.rules["classes"]:
                yield self._of_class(declaration, values)
        elif declaration.owner:
            yield f"cub::{declaration.owner}::{declaration.name}{self._template(declaration)}({joined});"
        else:
            yield f"cub::{declaration.name}{self._template(declaration)}({joined});"

    def _of_class(self, declaration: Declaration, values: list[str]) -> str:
        owner = self.rules["classes"][declaration.owner]
        if "values" not in values:
            owner = self.rules["without_values"].get(declaration.owner, owner)
        if "Decomposer{}" in values:
            owner = owner.replace("<int", "<Pair")
        call = f"Type(storage).{declaration.name}({', '.join(values)});"
        return f"{{ typedef cub::{owner} Type; __shared__ typename Type::TempStorage storage; {call} }}"

    def _template(self, declaration: Declaration) -> str:
        written = [
            *(text for part, text in self.rules["templates"].items() if part in declaration.name),
            *(text for part, text in self.rules.get("threads", {}).items() if part in declaration.template),
        ]
        return str(written[0]) if written else ""


@cache
def families() -> Mapping[str, Family]:
    """Return the families by name."""
    text = Path(__file__).with_name("families.yaml").read_text(encoding="utf-8")
    return {name: Family(name, rules) for name, rules in yaml.safe_load(text).items()}


def number_in(line: str) -> int | None:
    """Return the number of the call in a line of a program, or of its translation."""
    found = _MARK.search(line.rstrip())
    return int(found[1]) if found else None
