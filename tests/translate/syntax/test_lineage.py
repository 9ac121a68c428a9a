"""The ancestors of a node are those that tree-sitter gives, in trees of any width and depth."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from hipport.source import SourceFile, Span
from hipport.translate.syntax import lineage
from hipport.translate.syntax.lineage import Lineage
from hipport.translate.syntax.unit import Unit, parse

FIXTURES = Path(__file__).parents[3] / "fixtures"
FILES = sorted(path for folder in ("pairs", "programs", "ptx") for path in (FIXTURES / folder).rglob("*.cu*"))
_SIGN = re.compile(r"\w+|[^\w\s]")


def same(unit: Unit, span: Span, found: Lineage) -> bool:
    """Return whether the smallest node at a place, its ancestors and their fields are tree-sitter's."""
    node = unit.tree.descendant_for_byte_range(span.start, span.end)
    if found.at(span) != node:
        return False
    while node is not None and node.parent is not None:
        parent, number = node.parent, node.parent.children.index(node)
        before = parent.children[number - 1] if number else None
        below = found.below(parent)
        if (found.parent(node), found.field(node)) != (parent, parent.field_name_for_child(number)):
            return False
        if below.before(node) != before or (node.is_named and parent.named_children[below.named[node.id]] != node):
            return False
        node = parent
    return True


@pytest.mark.parametrize("deep", [60, 2])
def test_fixtures(deep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 2 treats the whole tree as deep."""
    monkeypatch.setattr(lineage, "_DEEP", deep)
    draw = random.Random(deep)
    for path in draw.sample([path for path in FILES if path.suffix in (".cu", ".cuh")], 40):
        unit = parse(SourceFile.decode(path.read_bytes(), path.name))
        places = [Span(*match.span()) for match in _SIGN.finditer(unit.code)]
        places = [place for place in places if unit.directive_at(place.start) is None]
        found = Lineage(unit.tree)
        assert all(same(unit, place, found) for place in draw.sample(places, min(len(places), 25))), path


def test_a_long_sum() -> None:
    unit = parse(SourceFile.decode(("int x = " + " + ".join(f"a{n}" for n in range(600)) + ";").encode(), "x.cu"))
    for name in ("a0", "a5", "a599"):
        offset = unit.code.index(name)
        node = unit.node_at(Span(offset, offset + len(name)))
        assert node is not None and node.text == name.encode()
        parent = unit.parent(node)
        assert parent is not None and parent.type == "binary_expression"
        assert unit.field(node) == ("left" if name == "a0" else "right")


def test_bodies_of_macros_have_trees_of_their_own() -> None:
    unit = parse(SourceFile.decode(b"#define CALL(x) f(x, 1)\nint y = g(2);\n", "x.cu"))
    for name, callee in (("1", b"f"), ("2", b"g")):
        offset = unit.code.index(name)
        node = unit.node_at(Span(offset, offset + 1))
        arguments = unit.parent(node) if node is not None else None
        call = unit.parent(arguments) if arguments is not None else None
        function = call.child_by_field_name("function") if call is not None else None
        assert function is not None and function.text == callee
