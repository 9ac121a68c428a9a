"""Parse the notation for changes to the arguments of a call."""

from __future__ import annotations

from msgspec.structs import replace

from hipport.mappings.document import Value
from hipport.mappings.entry import ArgChange
from hipport.mappings.life import parse_target, release
from hipport.mappings.rows import ArgRule

HOLE = "..."
"""Placeholder for the argument in the text of a `wrap`."""

OPERATIONS = ("wrap", "insert", "append", "remove", "replace", "rename", "refuse", "result")
OPTIONS = frozenset({"arity", "before", "cuda", "given"})
ABOUT_THE_CALL = ("rename", "refuse")


def parse_arg_change(value: Value) -> ArgRule:
    """Parse one change, such as `{wrap: 0, with: HIP_SYMBOL(...)}` or `{append: text, arity: 2}`."""
    parts = value.members({*OPERATIONS, *OPTIONS, "with", "at"})
    operations = [op for op in OPERATIONS if op in parts]
    if len(operations) != 1:
        value.fail(f"expected exactly one of {', '.join(OPERATIONS)}")
    op = operations[0]
    needed = needs(op)
    if set(parts) - {op} - OPTIONS != needed:
        value.fail(
            f"{op} takes "
            + (f"{', '.join(sorted(needed))} and " if needed else "")
            + "optionally arity, before, cuda, given"
        )
    if op in ABOUT_THE_CALL and "arity" not in parts:
        value.fail(f"{op} needs an arity; for all calls, change the counterpart of the name instead")
    arity = _number(parts["arity"]) if "arity" in parts else None
    change = _change(op, parts)
    if arity is not None and change.at >= arity + (op == "insert"):
        value.fail(f"a call with {arity} arguments has no argument {change.at}; positions count from 0")
    before, cuda = (parts[key].parsed(release) if key in parts else None for key in ("before", "cuda"))
    target = parts[op].parsed(parse_target) if op == "rename" else None
    given = parts["given"].text() if "given" in parts else ""
    return ArgRule(replace(change, arity=arity, given=given), before, cuda, target)


def needs(op: str) -> frozenset[str]:
    """Return the further keys that an operation requires."""
    return frozenset({"wrap": {"with"}, "replace": {"with"}, "insert": {"at"}}.get(op, ()))


def _change(op: str, parts: dict[str, Value]) -> ArgChange:
    if op == "rename":
        return ArgChange(op, text=parts[op].parsed(parse_target).name)
    if op in ("append", "refuse", "result"):
        return ArgChange(op, text=parts[op].text())
    if op == "insert":
        return ArgChange(op, at=_number(parts["at"]), text=parts[op].text())
    at = _number(parts[op])
    if op == "remove":
        return ArgChange(op, at=at)
    text = parts["with"].text()
    if op == "replace":
        return ArgChange(op, at=at, text=text)
    if text.count(HOLE) != 1:
        parts["with"].fail(f"{HOLE} must occur once, in place of the argument")
    before, after = text.split(HOLE)
    return ArgChange(op, at=at, before=before, after=after)


def _number(value: Value) -> int:
    if not value.text().isdecimal():
        value.fail(f"{value.text()!r} is not a number from 0")
    return int(value.text())
