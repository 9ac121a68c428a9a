"""The carry flag CC.CF from one `asm` statement to the next: a local variable where a function's chains all end in it.

Elsewhere, where helper functions or macros hold one instruction each, it is `carry_flag()` of `hipport/ptx/carry.h`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.ptx.tree import Instruction
from hipport.translate.syntax.unit import Node, Unit

FLAG = "carry_flag()"
_CHAINED = re.compile(r"(?:add|sub|mad)(?P<takes>c?)(?:\.(?:lo|hi))?(?P<gives>(?:\.cc)?)\.[us](?:32|64)")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^;{}()]*>)?\(")
_NO_CALLS = frozenset(
    {"asm", "__asm__", "__asm", "if", "for", "while", "switch", "return", "sizeof", "uint32_t", "uint64_t", "unsigned"}
    | {"int", "min", "max", "static_cast", "reinterpret_cast"}
)
_FUNCTIONS = frozenset({"function_definition", "lambda_expression"})
_BLOCKS = frozenset({"compound_statement", "for_statement", "while_statement", "do_statement", "if_statement"}) | {
    "else_clause",
    "switch_statement",
    "for_range_loop",
    "case_statement",
}


class Chain(Struct, frozen=True):
    """The uses that a statement makes of the carry flag.

    `takes`: it reads the flag as an earlier statement left it. `gives`: the flag that its last instruction of a chain
    sets is for a later statement. `sets`: it changes the flag at all.
    """

    takes: bool
    gives: bool
    sets: bool

    @property
    def crosses(self) -> bool:
        return self.takes or self.gives


class Link(Struct, frozen=True):
    """A statement of a chain: its place, and the blocks around it from the function's body inward.

    `function` is None in a macro.
    """

    span: Span
    chain: Chain
    function: Node | None
    blocks: tuple[int, ...]
    in_kernel: bool


def chain(instructions: Sequence[Instruction]) -> Chain:
    """Return what the instructions of a statement do with the flag."""
    found = [(match, each.guard) for each in instructions if (match := _CHAINED.fullmatch(each.name))]
    linked = [(match, guard) for match, guard in found if match["takes"] or match["gives"]]
    if not linked:
        return Chain(takes=False, gives=False, sets=False)
    takes, guards = False, []  # the predicates under which the statement has set the flag so far
    for match, guard in linked:
        takes |= bool(match["takes"]) and None not in guards and guard not in guards
        guards += [guard] if match["gives"] else []
    return Chain(takes, bool(linked[-1][0]["gives"]), bool(guards))


def link(unit: Unit, statement: AsmStatement, what: Chain) -> Link:
    """Return a statement with its surroundings."""
    blocks: list[int] = []
    node = None if statement.in_macro else unit.node_at(statement.span)
    while node is not None and node.type not in _FUNCTIONS:
        if node.type in _BLOCKS:
            blocks.append(node.start_byte)
        node = unit.parent(node)
    return Link(statement.span, what, node, tuple(reversed(blocks)), statement.in_kernel)


def carries(unit: Unit, links: Sequence[Link]) -> tuple[dict[int, str], dict[int, str]]:
    """Return where each statement keeps the flag, by its offset, and variables to declare, by the body's offset."""
    kept: dict[int, str] = {}
    declared: dict[int, str] = {}
    for of_function in _by_function(links):
        crossing = [each for each in of_function if each.chain.crosses]
        body = _body(of_function[0])
        place = FLAG
        if crossing and body is not None and _closed(unit, of_function):
            place = declared[body.start_byte + 1] = _free(unit.code[body.start_byte : body.end_byte])
        kept |= {each.span.start: place for each in crossing}
    return kept, declared


def _by_function(links: Sequence[Link]) -> Iterator[list[Link]]:
    """Yield the statements of each function together, each statement of a macro alone."""
    found: dict[int, list[Link]] = {}
    for each in links:
        found.setdefault(each.function.start_byte if each.function else -1 - each.span.start, []).append(each)
    return map(_consumed, found.values())


def _body(link: Link) -> Node | None:
    return link.function.child_by_field_name("body") if link.function is not None else None


def _consumed(links: list[Link]) -> list[Link]:
    """Let a statement give its flag where a later one takes it, although an instruction of its own did so before."""
    found = list(links)
    for at, each in enumerate(links):
        if each.chain.takes:
            before = next((index for index in range(at - 1, -1, -1) if found[index].chain.sets), None)
            if before is not None:
                found[before] = replace(found[before], chain=replace(found[before].chain, gives=True))
    return found


def _closed(unit: Unit, links: Sequence[Link]) -> bool:
    """Return whether every flag that the function's statements take is set in it, and none is left for a caller."""
    for at, each in enumerate(links):
        if each.chain.takes and not _given(links[:at], each):
            return False
        if each.chain.gives and not each.in_kernel and not _taken(links[at + 1 :], each):
            return False
    between = unit.code[links[0].span.start : links[-1].span.end]
    return _CALL.sub(lambda match: "" if match[1] in _NO_CALLS else "@", between).find("@") < 0


def _given(before: Sequence[Link], taking: Link) -> bool:
    """Return whether an earlier statement always runs before this one and gives its flag."""
    return any(each.chain.gives and each.blocks == taking.blocks[: len(each.blocks)] for each in before)


def _taken(after: Sequence[Link], giving: Link) -> bool:
    """Return whether a later statement that always follows takes the flag or replaces it."""
    return any(
        (each.chain.takes or each.chain.sets) and each.blocks == giving.blocks[: len(each.blocks)] for each in after
    )


def _free(body: str) -> str:
    """Return a name that the function does not use."""
    words = set(re.findall(r"\w+", body))
    name = "carry"
    while name in words:
        name += "_"
    return name
