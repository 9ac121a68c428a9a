"""Values that flow from function to function of a file: results and arguments."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.source import Span
from hipport.translate.dataflow.flow import Flow
from hipport.translate.dataflow.function import Function, Variable, called, text_of, walk
from hipport.translate.syntax.unit import Node


def return_type(definition: Node) -> str:
    """Return the type that a function or lambda returns, as written; `auto` for a lambda without one."""
    for node in walk(definition):
        if node.type == "trailing_return_type":
            return text_of(node).removeprefix("->").strip()
        if node.type == "compound_statement":
            break
    kind, declarator = definition.child_by_field_name("type"), definition.child_by_field_name("declarator")
    if kind is None or declarator is None:
        return "auto"
    return text_of(kind) + ("*" if declarator.type == "pointer_declarator" else "")


def returns(definition: Node) -> Iterator[Node]:
    """Yield the expressions that a function or lambda returns."""
    waiting = [node for node in definition.named_children if node.type == "compound_statement"]
    while waiting:
        node = waiting.pop()
        if node.type == "return_statement":
            yield from node.named_children[:1]
        elif node.type not in ("lambda_expression", "function_definition"):
            waiting += reversed(node.named_children)


def callees(flow: Flow, call: Node, function: Function) -> Iterator[tuple[Node, Function]]:
    """Yield the definition of each function of the file, or lambda of the function, that a call may mean."""
    name = called(call)
    variable = function.variable(name, call.start_byte)
    if variable is not None:
        yield from ((value, function) for value in variable.values if value.type == "lambda_expression")
    elif name in flow.unit.words:
        yield from ((other.node, other) for other in flow.named(name))


def arguments(flow: Flow, function: Function, variable: Variable) -> Iterator[tuple[Node, Function]]:
    """Yield what calls in the file hand over for a parameter, and the function in which they do."""
    if variable.name not in function.parameters or not function.name:
        return
    at = function.parameters.index(variable.name)
    for _, offset in flow.unit.occurrences(frozenset({function.name})):
        caller = flow.function_at(offset)
        call = flow.unit.enclosing(Span(offset, offset + len(function.name)), "call_expression")
        if caller is None or call is None or called(call) != function.name:
            continue
        given = call.child_by_field_name("arguments")
        callee = call.child_by_field_name("function")
        if given is not None and callee is not None and callee.end_byte >= offset and at < given.named_child_count:
            yield given.named_children[at], caller
