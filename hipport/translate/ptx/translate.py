"""Translation of one `asm` statement from PTX to HIP C++."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.in_place import in_place
from hipport.translate.ptx.operands import BoundOperand
from hipport.translate.ptx.output import Event, Line, Output, Unsupported
from hipport.translate.ptx.parser import parse
from hipport.translate.ptx.rules import emit
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.ptx.tree import Block, Declaration, Instruction, Label, PtxSyntaxError
from hipport.translate.ptx.types import CPP
from hipport.translate.syntax.conditions import integer

_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO_PREFIX = "ptx_"


class Translation(Struct, frozen=True):
    """The statement in C++: its lines, indented for nesting only, with headers and caveats."""

    lines: tuple[str, ...]
    headers: frozenset[str]
    caveats: tuple[str, ...]


def parse_statement(statement: AsmStatement) -> Block:
    """Parse the PTX of a statement; raises `PtxSyntaxError`."""
    if statement.text is None:
        raise PtxSyntaxError("its text is assembled by macros")
    text = statement.text.replace("%%", "%") if statement.operands else statement.text
    return parse(text, lambda token: _number(statement, token))


def _number(statement: AsmStatement, token: str) -> int:
    if token[1] == "[":
        for number, operand in enumerate(statement.operands):
            if operand.name == token[2:-1]:
                return number
    position = integer(token[1:].lstrip("0") or "0")
    if position is not None and position < len(statement.operands):
        return position
    raise PtxSyntaxError(f"there is no operand {token}")


def instructions_of(block: Block) -> Iterator[Instruction]:
    """Yield all instructions, including those of inner blocks."""
    for item in block.items:
        if isinstance(item, Instruction):
            yield item
        elif isinstance(item, Block):
            yield from instructions_of(item)


def translate(statement: AsmStatement, block: Block, operands: Sequence[BoundOperand], carry: str = "") -> Translation:
    """Translate a parsed statement; raises `Unsupported`. `carry`: where the carry flag lives between statements."""
    everything = frozenset(range(len(operands)))
    trial = _run(statement, block, operands, everything, carry).output
    direct = frozenset(in_place(operands, trial.events))
    output = _run(statement, block, operands, direct, carry, trial.events).output
    return Translation(tuple(_layout(output, statement)), frozenset(output.headers), tuple(output.caveats))


def _run(
    statement: AsmStatement,
    block: Block,
    operands: Sequence[BoundOperand],
    direct: frozenset[int],
    carry: str,
    events: Sequence[Event] = (),
) -> Emitter:
    taken = frozenset(word for operand in operands for word in _WORD.findall(operand.text))
    emitter = Emitter(operands, direct, taken, _MACRO_PREFIX if statement.in_macro else "", statement, carry)
    emitter.copy_operands(frozenset(event.number for event in events if event.number >= 0))
    _emit_block(emitter, _unwrapped(block), 0)
    emitter.copy_back()
    return emitter


def _unwrapped(block: Block) -> Block:
    """Strip braces around the whole block."""
    while len(block.items) == 1 and isinstance(block.items[0], Block):
        block = block.items[0]
    return block


def _emit_block(emitter: Emitter, block: Block, at: int) -> int:
    for item in block.items:
        if isinstance(item, Declaration):
            for name in item.names:
                emitter.declare(name, item.type)
        elif isinstance(item, Label):
            raise Unsupported("a label inside an asm statement", "bra")
        elif isinstance(item, Block):
            emitter.enter()
            at = _emit_block(emitter, item, at)
            emitter.leave()
        else:
            _emit_instruction(emitter, item, at)
            at += 1
    return at


def _emit_instruction(emitter: Emitter, instruction: Instruction, at: int) -> None:
    try:
        emitter.begin(at, instruction.guard)
        emit(emitter, instruction)
    except Unsupported as error:
        error.instruction = error.instruction or instruction.name
        raise
    emitter.end(instruction.guard)


def _layout(output: Output, statement: AsmStatement) -> Iterator[str]:
    """Yield the lines as one statement: in braces if there are several lines, or declarations."""
    used = {word for line in output.lines for word in re.findall(r"\w+", line.text)}
    lines = [line for line in output.lines if line.text or (line.variable and line.variable.name in used)]
    texts = [_text(line) for line in lines]
    single = len(texts) == 1 and lines[0].variable is None
    if single:
        yield texts[0] if statement.closed else texts[0].removesuffix(";")
        return
    yield "{" if statement.closed else "do {"
    depth = 1
    for text in texts or [""]:
        depth -= text == "}"
        if text:
            yield "    " * depth + text
        depth += text.endswith("{")
    yield "}" if statement.closed else "} while (0)"


def _text(line: Line) -> str:
    variable = line.variable
    if variable is None:
        return line.text
    if not line.text:
        return f"{CPP[variable.type]} {variable.name} = {'false' if variable.type == 'pred' else '0'};"
    return f"{'const ' if variable.writes == 1 else ''}{CPP[variable.type]} {variable.name} = {line.text};"
