"""HP229: structs with vectors of 32 bytes, which CUDA aligns to 16 bytes and HIP to 32, and their alignment itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.dataflow.function import first_child, text_of
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_WIDE = frozenset({"double4", "long4", "ulong4", "longlong4", "ulonglong4"})
WORDS = _WIDE
_NUMBERS = {
    **dict.fromkeys(("char", "signed char", "unsigned char", "uchar", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "unsigned short", "ushort", "int16_t", "uint16_t", "half", "__half"), 2),
    **dict.fromkeys(("int", "unsigned", "unsigned int", "uint", "float", "int32_t", "uint32_t"), 4),
    **dict.fromkeys(("long", "unsigned long", "ulong", "long long", "unsigned long long", "double", "size_t"), 8),
    **dict.fromkeys(("int64_t", "uint64_t", "ptrdiff_t", "longlong", "ulonglong"), 8),
}
"""Sizes of number types in bytes."""
_VECTOR = re.compile(r"(u?(?:char|short|int|longlong|long)|float|double)([1-4])")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|mutable|struct|class)\b")
_ALIGNAS = re.compile(r"\balignas\s*\(\s*(1|2|4|8|16)\s*\)")
_ALIGNMENT = re.compile(
    rf"\b(?:alignof|__alignof__|_Alignof)\s*\(\s*(?P<operand>{'|'.join(sorted(_WIDE))})\s*\)"
    rf"|\balignment_of(?:_v)?\s*<\s*(?P<argument>{'|'.join(sorted(_WIDE))})\s*>"
)
_OF_CUDA = re.compile(r"cuda|vector_(?:types|functions)|helper_math")
_DEEPEST = 8


class _Layout(Struct, frozen=True):
    """Size and alignment of a type in bytes."""

    size: int
    alignment: int


def run(work: Work) -> Iterator[Diagnostic]:
    """Report structs of other sizes than CUDA's, and alignments that HIP refuses."""
    if not work.unit.shadow.device_words and not any(_OF_CUDA.search(each.operand) for each in includes(work.unit)):
        return
    structs = _Structs(work)
    for name, node in structs.named.items():
        body = node.child_by_field_name("body")
        if body is None or platform_at(work.unit, node.start_byte) is Platform.NVIDIA:
            continue
        span = Span(node.start_byte, body.start_byte)
        cuda, hip = structs.layout(node, 16), structs.layout(node, 32)
        if cuda is None or hip is None or cuda == hip:
            continue
        lower = _ALIGNAS.search(text_of(node), 0, body.start_byte - node.start_byte)
        if lower is not None:
            message = f"'{name}' cannot be aligned to {lower[1]} bytes, since HIP aligns vectors of 32 bytes to 32"
            yield work.report(
                span, "HP229", Severity.ERROR, message, "Use alignas(32), or four numbers for the vector."
            )
        elif cuda.size != hip.size:
            message = (
                f"'{name}' has {cuda.size} bytes in CUDA and {hip.size} in HIP, which aligns vectors of 32 bytes to 32"
            )
            advice = "Use four numbers for the vector where files or other programs rely on the size."
            yield work.report(span, "HP229", Severity.NOTE, message, advice)
    yield from _alignments(work)


def _alignments(work: Work) -> Iterator[Diagnostic]:
    """Note where the alignment of such a vector is asked for."""
    for match in _ALIGNMENT.finditer(work.unit.code):
        name = match["operand"] or match["argument"]
        if platform_at(work.unit, match.start()) is not Platform.NVIDIA:
            message = f"the alignment of {name} is 32 in HIP and 16 in CUDA"
            yield work.report(
                Span(*match.span()), "HP229", Severity.NOTE, message, "Use 16 where a layout relies on it."
            )


class _Structs:
    """The structs of a file, and how their members lie."""

    def __init__(self, work: Work) -> None:
        self._work = work

    @cached_property
    def named(self) -> Mapping[str, Node]:
        """The structs with a body, by name; a name with several bodies means none."""
        found: dict[str, list[Node]] = {}
        for node in self._work.unit.all_of("struct_specifier", "class_specifier"):
            if node.child_by_field_name("body") is not None:
                found.setdefault(self._name(node), []).append(node)
        return {name: nodes[0] for name, nodes in found.items() if name and len(nodes) == 1}

    def _name(self, node: Node) -> str:
        around = self._work.unit.parent(node)
        typedef = around is not None and around.type == "type_definition"
        return text_of(node.child_by_field_name("name")) or (
            text_of(around.child_by_field_name("declarator")) if typedef and around is not None else ""
        )

    def layout(self, node: Node, wide: int, depth: int = 0) -> _Layout | None:
        """Return how a struct lies where vectors of 32 bytes have an alignment; None if a member is not known."""
        body = node.child_by_field_name("body")
        if body is None or depth > _DEEPEST or any(each.type == "base_class_clause" for each in node.named_children):
            return None
        size, alignment = 0, 1
        for member in body.named_children:
            for one in self._members(member, wide, depth):
                if one is None:
                    return None
                size = -(-size // one.alignment) * one.alignment + one.size
                alignment = max(alignment, one.alignment)
        return _Layout(-(-size // alignment) * alignment, alignment)

    def _members(self, member: Node, wide: int, depth: int) -> Iterator[_Layout | None]:
        if member.type in (
            "comment",
            "access_specifier",
            "function_definition",
            "alias_declaration",
            "using_declaration",
        ):
            virtual = member.type == "function_definition" and "virtual" in text_of(member)
            yield from [None] if virtual else ()
            return
        declarators = member.children_by_field_name("declarator")
        if member.type == "declaration" or any(each.type == "function_declarator" for each in declarators):
            yield from [None] if "virtual" in text_of(member) else ()  # constructors, methods
            return
        kind = self._type(text_of(member.child_by_field_name("type")), wide, depth)
        plain = member.type == "field_declaration" and declarators and "static" not in text_of(member).split()
        odd = any(each.type in ("bitfield_clause", "attribute_specifier") for each in member.named_children)
        for declarator in declarators if plain else ():
            yield None if odd or "alignas" in text_of(member) else self._declared(declarator, kind)
        if not plain and "static" not in text_of(member).split():
            yield None

    def _declared(self, declarator: Node, kind: _Layout | None) -> _Layout | None:
        """Return how a member lies: an array of its type, or a pointer."""
        count, current = 1, declarator
        while current.type != "field_identifier":
            if current.type == "array_declarator":
                size = self._work.flow.constant(current.child_by_field_name("size"))
                count *= size if size is not None else 0
            elif current.type == "pointer_declarator":
                kind = _Layout(8, 8)
            else:
                return None
            inner = current.child_by_field_name("declarator") or first_child(current)
            if inner is None:
                return None
            current = inner
        return _Layout(kind.size * count, kind.alignment) if kind is not None and count else None

    def _type(self, text: str, wide: int, depth: int) -> _Layout | None:
        name = " ".join(_QUALIFIERS.sub(" ", text).split())
        if name in _NUMBERS:
            return _Layout(_NUMBERS[name], _NUMBERS[name])
        vector = _VECTOR.fullmatch(name)
        if vector is not None:
            number, count = _NUMBERS[vector[1]], int(vector[2])
            whole = number * count
            alignment = number if count == 3 else wide if whole == 32 else whole
            return _Layout(whole, alignment)
        node = self.named.get(name)
        return self.layout(node, wide, depth + 1) if node is not None else None
