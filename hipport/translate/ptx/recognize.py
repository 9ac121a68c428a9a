"""Distinguishes PTX from CPU and AMD GPU assembly, and unknown assembly for GPUs from that for hosts."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.ptx.meanings import MEANINGS
from hipport.translate.ptx.scope import sides_of_function
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit

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
_OF_AMD = re.compile(r"(?:^|[;\s\"])(?:s|v|ds|global|flat|buffer|tbuffer|scratch|image|exp)_\w+")
_REGISTERS_OF_AMD = re.compile(r"[=+]?&?(?:[sva]|\{[sva]\[?\d.*)")
_SIDE = re.compile(r"\b__(?:device|global|host)__\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_OF_HOSTS = re.compile(
    r"__x86_64__|__i386__|_M_X64|_M_IX86|__amd64__|__aarch64__|__arm__|_M_ARM\w*|__powerpc\w*|__riscv\w*"
)


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


def is_unknown_for_gpus(unit: Unit, statement: AsmStatement) -> bool:
    """Return whether a statement, which is not PTX as far as known, is neither for AMD GPUs nor for hosts.

    nvcc takes it for PTX, and AMD's compiler would reject it. So is a text that macros make up.
    """
    text = unit.original(statement.written) if statement.text is None else statement.text
    if not _COMMENT.sub("", text).strip() or _OF_AMD.search(text):
        return False
    if any(_REGISTERS_OF_AMD.fullmatch(operand.constraint) for operand in statement.operands):
        return False
    sides = _sides(unit, statement)
    if not sides & {"__device__", "__global__"} or platform_at(unit, statement.span.start) is not Platform.ANY:
        return False
    if statement.in_macro and "__host__" in sides:
        return False
    return "__host__" not in sides or not _may_be_hosts(unit, statement.span.start)


def _sides(unit: Unit, statement: AsmStatement) -> frozenset[str]:
    """Return the sides on which a statement runs.

    In a macro, those of the function in its body, or else those of the functions that use the macro.
    """
    if not statement.in_macro:
        return sides_of_function(unit, statement.span.start)
    found: frozenset[str] = frozenset()
    waiting, seen = [statement.span.start], set[str]()
    while waiting:
        line = unit.directive_at(waiting.pop())
        if line is None or line.name in seen:
            continue
        seen.add(line.name)
        inside = frozenset(_SIDE.findall(unit.code, line.body.start, line.body.end))
        if inside:
            found |= inside
            continue
        for _, offset in unit.occurrences(frozenset({line.name})):
            if unit.directive_at(offset) is None:
                found |= sides_of_function(unit, offset) or frozenset({"__host__"})
            else:
                waiting.append(offset)
    return found


def _may_be_hosts(unit: Unit, offset: int) -> bool:
    """Return whether a condition around an offset may select the host's side of a function for both."""
    for number, index in unit.branch_at(offset):
        lines = [unit.branches[number, each] for each in range(index + 1)]
        tests = [unit.code[line.body.start : line.body.end] for line in lines]
        if any(map(_OF_HOSTS.search, tests)):
            return True
        negated = index > 0 or lines[0].word == "ifndef" or "!" in tests[0]
        if negated and any("__CUDA_ARCH__" in test for test in tests):
            return True
    return False
