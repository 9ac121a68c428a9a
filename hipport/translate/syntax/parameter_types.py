"""The types in a parameter list."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Span
from hipport.translate.syntax.unit import Node


def parameter_types(parameters: Node) -> Iterator[Span]:
    """Yield the ranges of the parameters without their names and default values."""
    for parameter in parameters.named_children:
        end = parameter.end_byte
        inner = parameter.child_by_field_name("declarator")
        if (value := parameter.child_by_field_name("default_value")) is not None:
            end = value.prev_sibling.start_byte if value.prev_sibling is not None else end
        while inner is not None:
            if inner.type == "identifier":
                end = inner.start_byte
            inner = inner.child_by_field_name("declarator") or (inner.named_child(0) if inner.named_children else None)
        yield Span(parameter.start_byte, end)
