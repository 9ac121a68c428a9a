"""Rules that map PTX instructions to C++, one line for most.

A rule's pattern matches an instruction's full name; its groups can be used in the signature and in the template. The
signature lists the PTX types of results and sources, `t = t u32`. In the template `{a}`, `{b}`, ... are the sources as
arguments, `{a!}` as operands of operators (of exactly that type), `{t}` the C++ type of group `t`, or its text if it is
not a type, `{t:}` its PTX name; `@` is the helpers' namespace.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.ptx import instructions
from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.tree import Instruction, Operand
from hipport.translate.ptx.types import CPP, signed, unsigned, wide

Action = Callable[[Emitter, Instruction, "re.Match[str]"], None]
_PLACEHOLDER = re.compile(r"\{(\w+)([!:]?)\}")
_FUNCTIONS = {"u": unsigned, "s": signed, "wide": wide}
_APPLIED = re.compile(r"(\w+)\((\w+)\)")


class Rule(Struct, frozen=True):
    """A rule for one kind of instruction; `operands` is the range of operand counts that it accepts."""

    pattern: re.Pattern[str]
    operands: range
    action: Action


def rule(pattern: str, signature: str, template: str, header: str = "", *, caveat: str = "") -> Rule:
    """Return a rule whose result is one expression; without results in the signature the expression is a statement."""
    left, _, right = signature.partition("=")
    results, sources = left.split(), right.split()

    def act(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
        groups = match.groupdict(default="")
        operands = instruction.operands[len(results) :]
        types = [resolve(token, groups) for token in sources]
        text = emitter.helper(_fill(template, groups, emitter, operands, types), header)
        emitter.caveat(caveat)
        if results:
            emitter.write(instruction.operands[0], resolve(results[0], groups), text)
        else:
            emitter.effect(text)

    return Rule(re.compile(pattern), _exactly(len(results) + len(sources)), act)


def special_rule(pattern: str, action: Action, operands: int | range) -> Rule:
    """Return a rule for an instruction that a single expression cannot translate."""
    return Rule(re.compile(pattern), operands if isinstance(operands, range) else _exactly(operands), action)


def _exactly(count: int) -> range:
    return range(count, count + 1)


def resolve(token: str, groups: dict[str, str]) -> str:
    """Return a signature's type: a PTX type, a group of the pattern, or `u(t)`, `s(t)`, `wide(t)` of one."""
    applied = _APPLIED.fullmatch(token)
    if applied:
        return _FUNCTIONS[applied[1]](resolve(applied[2], groups))
    name = groups.get(token, token)
    if name not in CPP:
        raise Unsupported(f"the type .{name}")
    return name


def _fill(
    template: str, groups: dict[str, str], emitter: Emitter, operands: tuple[Operand, ...], types: list[str]
) -> str:
    def put(match: re.Match[str]) -> str:
        name, exact = match[1], match[2] == "!"
        if len(name) == 1 and name in "abcde":
            at = ord(name) - ord("a")
            return emitter.read(operands[at], types[at], exact=exact)
        text = groups[name]
        return text if match[2] == ":" else CPP.get(text, text)

    return _PLACEHOLDER.sub(put, template)


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """Return the rules of every module in `instructions/`."""
    return tuple(_load())


def _load() -> Iterator[Rule]:
    for found in pkgutil.iter_modules(instructions.__path__):
        yield from importlib.import_module(f"{instructions.__name__}.{found.name}").RULES


def emit(emitter: Emitter, instruction: Instruction) -> None:
    """Write one instruction; raises `Unsupported` if no rule matches."""
    known = False
    for candidate in all_rules():
        match = candidate.pattern.fullmatch(instruction.name)
        if match is not None and len(instruction.operands) in candidate.operands:
            candidate.action(emitter, instruction, match)
            return
        known = known or match is not None
    raise Unsupported("this number of operands" if known else "")
