"""Nesting of any depth: a bound on the depth the grammar sees, and lookup of the innermost range around a place."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

import tree_sitter
from msgspec import Struct

from hipport.source import Span
from hipport.translate.syntax.brackets import pairs

Node = tree_sitter.Node
Item = TypeVar("Item")

_DEEPEST = 200
"""Limit on nested brackets in what the grammar sees: lookup time in its tree grows with depth."""
_FARTHEST = 400
"""Limit on nested nodes visited: sums and conditions with many operands nest deeper, without brackets."""
_BRACKETS = b"()[]{}"
_STEP = dict(zip(_BRACKETS, (1, -1) * 3, strict=True))
_OTHERS = bytes(set(range(256)) - set(_BRACKETS))


def without_depths(text: str) -> str:
    """Blank the contents of brackets that are nested too deep, keeping line ends."""
    brackets = text.encode("ascii").translate(None, _OTHERS)
    if max(itertools.accumulate(map(_STEP.__getitem__, brackets)), default=0) <= _DEEPEST:
        return text
    pieces: list[str] = []
    done = 0
    for span in _too_deep(text):
        pieces += (text[done : span.start], "".join(c if c == "\n" else " " for c in text[span.start : span.end]))
        done = span.end
    return "".join([*pieces, text[done:]])


def _too_deep(text: str) -> Iterable[Span]:
    """Yield the contents of the outermost brackets that are nested too deep."""
    ends: list[int] = []
    for start, end in sorted(pairs(text).closes.items()):
        while ends and ends[-1] < start:
            ends.pop()
        if len(ends) == _DEEPEST:
            yield Span(start + 1, end)
        ends.append(end)


def innermost(root: Node, span: Span, kind: str) -> Node | None:
    """Return the innermost node of type `kind` around a range by descending; `Node.parent` searches from the root."""
    cursor, found = root.walk(), None
    for _ in range(_FARTHEST):
        node = cursor.node
        if node is None or span.start < node.start_byte or node.end_byte < span.end:
            break
        found = node if node.type == kind else found
        if cursor.goto_first_child_for_byte(span.start) is None:
            break
    return found


INDEXED = frozenset(
    [
        "alias_declaration",
        "assignment_expression",
        "binary_expression",
        "call_expression",
        "case_statement",
        "cast_expression",
        "class_specifier",
        "compound_statement",
        "declaration",
        "enumerator",
        "expression_statement",
        "field_declaration",
        "field_expression",
        "for_range_loop",
        "for_statement",
        "function_declarator",
        "function_definition",
        "gnu_asm_expression",
        "goto_statement",
        "if_statement",
        "init_declarator",
        "initializer_list",
        "labeled_statement",
        "lambda_expression",
        "optional_parameter_declaration",
        "parameter_declaration",
        "return_statement",
        "struct_specifier",
        "structured_binding_declarator",
        "subscript_expression",
        "switch_statement",
        "template_function",
        "template_parameter_list",
        "template_type",
        "type_definition",
        "union_specifier",
        "update_expression",
        "variadic_parameter_declaration",
        "while_statement",
    ]
)
"""Types of nodes that one query finds for all that ask; few ask for others."""


class NodesByType:
    """Nodes of a tree by type, in text order, outer ones first."""

    def __init__(self, found: dict[str, list[Node]], *, in_order: bool) -> None:
        """`found`: all nodes of the types that are asked for; `in_order`: they are in text order already."""
        self._found = found
        self._ordered = set(found) if in_order else set[str]()
        self._starts: dict[str, list[int]] = {}

    @classmethod
    def queried(cls, root: Node, language: tree_sitter.Language) -> NodesByType:
        """Return the nodes of the types INDEXED, which are a part of all: others do not become objects."""
        found: dict[str, list[Node]] = tree_sitter.QueryCursor(_query_of_each(language)).captures(root)
        return cls(found, in_order=False)

    def of(self, kind: str) -> list[Node]:
        """Return the nodes of a type."""
        nodes = self._found.get(kind, [])
        if kind not in self._ordered:
            nodes.sort(key=_place)
            self._ordered.add(kind)
        return nodes

    def inside(self, node: Node, kind: str) -> list[Node]:
        """Return the nodes of a type in a node of the tree, itself included, in text order, outer ones first.

        Not those of no width at its end, which stand for what is missing there.
        """
        nodes = self.of(kind)
        if kind not in self._starts:
            self._starts[kind] = [each.start_byte for each in nodes]
        starts, end = self._starts[kind], node.end_byte
        first = bisect.bisect_left(starts, node.start_byte)
        found = nodes[first : bisect.bisect_left(starts, end, first)]
        while found and found[0].end_byte > end:  # a node around it that begins at the same place
            del found[0]
        return found


class NodeIndex(Struct, frozen=True):
    """All named nodes of a tree: by type, and the parent of each by its `Node.id`."""

    nodes: NodesByType
    parents: dict[int, Node]

    @classmethod
    def of(cls, root: Node) -> NodeIndex:
        by_type: dict[str, list[Node]] = defaultdict(list)
        parents: dict[int, Node] = {}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            by_type[node.type].append(node)
            children = node.named_children
            if children:
                for child in children:
                    parents[child.id] = node
                waiting += children[::-1]
        return cls(NodesByType(dict(by_type), in_order=True), parents)


def nodes_of(root: Node, language: tree_sitter.Language, *kinds: str) -> list[Node]:
    """Return all nodes of some types, which are no supertypes, below a root, in text order, outer ones first.

    It takes 10 ms for the first root and types, and needs no objects for other nodes.
    """
    found: list[Node] = tree_sitter.QueryCursor(_query(language, kinds)).captures(root).get("node", [])
    return in_order(found)


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes in text order, outer ones first."""
    return sorted(nodes, key=_place)


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


@functools.cache
def _query_of_each(language: tree_sitter.Language) -> tree_sitter.Query:
    """Return the query for nodes of the types INDEXED, each captured under its type; compiling it takes 10 ms."""
    query: tree_sitter.Query = tree_sitter.Query(language, " ".join(f"({kind}) @{kind}" for kind in sorted(INDEXED)))
    return query


@functools.cache
def _query(language: tree_sitter.Language, kinds: tuple[str, ...]) -> tree_sitter.Query:
    query: tree_sitter.Query = tree_sitter.Query(language, f"[{' '.join(f'({kind})' for kind in kinds)}] @node")
    return query


class Nested(Struct, Generic[Item], frozen=True):
    """Items with ranges that are nested or disjoint, in order.

    `outer` is the index of the item around each, or -1.
    """

    items: list[Item]
    starts: list[int]
    ends: list[int]
    outer: list[int]

    @classmethod
    def of(cls, found: Iterable[tuple[Span, Item]]) -> Nested[Item]:
        """Sort the items and find the item around each."""
        pairs = sorted(found, key=lambda pair: (pair[0].start, -pair[0].end))
        ends = [span.end for span, _ in pairs]
        outer: list[int] = []
        for index, end in enumerate(ends):
            around = index - 1
            while around >= 0 and ends[around] < end:
                around = outer[around]
            outer.append(around)
        return cls([item for _, item in pairs], [span.start for span, _ in pairs], ends, outer)

    def around(self, span: Span) -> Item | None:
        """Return the innermost item that covers a range."""
        index = self._index(span)
        return self.items[index] if index >= 0 else None

    def has(self, span: Span) -> bool:
        return self._index(span) >= 0

    def _index(self, span: Span) -> int:
        index = bisect.bisect_right(self.starts, span.start) - 1
        while index >= 0 and self.ends[index] < span.end:
            index = self.outer[index]
        return index
