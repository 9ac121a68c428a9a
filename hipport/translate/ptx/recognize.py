"""Distinguishes PTX from CPU and AMD GPU assembly."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.ptx.meanings import MEANINGS
from hipport.translate.ptx.statement import AsmStatement

OPCODES = frozenset(name.partition(".")[0] for name in MEANINGS)

_CONSTRAINT = re.compile(r"[=+]?&?[hrlfdqnC]|\d")
_DOTTED = re.compile(r"(?:^|[;{}\s:\"])(?P<op>[a-z]\w*)(?P<rest>(?:\.[\w:]+)+)")
_TYPED = re.compile(r"\.(?:[busf](?:8|16|32|64)|pred|aligned|sync)(?!\w)")
_PUT_TOGETHER = re.compile(r"(?:^|[;{}\s\"])(?P<op>[a-z]\w*)\.(?:\w+\.)*\"\s*#?\s*\w")
"""An instruction whose ending is a macro: `"mov."#type" %0, %1;"`."""
_UNKNOWN = re.compile(
    r'[\w)]\s*"\.?(?:\w+\.)*(?:[busf](?:8|16|32|64)|b128|v[248]|pred)[.\s][^"]*%'
    r'|[\w)]\s*"[^"]*%\d+,?[^"]*\[%\d+\]'
)
"""An instruction that begins in a macro of another file: `LD ".s32 %0, [%1];"`."""
_REGISTERS = re.compile(r"\.reg\s+\.(?:pred|[busf]\d+)\b")
_FOREIGN = re.compile(r"(?:\.(?!gl\b)[a-z]{1,2})+")
"""Modifiers of other assemblers, as in `vadd.vv` of RISC-V: PTX has a type or a longer modifier, except `.gl`."""
_CLOBBERED = re.compile(r"[a-z]+\d+")
"""A register name of other assemblers; PTX has none to clobber."""
_BARE = re.compile(r"\s*(?:@!?%?\w+\s+)?(?:trap|exit|brkpt)\s*;\s*")


def is_ptx(statement: AsmStatement, written: str) -> bool:
    """Return whether a statement is PTX; `written` is its source text."""
    if not all(_CONSTRAINT.fullmatch(operand.constraint or "r") for operand in statement.operands):
        return False
    if any(_CLOBBERED.fullmatch(name) for name in statement.clobbers):
        return False
    text = written if statement.text is None else statement.text
    if statement.text is not None and _BARE.fullmatch(statement.text):
        return True
    if statement.text is None and any(match["op"] in OPCODES for match in _PUT_TOGETHER.finditer(text)):
        return True
    if statement.text is None and _UNKNOWN.search(text):
        return True
    return _REGISTERS.search(text) is not None or any(map(_is_instruction, _DOTTED.finditer(text)))


def _is_instruction(match: re.Match[str]) -> bool:
    """Return whether an instruction with modifiers is in PTX, or has a type suffix as in PTX."""
    if match["op"] in OPCODES:
        return _FOREIGN.fullmatch(match["rest"]) is None
    return _TYPED.search(match["rest"]) is not None
