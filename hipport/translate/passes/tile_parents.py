"""`template <unsigned N> f(thread_block_tile<N> tile)`: let a tile's parent be deduced, too.

In CUDA a tile with a parent is derived from the one without, so that a function that names no parent takes both. In HIP
it only converts, which template arguments are not deduced through.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_TILE = "thread_block_tile"
_PARENT = "HipportParent"
_TEMPLATE = "template_declaration"
_SIZES = ("unsigned", "unsigned int", "uint32_t", "uint", "auto")
"""The types of a template parameter that a tile's size is deduced for: an `int` has to be named at each call."""
_OUTER = re.compile(rf"\s*(?:(?:::\s*)?\w+\s*::\s*)*{_TILE}\s*<(?P<size>[^<>,]+)(?:,.*)?>\s*", re.DOTALL)
_AS_PARENT = "hipport::compat::TileAsParent"
WORDS = (frozenset({_TILE}),)


def run(work: Work) -> Iterator[Edit]:
    """Add template parameters for the parents of tiles whose size is deduced."""
    unit = work.unit
    if is_hip(work):
        return
    found: dict[int, tuple[Node, list[Node]]] = {}
    for name, offset in unit.occurrences(frozenset({_TILE})):
        tile = unit.enclosing(Span(offset, offset + len(name)), "template_type")
        around = _function_template(unit, tile) if tile is not None else None
        if tile is not None and around is not None and platform_at(unit, offset) is not Platform.NVIDIA:
            found.setdefault(around.start_byte, (around, []))[1].append(tile)
        if tile is not None and platform_at(unit, offset) is not Platform.NVIDIA:
            yield from _named_parent(tile)
    for around, tiles in found.values():
        yield from _deduced(around, tiles)


def _named_parent(tile: Node) -> Iterator[Edit]:
    """Name the parent as hipport's tiles of tiles do, in `thread_block_tile<4, thread_block_tile<32>>`."""
    arguments = tile.child_by_field_name("arguments")
    named = arguments.named_children if arguments is not None else []
    parent = _OUTER.fullmatch(text_of(named[1])) if len(named) == 2 else None
    if parent is not None and not tile.has_error:
        yield Replace(named[1].start_byte, named[1].end_byte, f"{_AS_PARENT}<{parent['size'].strip()}>", whole=True)


def _function_template(unit: Unit, tile: Node) -> Node | None:
    """Return the template whose parameter a tile's type is in, if the function is that template's own."""
    node = unit.enclosing(Span(tile.start_byte, tile.end_byte), "parameter_declaration")
    listed = unit.parent(node) if node is not None else None
    function = unit.parent(listed) if listed is not None and listed.type == "parameter_list" else None
    while function is not None and function.type in (
        "function_declarator",
        "reference_declarator",
        "pointer_declarator",
    ):
        function = unit.parent(function)
    around = unit.parent(function) if function is not None else None
    return around if around is not None and around.type == _TEMPLATE and not tile.has_error else None


def _deduced(around: Node, tiles: list[Node]) -> Iterator[Edit]:
    parameters = around.child_by_field_name("parameters")
    if parameters is None:
        return
    own = {
        text_of(child.child_by_field_name("declarator"))
        for child in parameters.named_children
        if child.child_by_field_name("declarator") is not None
        and text_of(child.child_by_field_name("type")).removeprefix("std::") in _SIZES
    }
    sized = [tile.child_by_field_name("arguments") for tile in tiles]
    plain = [each for each in sized if each is not None and len(each.named_children) == 1]
    free = [each for each in plain if text_of(each.named_children[0]).strip() in own]
    for number, arguments in enumerate(free):
        name = f"{_PARENT}{number or ''}"
        yield Replace(arguments.end_byte - 1, arguments.end_byte - 1, f", {name}")
        yield Replace(parameters.end_byte - 1, parameters.end_byte - 1, f", typename {name}")
