"""Atomic functions that a project defines because CUDA lacks them, and that HIP has: `atomicMax(float*, float)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.dataflow.function import Function
from hipport.diagnostics import Diagnostic, Severity
from hipport.passes.guarding import guard
from hipport.passes.work import Work
from hipport.source import Edit, Span
from hipport.syntax.platforms import Platform, platform_at
from hipport.syntax.unit import Node

_NAMES = frozenset({"atomicMin", "atomicMax"})
_TYPES = frozenset({"float", "double"})


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard the definitions, since HIP's have the same parameters."""
    if work.unit.words.isdisjoint(_NAMES):
        return
    own = [function for function in work.flow.device_functions if _has_counterpart(work, function)]
    for function in own:
        message = f"{function.name}({_kind(function)}*, {_kind(function)}) gives way to HIP's function of this name"
        advice = "CUDA has none. If this one does something else, give it another name."
        place = Span(function.node.start_byte, function.node.end_byte)
        yield work.report(place, "HP111", Severity.NOTE, message, advice)
    yield from guard(work.unit, [function.node for function in own], "HIP has this")


def _has_counterpart(work: Work, function: Function) -> bool:
    at_file_scope = function.node.parent is not None and function.node.parent.type == "translation_unit"
    return (
        function.name in _NAMES
        and at_file_scope
        and _kind(function) in _TYPES
        and platform_at(work.unit, function.node.start_byte) is not Platform.NVIDIA
    )


def _kind(function: Function) -> str:
    """The type T of a function that takes (T*, T); empty for others."""
    declarator: Node | None = function.node
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    text = parameters.text.decode("ascii", "replace") if parameters is not None and parameters.text else ""
    match = re.fullmatch(r"\(\s*(\w+)\s*\*\s*(?:const\s+)?\w*\s*,\s*(?:const\s+)?(\w+)\s+\w+\s*\)", text)
    return match[1] if match is not None and match[1] == match[2] else ""
