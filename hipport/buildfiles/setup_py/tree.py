"""Find the strings of a setup.py, or of another Python file, and the lists that contain them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from hipport.buildfiles.build_file import BuildFile
from hipport.buildfiles.words import Word

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LISTS = {"list", "tuple", "set"}


class Strings(Struct, frozen=True):
    """The plain strings of one list, whose ranges include the quotes; `name` is the keyword or key of the list.

    `is_list` is False for a string outside lists.
    """

    words: tuple[Word, ...]
    name: str = ""
    is_list: bool = True


def strings(work: BuildFile) -> Iterator[Strings]:
    """Yield all lists of strings, and strings outside lists one by one, in order."""
    waiting = [(_parser().parse(work.source.text).root_node, "")]
    while waiting:
        node, name = waiting.pop()
        if node.type in _LISTS:
            yield Strings(tuple(_word(work.text, child) for child in node.children if _is_plain(child)), name)
        elif _is_plain(node):
            yield Strings((_word(work.text, node),), name, is_list=False)
            continue
        inner = _name_of(work.text, node) or name
        done = node.type in _LISTS or node.type == "expression_statement"  # a string alone in a statement is a comment
        below = [(child, inner) for child in node.children if not (done and _is_plain(child))]
        waiting += reversed(below)


def nodes(work: BuildFile, kind: str) -> Iterator[Node]:
    """Yield the nodes of a kind, in order."""
    waiting = [_parser().parse(work.source.text).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == kind:
            yield node
        waiting += reversed(node.children)


def literals(text: bytes) -> Iterator[tuple[int, str]]:
    """Yield the offset and the content of each string of a Python file; what an f-string inserts is left out."""
    waiting = [_parser().parse(text).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "string":
            inner = (child for child in node.children if child.type == "string_content")
            yield node.start_byte, b"".join(text[each.start_byte : each.end_byte] for each in inner).decode("latin-1")
        else:
            waiting += reversed(node.children)


def _is_plain(node: Node) -> bool:
    return node.type == "string" and not any(child.type == "interpolation" for child in node.children)


def _word(text: str, node: Node) -> Word:
    inner = [child for child in node.children if child.type == "string_content"]
    content = text[inner[0].start_byte : inner[-1].end_byte] if inner else ""
    return Word(node.start_byte, node.end_byte, content)


def _name_of(text: str, node: Node) -> str:
    """Return the name for the contents of a keyword argument, dictionary pair or assignment; else an empty string."""
    field = {"keyword_argument": "name", "pair": "key", "assignment": "left", "augmented_assignment": "left"}
    named = node.child_by_field_name(field[node.type]) if node.type in field else None
    return text[named.start_byte : named.end_byte].strip("\"'") if named is not None else ""


@functools.cache
def _parser() -> Parser:
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))
