"""Definitions `void app::f(int) {}` outside of a namespace that declares `f` with other parameters only.

nvcc takes such a device function for another overload. HIP's compilers reject it, because a qualified name has to be
declared before. The definition is put into its namespace, which means the same if it matches a declaration after all.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import Found, functions, name_of, owner_of, signature_of
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_QUALIFIED = re.compile(r"((?:[A-Za-z_]\w*\s*::\s*)+)[A-Za-z_]\w*\Z")
_BOUNDS = re.compile(r"\[[^][]*\]")
_SCOPE = re.compile(r"[A-Za-z_]\w*")
WORDS = (frozenset({"namespace"}), frozenset({"__device__"}))


class _Function(Struct, frozen=True):
    """A function's name with its scopes, and what tells it from its overloads."""

    path: str
    overload: tuple[str, ...]


def run(work: Work) -> Iterator[Edit]:
    """Put the definitions that match no declaration of the file into the namespaces that they name."""
    unit = work.unit
    if "::" not in unit.code or is_hip(work):
        return
    for group in functions(unit).values():
        outside = [each for each in group if each.is_definition and each.decorated and _scopes(unit, each.node)]
        if outside:
            declared = {_function(unit, each.node) for each in group if not _scopes(unit, each.node)}
            for each in outside:
                yield from _moved(unit, each, declared)


def _moved(unit: Unit, found: Found, declared: set[_Function | None]) -> Iterator[Edit]:
    function, owner, name = _function(unit, found.node), owner_of(unit, found.node), name_of(unit, found.node)
    if function is None or owner is None or name is None or function in declared:
        return
    if not any(each is not None and each.path == function.path for each in declared):
        return
    span, scopes = declaration(unit, name.start, owner.end_byte), _scopes(unit, found.node)
    if span is None or not _are_namespaces(unit, scopes):
        return
    opened = "".join(f"namespace {scope} {{ " for scope in scopes)
    yield Wrap(span.start, span.end, opened, " }" * len(scopes))
    last = _last(unit, name)
    yield Replace(name.start, last, "")


def _last(unit: Unit, name: Span) -> int:
    """Return where the last part of a qualified name begins."""
    match = _QUALIFIED.fullmatch(unit.code, name.start, name.end)
    return match.end(1) if match is not None else name.start


def _scopes(unit: Unit, declarator: Node) -> tuple[str, ...]:
    """Return the scopes that are written in front of a function's name."""
    name = name_of(unit, declarator)
    match = _QUALIFIED.fullmatch(unit.code, name.start, name.end) if name is not None else None
    return tuple(_SCOPE.findall(match[1])) if match is not None else ()


def _are_namespaces(unit: Unit, scopes: tuple[str, ...]) -> bool:
    named = {word for node in unit.all_of("namespace_definition") for word in _words(unit, node)}
    return named.issuperset(scopes)


def _words(unit: Unit, namespace: Node) -> list[str]:
    name = namespace.child_by_field_name("name")
    return _SCOPE.findall(unit.code[name.start_byte : name.end_byte]) if name is not None else []


def _function(unit: Unit, declarator: Node) -> _Function | None:
    owner = owner_of(unit, declarator)
    if owner is None:
        return None
    path, *overload = signature_of(unit, declarator, owner)
    bounds = _BOUNDS.findall(unit.code, declarator.start_byte, declarator.end_byte)
    return _Function(path, (*overload, *bounds, *_template(unit, owner)))


def _template(unit: Unit, owner: Node) -> tuple[str, ...]:
    """Return the number of template parameters of a function, as text; nothing without `template`."""
    around = unit.parent(owner)
    head = around.child_by_field_name("parameters") if around is not None else None
    return (str(len(head.named_children)),) if head is not None else ()
