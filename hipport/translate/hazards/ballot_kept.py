"""HP201: the ballot of a wavefront of 64 lanes stored in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic
from hipport.source import Edit, Replace
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.dataflow.function import Function, Variable, called, first_child, text_of
from hipport.translate.dataflow.masks import is_narrow
from hipport.translate.dataflow.origins import ballots
from hipport.translate.hazards import wavefront
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = wavefront.MASK_WORDS
_WIDE = "unsigned long long"


def run(work: Work) -> Iterator[Diagnostic]:
    """Report 32-bit variables that are assigned the ballot of a whole wavefront."""
    if wavefront.only_32(work) or not wavefront.may_hold_ballots(work):
        return
    for function in wavefront.mask_functions(work):
        for variable in function.variables.all():
            if (
                is_narrow(work.flow, variable)
                and _holds_ballot(work, function, variable)
                and _is_read(work, function, variable)
            ):
                yield _report(work, variable)


def _holds_ballot(work: Work, function: Function, variable: Variable) -> bool:
    return any(
        wavefront.is_whole(work, ballot) for value in variable.values for ballot in ballots(work.flow, value, function)
    )


def _is_read(work: Work, function: Function, variable: Variable) -> bool:
    """Return whether a variable is used other than as the mask of cross-lane functions, which a translation drops.

    A reference is: it is another name of something else.
    """
    return "&" in variable.text or any(
        function.variable(variable.name, node.start_byte) is variable and not _is_mask(work, node)
        for node in function.of_type("identifier")
        if text_of(node) == variable.name and node.start_byte != variable.place.start
    )


def _is_mask(work: Work, node: Node) -> bool:
    """Return whether a value is the mask of a `*_sync` function, or of a function of the file that uses it only so."""
    arguments = work.unit.parent(node)
    is_argument = arguments is not None and arguments.type == "argument_list"
    call = work.unit.parent(arguments) if arguments is not None and is_argument else None
    if arguments is None or call is None or call.type != "call_expression":
        return _is_target(work, node)
    at = work.unit.below(arguments).named[node.id]
    if called(call) in CROSS_LANE:
        return at == 0 and called(call).endswith("_sync")
    return any(_passes_mask(function, at) for function in work.flow.named(called(call)))


def only_passes_mask(work: Work, name: str, parameter: str) -> bool:
    """Return whether a function uses a parameter only as the mask of cross-lane functions."""
    return any(
        parameter in function.parameters and _passes_mask(function, function.parameters.index(parameter))
        for function in work.flow.named(name)
    )


def _is_target(work: Work, node: Node) -> bool:
    """Return whether a node is the left side of an assignment: `mask = ...`."""
    parent = work.unit.parent(node)
    return parent is not None and parent.type == "assignment_expression" and parent.child_by_field_name("left") == node


def _passes_mask(function: Function, at: int) -> bool:
    """Return whether a parameter is used only as the mask of cross-lane functions."""
    if at >= len(function.parameters):
        return False
    name = function.parameters[at]
    uses = [node for node in function.of_type("identifier") if text_of(node) == name]
    return all(_is_mask_of_builtin(function, node) for node in uses)


def _is_mask_of_builtin(function: Function, node: Node) -> bool:
    arguments = function.unit.parent(node)
    is_argument = arguments is not None and arguments.type == "argument_list"
    call = function.unit.parent(arguments) if arguments is not None and is_argument else None
    return call is not None and called(call) in CROSS_LANE and first_child(arguments) == node


def _report(work: Work, variable: Variable) -> Diagnostic:
    message = f"'{variable.name}' has 32 bits and loses the bits of lanes 32 to 63 of a ballot"
    advice = f"Make it {_WIDE}, and use __popcll, __ffsll and __clzll."
    return work.report(variable.place, "HP201", wavefront.severity(work), message, advice, _fix(variable))


def _fix(variable: Variable) -> tuple[Edit, ...]:
    if variable.parameter or not variable.alone:
        return ()
    return (Replace(variable.type_place.start, variable.type_place.end, _WIDE),)
