"""A parsed source file, as seen by the passes."""

from __future__ import annotations

import bisect
import functools
import itertools
from collections import Counter
from collections.abc import Iterator, Set
from functools import cached_property
from typing import Any

import tree_sitter
from msgspec import Struct, structs

from hipport import lazy_re as re
from hipport.source import Replace, SourceFile, Span
from hipport.translate.syntax.brackets import pairs
from hipport.translate.syntax.global_names import without_global_scope
from hipport.translate.syntax.grammar import language
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind, Lexed, directives, lex
from hipport.translate.syntax.lineage import Children, Lineage
from hipport.translate.syntax.nesting import (
    INDEXED,
    Nested,
    NodeIndex,
    NodesByType,
    in_order,
    innermost,
    nodes_of,
    without_depths,
)
from hipport.translate.syntax.shadow import LaunchBrackets, Shadow, make_shadow
from hipport.translate.syntax.whole_names import with_whole_names
from hipport.translate.syntax.words import is_side_macro, without_sides

Node = tree_sitter.Node

_IN_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$")
_BEGINS_WORD = _IN_WORD - frozenset("0123456789")
_CUT = bytes(byte if chr(byte) in _IN_WORD else ord(" ") for byte in range(256))
"""Keeps the signs of words in code, which is ASCII, and makes others blanks."""
_LARGE = 1 << 18
"""Bytes of source above which each question about types of nodes is a query of its own, as all nodes are too many."""
_OFTEN = 50
"""Number of queries after which all nodes of a type are indexed at once: slow once, then free."""
_SMALL = 1 << 14
"""Bytes of source up to which indexing costs less than a few queries, so that it is done before the first one."""
_VERY_OFTEN = 1000
"""The number of words looked for after which all are indexed: looking for one costs more the longer the source is."""
_PER_WORD = 32
"""Bytes of a source for each of the words that may be looked for before all are indexed."""
_PER_PARENT = 16
"""Bytes of a source for each of the parents that may be asked for before all nodes are indexed."""
_WORD = "a word"
_PARENT = "a parent"
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WHOLE_WORD = re.compile(r"(?<![\w$])[A-Za-z_$][\w$]*", re.ASCII)


@functools.cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(language())


_UNITS = (".cu", ".c", ".cc", ".cpp", ".cxx", ".hip")


class Unit(Struct, frozen=True, dict=True):
    """A source file with its lexed code, its shadow and, built on first use, its trees.

    All offsets are byte offsets into `source.text`. `many`: it is one of many, for which a query of the syntax tree is
    compiled: slow once, then faster than visiting the nodes of each.
    """

    source: SourceFile
    lexed: Lexed
    directives: tuple[Directive, ...]
    shadow: Shadow
    many: bool = False

    @cached_property
    def code(self) -> str:
        """The text with comments and the contents of literals blanked, one character per byte."""
        return self.lexed.code

    def without_word(self, span: Span) -> Replace:
        """Return the edit that removes a word and the blanks behind it, but neither a comment nor the end of a line."""
        end, text = span.end, self.source.text
        while end < len(text) and text[end : end + 1] in (b" ", b"\t"):
            end += 1
        return Replace(span.start, end, "")

    @property
    def launches(self) -> tuple[LaunchBrackets, ...]:
        return self.shadow.launches

    @cached_property
    def tree(self) -> Node:
        """The root of the tree of everything except the preprocessor lines."""
        names = frozenset(filter(is_side_macro, self.words))
        text = without_sides(self.shadow.main, self.occurrences(names)) if names else self.shadow.main
        return _parser().parse(without_depths(text).encode("ascii")).root_node

    def enclosing(self, span: Span, kind: str) -> Node | None:
        """Return the innermost node of type `kind` around a range; in a `#define` body, from that body's own tree."""
        line = self.directive_at(span.start)
        if line is not None and line.kind is DirectiveKind.DEFINE:
            return innermost(self._macro_tree(line), span, kind) if span.start >= line.body.start else None
        if kind not in self._nodes:
            self._asked[kind] += 1
            if self._asked[kind] < _OFTEN and len(self.code) > _SMALL:
                return innermost(self.tree, span, kind)
            found = self.all_of(kind)
            self._nodes[kind] = Nested.of((Span(node.start_byte, node.end_byte), node) for node in found)
        return self._nodes[kind].around(span)

    def all_of(self, *kinds: str) -> list[Node]:
        """Return the nodes of some types in the tree, in text order, outer ones first."""
        if kinds not in self._listed:
            self._listed[kinds] = self._found(kinds)
        return self._listed[kinds]

    def inside(self, node: Node, *kinds: str) -> list[Node] | None:
        """Return the nodes of some types in a node of the tree, itself included, in text order.

        None in large files, whose nodes are not indexed.
        """
        if len(self.code) > _LARGE:
            return None
        found = [self._index_of(kind).inside(node, kind) for kind in kinds]
        return found[0] if len(kinds) == 1 else in_order(itertools.chain(*found))

    def _found(self, kinds: tuple[str, ...]) -> list[Node]:
        if len(self.code) > _LARGE:
            return nodes_of(self.tree, language(), *kinds)
        found = [self._index_of(kind).of(kind) for kind in kinds]
        return found[0] if len(kinds) == 1 else in_order(itertools.chain(*found))

    def _index_of(self, kind: str) -> NodesByType:
        """Return the nodes of a type and others: those that a query finds, or all if they are indexed already."""
        if self.many and kind in INDEXED and "_index" not in self.__dict__:
            return self._queried
        return self._index.nodes

    @cached_property
    def _queried(self) -> NodesByType:
        return NodesByType.queried(self.tree, language())

    @cached_property
    def _index(self) -> NodeIndex:
        return NodeIndex.of(self.tree)

    @cached_property
    def _listed(self) -> dict[tuple[str, ...], list[Node]]:
        return {}

    @cached_property
    def _asked(self) -> Counter[str]:
        return Counter()

    @cached_property
    def _nodes(self) -> dict[str, Nested[Node]]:
        return {}

    @cached_property
    def notes(self) -> dict[str, Any]:
        """Results of other modules about the code alone, each under a name of its own, kept for the next time."""
        return {}

    @cached_property
    def _macro_trees(self) -> dict[int, Node]:
        return {}

    def original(self, span: Span) -> str:
        """Return the source text of a range, including comments."""
        return self.source.text[span.start : span.end].decode("utf-8", "replace")

    @cached_property
    def words(self) -> frozenset[str]:
        """All identifiers and keywords of the code."""
        # Cutting the code at other signs, in C, takes a third of the time of a search for each word.
        found = set(self.code.encode("ascii").translate(_CUT).decode("ascii").split())
        odd = {word for word in found if word[0] not in _BEGINS_WORD}
        return frozenset(found - odd).union(*map(_NAME.findall, odd))

    def occurrences(self, names: Set[str]) -> list[tuple[str, int]]:
        """Return every place where one of `names` occurs as a word in code: (name, offset), in order."""
        # Searching for the few names present is faster than one regular expression, which must be compiled first.
        wanted = self.words & names
        self._asked[_WORD] += len(wanted)
        if self._asked[_WORD] < min(_VERY_OFTEN, len(self.code) // _PER_WORD):
            found = [(name, offset) for name in wanted for offset in _words(self.code, name)]
        else:
            found = [(name, offset) for name in wanted for offset in self._places.get(name, ())]
        return sorted(found, key=lambda place: place[1])

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Offsets of every word."""
        found: dict[str, list[int]] = {}
        for match in _WHOLE_WORD.finditer(self.code):
            found.setdefault(match[0], []).append(match.start())
        return found

    @property
    def is_header(self) -> bool:
        """Whether the file is no translation unit by its name: others include it."""
        return not self.source.name.endswith(_UNITS)

    def directive_at(self, offset: int) -> Directive | None:
        """Return the preprocessor line that contains this offset."""
        before = bisect.bisect_right(self._directive_starts, offset) - 1
        if before >= 0 and offset < self.directives[before].span.end:
            return self.directives[before]
        return None

    def has_directive(self, span: Span) -> bool:
        """Return whether a preprocessor line begins inside a range."""
        starts = self._directive_starts
        return bisect.bisect_right(starts, span.start) < bisect.bisect_left(starts, span.end)

    def directives_in(self, span: Span) -> tuple[Directive, ...]:
        """Return the preprocessor lines that begin in a range."""
        starts = self._directive_starts
        return self.directives[bisect.bisect_left(starts, span.start) : bisect.bisect_left(starts, span.end)]

    @cached_property
    def macros(self) -> dict[str, list[Span]]:
        """Bodies of the macros that the file defines, by name."""
        found: dict[str, list[Span]] = {}
        for line in self.directives:
            if line.kind is DirectiveKind.DEFINE:
                found.setdefault(line.name, []).append(line.body)
        return found

    @cached_property
    def defining(self) -> dict[str, Directive]:
        """The last line that defines each macro."""
        return {line.name: line for line in self.directives if line.kind is DirectiveKind.DEFINE}

    @cached_property
    def specifiers(self) -> dict[tuple[int, int], frozenset[str]]:
        """Results of `declarations.specifiers`: all code in a function asks for the words in front of it."""
        return {}

    @cached_property
    def braces(self) -> Nested[Span]:
        """The ranges of all pairs of braces."""
        closes = pairs(self.code).closes
        spans = (Span(start, close + 1) for start, close in closes.items() if self.code[start] == "{")
        return Nested.of((span, span) for span in spans)

    @cached_property
    def is_balanced(self) -> bool:
        """Whether all braces are matched; those in different branches of a condition often are not."""
        return self.code.count("{") == self.code.count("}") == len(self.braces.items)

    def branch_at(self, offset: int) -> Branch:
        """Return the path of the conditional branches around this offset."""
        before = bisect.bisect_right(self._directive_starts, offset) - 1
        return self.directives[before].after if before >= 0 else ()

    @cached_property
    def branches(self) -> dict[tuple[int, int], Directive]:
        """The line that opens each conditional branch."""
        return {line.after[-1]: line for line in self.directives if line.word.startswith(("if", "el")) and line.after}

    @cached_property
    def _directive_starts(self) -> list[int]:
        return [line.span.start for line in self.directives]

    def node_at(self, span: Span) -> Node | None:
        """Return the smallest node that covers a range; in the body of a `#define`, a node of that body's own tree.

        None in other preprocessor lines.
        """
        line = self.directive_at(span.start)
        if line is not None and (line.kind is not DirectiveKind.DEFINE or span.start < line.body.start):
            return None
        return self._lineage(span.start).at(span)

    def macro_tree(self, line: Directive) -> Node:
        """Return the root of the tree of a macro's body, with the offsets of the file."""
        return self._macro_tree(line)

    def parent(self, node: Node) -> Node | None:
        """Return the parent of a node of this unit."""
        if "_index" in self.__dict__ or self._asks_often():
            found = self._index.parents.get(node.id)
            if found is not None:
                return found
        return self._lineage(node.start_byte).parent(node)

    def _asks_often(self) -> bool:
        """Count a question about a parent; return whether indexing all nodes costs less than the ones to come."""
        self._asked[_PARENT] += 1
        return len(self.code) <= _LARGE and self._asked[_PARENT] * _PER_PARENT > len(self.code)

    def whole_expression(self, node: Node) -> Node:
        """Return the outermost expression around a node, or the node itself; a lambda's parts are not in expressions.

        Where each step up was asked for, the names of a chain of operators would take the square of its length.
        """
        passed: list[int] = []
        while node.id not in self._whole_expressions:
            parent = self.parent(node)
            if parent is None or parent.type == "lambda_expression" or not parent.type.endswith("_expression"):
                break
            passed.append(node.id)
            node = parent
        whole = self._whole_expressions.setdefault(node.id, node)
        self._whole_expressions.update(dict.fromkeys(passed, whole))
        return whole

    @cached_property
    def _whole_expressions(self) -> dict[int, Node]:
        return {}

    def field(self, node: Node) -> str | None:
        """Return the name of the field of its parent that a node is in."""
        return self._lineage(node.start_byte).field(node)

    def below(self, node: Node) -> Children:
        """Return the children of a node."""
        return self._lineage(node.start_byte).below(node)

    def _lineage(self, offset: int) -> Lineage:
        line = self.directive_at(offset)
        start = line.body.start if line is not None else -1
        if start not in self._lineages:
            self._lineages[start] = Lineage(self._macro_tree(line) if line is not None else self.tree)
        return self._lineages[start]

    @cached_property
    def _lineages(self) -> dict[int, Lineage]:
        return {}

    def _macro_tree(self, line: Directive) -> Node:
        """Parse a macro's body as a fragment, with the offsets of the file."""
        if line.body.start not in self._macro_trees:
            here = (0, 0)
            body = tree_sitter.Range(here, (0, line.body.end - line.body.start), line.body.start, line.body.end)
            parser = tree_sitter.Parser(language(), included_ranges=[body])
            self._macro_trees[line.body.start] = parser.parse(self._everything).root_node
        return self._macro_trees[line.body.start]

    @cached_property
    def _everything(self) -> bytes:
        return self.shadow.text.encode("ascii")


def _words(code: str, word: str) -> Iterator[int]:
    """Yield the offsets at which `word` occurs in `code` and is not part of a longer word."""
    end = offset = -1
    while (offset := code.find(word, end + 1)) >= 0:
        end = offset + len(word)
        if code[end : end + 1] not in _IN_WORD and (not offset or code[offset - 1] not in _IN_WORD):
            yield offset


def parse(source: SourceFile, *, many: bool = False) -> Unit:
    """Lex a source file and build its shadow; trees are parsed on first use. Never raises.

    `many`: it is one of many. Names that a backslash and a line end split are joined in the unit's source.
    """
    lexed = lex(source.text.decode("latin-1"))
    if (whole := with_whole_names(source, lexed)) is not source:
        source, lexed = whole, lex(whole.text.decode("latin-1"))
    lines = tuple(directives(lexed.code))
    lexed = structs.replace(lexed, code=without_global_scope(lexed.code, lines))
    return Unit(source, lexed, lines, make_shadow(lexed.code, lines), many)
