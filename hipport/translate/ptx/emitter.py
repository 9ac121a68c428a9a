"""C++ code generation for one `asm` statement: operand reads and writes, declarations, and their order."""

from __future__ import annotations

from collections.abc import Sequence

from hipport.translate.ptx.carries import FLAG
from hipport.translate.ptx.operands import BoundOperand
from hipport.translate.ptx.output import Event, Line, Output, Unsupported, Variable
from hipport.translate.ptx.specials import special
from hipport.translate.ptx.statement import AsmStatement
from hipport.translate.ptx.tree import Argument, Guard, Integer, Negated, Operand, Real, Register, Special
from hipport.translate.ptx.types import CPP, kind_of, width_of
from hipport.translate.ptx.value import Value, real_literal

NAMESPACE = "hipport::ptx::"
_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class compl
concept const const_cast consteval constexpr constinit continue co_await co_return co_yield decltype default delete
do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq blockDim
blockIdx gridDim threadIdx warpSize hipport half int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
"""
_RESERVED = frozenset(_WORDS.split())
"""Names that no register can keep: C++'s keywords, and what translated statements use."""


class Emitter:
    """The state of translating one statement.

    `direct`: the operands that are read and written in place; the others are copied first and written back last.
    `carry`: where the carry flag lives if other statements use it, too.
    """

    def __init__(
        self,
        operands: Sequence[BoundOperand],
        direct: frozenset[int],
        taken: frozenset[str],
        prefix: str,
        statement: AsmStatement,
        carry: str = "",
    ):
        self.output = Output()
        self.cc_live = carry != ""
        self._place = carry
        self._carry: Variable | None = None
        self._operands = operands
        self._direct = direct
        self._taken = set(taken)
        self._prefix = prefix
        self.in_kernel = statement.in_kernel
        self.volatile = statement.volatile and "memory" in statement.clobbers
        self._scopes: list[dict[str, Variable]] = [{}]
        self._copies: dict[int, Variable] = {}
        self._at = 0

    # Copies of operands

    def copy_operands(self, used: frozenset[int]) -> None:
        """Declare copies of the operands in `used` that are not read and written in place."""
        for number in sorted(used - self._direct):
            operand = self._operands[number]
            if operand.tied is not None:
                continue
            source = self._initial(number)
            variable = self.declare(f"{'out' if operand.output else 'in'}{number}", operand.type)
            self._copies[number] = variable
            if source is not None:
                self._assign(variable, self._operands[source].value.as_type(operand.type, exact=False))

    def _initial(self, number: int) -> int | None:
        """Return the operand that a copy is initialized with."""
        operand = self._operands[number]
        if not operand.output or operand.read_first:
            return number
        return next((other for other, tied in enumerate(self._operands) if tied.tied == number), None)

    def copy_back(self) -> None:
        """Write the copies of outputs back to their operands."""
        for number, variable in self._copies.items():
            operand = self._operands[number]
            if operand.output:
                value = Value(variable.name, kind_of(operand.type), width_of(operand.type), CPP[operand.type])
                self.line(self._store(operand, value))

    # Scopes, registers, guards

    def enter(self) -> None:
        """Open a block with a scope of its own."""
        self.line("{")
        self._scopes.append({})

    def leave(self) -> None:
        """Close the block and its scope."""
        self._scopes.pop()
        self.line("}")

    def declare(self, name: str, ptx: str) -> Variable:
        """Declare a variable under an unused name."""
        if ptx not in CPP:
            raise Unsupported(f"registers of type .{ptx}")
        plain = "".join(character if character.isalnum() else "_" for character in name)
        cpp = self._prefix + (plain if plain[:1].isalpha() else f"r{plain}")
        while cpp in self._taken or cpp in _RESERVED:
            cpp += "_"
        self._taken.add(cpp)
        variable = Variable(cpp, ptx)
        variable.line = Line("", variable, len(self._scopes))
        self._scopes[-1][name] = variable
        self.output.lines.append(variable.line)
        return variable

    def begin(self, at: int, guard: Guard | None) -> None:
        """Start instruction `at`: the lines that follow belong to it and run only if the guard holds."""
        self._at = at
        if guard is None:
            return
        condition = self.read(guard.operand, "pred")
        self.line(f"if ({'!' if guard.negated else ''}{condition}) {{")
        self._scopes.append({})

    def end(self, guard: Guard | None) -> None:
        """End the instruction."""
        if guard is not None:
            self._scopes.pop()
            self.line("}")

    # Interface for the rules

    def need(self, header: str) -> None:
        """Record `hipport/ptx/<header>` as needed."""
        self.output.headers.add(header)

    def caveat(self, text: str) -> None:
        """Record a difference to report to the user."""
        if text and text not in self.output.caveats:
            self.output.caveats.append(text)

    def helper(self, text: str, header: str) -> str:
        """Replace `@` by the helpers' namespace; if there is one, record the header as needed."""
        if "@" in text:
            self.need(header)
        return text.replace("@", NAMESPACE)

    def line(self, text: str) -> None:
        """Append a statement or a brace."""
        self.output.lines.append(Line(text, None, len(self._scopes)))

    def effect(self, text: str) -> None:
        """Append a statement that changes memory or orders memory accesses."""
        self.touch()
        self.line(f"{text};")

    def touch(self) -> None:
        """Record a change of memory at this point."""
        self.output.events.append(Event("effect", -1, self._at))

    def variable(self, hint: str, cpp: str) -> str:
        """Declare a variable that a function fills through a pointer; return its name."""
        name = self._free(hint)
        self.line(f"{cpp} {name};")
        return name

    def _free(self, hint: str) -> str:
        name = self._prefix + hint
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def temporary(self, hint: str, cpp: str, text: str) -> str:
        """Declare a constant of any C++ type; return its name."""
        name = self._free(hint)
        self.line(f"const {cpp} {name} = {text};")
        return name

    def carry(self) -> str:
        """Return the carry flag's variable: one outside the statement, or one of its own."""
        if self._place == FLAG:
            return self.helper(f"@{FLAG}", "carry.h")
        if self._place:
            return self._place
        if self._carry is None:
            self._carry = self.declare("carry", "b32")
            self._carry.writes = 1
            self._hoist(self._carry)
        return self._carry.name

    def _hoist(self, variable: Variable) -> None:
        """Move the declaration, the last line, in front of the guards and blocks around it: the flag outlives them."""
        line = self.output.lines.pop()
        line.depth = 1
        inner = len(self._scopes) > 1
        # The last line of the statement itself opened what is around the instruction.
        at = max(index for index, each in enumerate(self.output.lines) if each.depth == 1) if inner else None
        self.output.lines.insert(len(self.output.lines) if at is None else at, line)

    def read(self, operand: Operand, ptx: str, *, exact: bool = False) -> str:
        """Return an expression for an operand as a value of a PTX type."""
        if isinstance(operand, Negated):
            return f"!{self.read(operand.operand, 'pred', exact=True)}"
        if isinstance(operand, Real):
            return real_literal(operand, ptx)
        return self.value(operand).as_type(ptx, exact=exact)

    def value(self, operand: Operand) -> Value:
        """Return an operand with the known facts about its type."""
        if isinstance(operand, Argument):
            return self._argument(operand.number)
        if isinstance(operand, Register):
            variable = self._variable(operand.name)
            return _of_variable(variable)
        if isinstance(operand, Integer):
            return Value(operand.text, "int", 0, None, literal=True)
        if isinstance(operand, Special):
            return self._special(operand)
        raise Unsupported("this form of operand")

    def write(self, operand: Operand, ptx: str, text: str) -> None:
        """Assign an expression, whose C++ type is that of the PTX type, to an operand."""
        value = Value(text, kind_of(ptx), width_of(ptx), CPP[ptx])
        if isinstance(operand, Register) and operand.name == "_":
            self.line(f"(void)({text});")
        elif isinstance(operand, Register):
            variable = self._variable(operand.name)
            self._assign(variable, value.as_type(variable.type, exact=False))
        elif isinstance(operand, Argument) and self._operands[operand.number].output:
            self.output.events.append(Event("write", operand.number, self._at))
            copy = self._copies.get(operand.number)
            if copy is not None:
                self._assign(copy, value.as_type(copy.type, exact=False))
            else:
                self.line(self._store(self._operands[operand.number], value))
        else:
            raise Unsupported("a result that is not an output")

    # Details

    def _argument(self, number: int) -> Value:
        operand = self._operands[number]
        if operand.tied is not None:
            return self._argument(operand.tied)
        self.output.events.append(Event("read", number, self._at))
        copy = self._copies.get(number)
        return operand.value if copy is None else _of_variable(copy)

    def _special(self, operand: Special) -> Value:
        entry = special(operand)
        if entry is None:
            raise Unsupported(f"the special register %{operand.name}")
        self.caveat(entry.caveat)
        text = self.helper(entry.text, entry.header)
        return Value(text, "int", width_of(entry.type), CPP[entry.type])

    def _variable(self, name: str) -> Variable:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        raise Unsupported(f"the name '{name}', which the statement does not declare,")

    def _assign(self, variable: Variable, text: str) -> None:
        variable.writes += 1
        line = variable.line
        if variable.writes == 1 and line is not None and line.depth == len(self._scopes):
            line.variable, line.text = None, ""  # move the declaration to the first assignment
            variable.line = Line(text, variable, line.depth)
            self.output.lines.append(variable.line)
        else:
            self.line(f"{variable.name} = {text};")

    def _store(self, operand: BoundOperand, value: Value) -> str:
        text = value.as_type(operand.type, exact=False)
        if operand.value.kind == "pointer":
            known = operand.declared
            if known is not None and known.levels == 1 and not known.array and known.type != "auto":
                return f"{operand.text} = ({known.type}*)({text});"
            return self.helper(f"@set({operand.text}, {text});", "core.h")
        return f"{operand.text} = {text};"


def _of_variable(variable: Variable) -> Value:
    return Value(variable.name, kind_of(variable.type), width_of(variable.type), CPP[variable.type])
