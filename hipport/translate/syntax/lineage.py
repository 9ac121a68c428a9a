"""An index of the parents and children of nodes. `Node.parent` and its like search from the root, child by child."""

from __future__ import annotations

import bisect
from functools import cached_property

import tree_sitter
from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.nesting import Nested

Node = tree_sitter.Node
_WORD = re.compile(rb"\w+")
_DEEP = 60
"""Depth above which the whole tree is indexed at once; sums and conditions with many operands nest deeper."""


class Children(Struct, frozen=True, dict=True):
    """The children of a node, with lookups computed once for all of them."""

    outer: Node
    nodes: list[Node]

    @cached_property
    def starts(self) -> list[int]:
        return [node.start_byte for node in self.nodes]

    @cached_property
    def fields(self) -> dict[int, str]:
        """Field names of the children, by `Node.id`."""
        found: dict[int, str] = {}
        cursor = self.outer.walk()
        more = cursor.goto_first_child()
        while more:
            if cursor.field_name is not None and cursor.node is not None:
                found[cursor.node.id] = cursor.field_name
            more = cursor.goto_next_sibling()
        return found

    @cached_property
    def named(self) -> dict[int, int]:
        """Positions among the named children, by `Node.id`."""
        named = (node for node in self.nodes if node.is_named)
        return {node.id: number for number, node in enumerate(named)}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {node.id: number for number, node in enumerate(self.nodes)}

    def before(self, node: Node) -> Node | None:
        """Return the sibling in front of `node`."""
        number = self._numbers.get(node.id, 0)
        return self.nodes[number - 1] if number else None

    @cached_property
    def declaring(self) -> dict[bytes, list[Node]]:
        """Declarations and declarators among the children, by each word that occurs in them."""
        found: dict[bytes, list[Node]] = {}
        for node in self.nodes:
            if node.type.endswith(("declaration", "declarator")):
                for word in dict.fromkeys(_WORD.findall(node.text or b"")):
                    found.setdefault(word, []).append(node)
        return found

    @cached_property
    def guessed(self) -> bool:
        """True if error recovery inserted a child or skipped text."""
        return any(node.is_missing or node.type == "ERROR" for node in self.nodes)

    @cached_property
    def types(self) -> frozenset[tuple[str, bytes | None]]:
        """The (type, text) pairs of the children that have no named children."""
        return frozenset((node.type, node.text) for node in self.nodes if node.named_child_count == 0)


class Lineage:
    """An index of a tree's nodes by their ranges."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._children: dict[int, Children] = {}
        self._parents: dict[int, Node] = {}
        self._all: Nested[Node] | None = None

    def below(self, node: Node) -> Children:
        """Return the children of a node."""
        found = self._children.get(node.id)
        if found is None:
            found = self._children[node.id] = Children(node, node.children)
        return found

    def at(self, span: Span) -> Node:
        """Return the smallest node that covers a non-empty range."""
        node = self._root
        for _ in range(_DEEP) if self._all is None else ():
            inner = self._inner(node, span)
            if inner is None:
                return node
            node = inner
        return self._everything().around(span) or self._root

    def parent(self, node: Node) -> Node | None:
        """Return the parent of a node of this tree."""
        if node.id not in self._parents and node.id != self._root.id:
            self._find(node)
        return self._parents.get(node.id) or node.parent

    def field(self, node: Node) -> str | None:
        """Return the name of the field of its parent that a node is in."""
        parent = self.parent(node)
        return self.below(parent).fields.get(node.id) if parent is not None else None

    def _inner(self, node: Node, span: Span) -> Node | None:
        below = self.below(node)
        index = bisect.bisect_right(below.starts, span.start) - 1
        if index < 0 or below.nodes[index].end_byte < span.end:
            return None
        self._parents[below.nodes[index].id] = node
        return below.nodes[index]

    def _find(self, wanted: Node) -> None:
        """Descend to a node, recording parents on the way."""
        node, span = self._root, Span(wanted.start_byte, wanted.end_byte)
        for _ in range(_DEEP) if self._all is None else ():
            inner = self._inner(node, span)
            if wanted.id in self._parents or inner is None:
                return
            node = inner
        self._everything()

    def _everything(self) -> Nested[Node]:
        """Index all nodes and their parents at once: descending to each costs as much as the tree is deep."""
        if self._all is None:
            found: list[Node] = []
            waiting = [self._root]
            while waiting:
                node = waiting.pop()
                found.append(node)
                children = node.children
                self._parents.update((child.id, node) for child in children)
                waiting += reversed(children)
            self._all = Nested.of((Span(node.start_byte, node.end_byte), node) for node in found)
        return self._all
