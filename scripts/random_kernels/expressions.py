"""Random expressions whose values C++ and IEEE 754 define to the bit.

Integers wrap around through unsigned types, shifts and divisors are made valid, floating point is converted to integers
within their range. NaNs get one pattern (`canonical`), since their bits depend on the processor.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

INTEGERS = ("int", "unsigned", "long long", "unsigned long long")
SMALL = ("unsigned char", "signed char", "unsigned short", "short")
FLOATS = ("float", "double")
TYPES = (*INTEGERS, *SMALL, *FLOATS)
_UNSIGNED = {"int": "unsigned", "long long": "unsigned long long"}
_BITS = {"int": 32, "unsigned": 32, "long long": 64, "unsigned long long": 64}
_CONSTANTS = ("0", "1", "2", "3", "7", "31", "64", "100", "255", "4095", "65535", "0x7fffffff", "0x80000000u",
              "0xffffffffu", "0x12345678", "0xdeadbeefu")  # fmt: skip
_REALS = ("0.0", "-0.0", "1.0", "-1.5", "0.1", "3.25", "1e-3", "65504.0", "16777216.0", "1e20", "-1e-30", "1e-40")

Variables = Mapping[str, Sequence[str]]
"""Names of readable variables by type."""


class Expressions:
    """Writes expressions of a type from the variables that are readable."""

    def __init__(self, choose: random.Random, readable: Callable[[], Variables], calls: Mapping[str, Sequence[str]]):
        self.choose, self._readable, self._calls = choose, readable, calls

    def of(self, kind: str, depth: int) -> str:
        """Return an expression of this type in at most `depth` nested operations."""
        if depth == 0 or self.choose.random() < 0.15:
            return self._leaf(kind)
        if kind in SMALL:
            return f"({kind})({self.of(self.choose.choice(INTEGERS), depth - 1)})"
        if self._calls.get(kind) and self.choose.random() < 0.06:
            return self._call(kind, depth)
        if self.choose.random() < 0.12:
            return f"({self.condition(depth - 1)} ? {self.of(kind, depth - 1)} : {self.of(kind, depth - 1)})"
        return self._real(kind, depth) if kind in FLOATS else self._integer(kind, depth)

    def condition(self, depth: int) -> str:
        """Return an expression of type bool."""
        if depth > 0 and self.choose.random() < 0.25:
            return f"({self.condition(depth - 1)} {self.choose.choice(('&&', '||'))} {self.condition(depth - 1)})"
        kind = self.choose.choice((*INTEGERS, *FLOATS))
        relation = self.choose.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"({self.of(kind, max(depth - 1, 0))} {relation} {self.of(kind, max(depth - 1, 0))})"

    def index(self, size: int) -> str:
        """Return an index below `size`, a power of two."""
        return f"(({self.of('unsigned', 1)}) & {size - 1})"

    def _leaf(self, kind: str) -> str:
        names = self._readable().get(kind, ())
        if names and self.choose.random() < 0.75:
            return self.choose.choice(names)
        if kind in FLOATS:
            return f"({kind})({self.choose.choice(_REALS)})"
        return f"({kind})({self.choose.choice(_CONSTANTS)})"

    def _call(self, kind: str, depth: int) -> str:
        name, *types = self.choose.choice(self._calls[kind]).split("|")
        return f"{name}({', '.join(self.of(one, max(depth - 2, 0)) for one in types)})"

    def _integer(self, kind: str, depth: int) -> str:
        def a(one: str = kind) -> str:
            return self.of(one, depth - 1)

        wide, bits = _UNSIGNED.get(kind, kind), _BITS[kind]
        forms: list[Callable[[], str]] = [
            *(lambda sign=sign: f"({kind})(({wide})({a()}) {sign} ({wide})({a()}))" for sign in "+-*&|^"),
            lambda: f"({kind})(({wide})({a()}) << (({a('unsigned')}) & {bits - 1}))",
            lambda: f"(({a()}) >> (({a('unsigned')}) & {bits - 1}))",
            lambda: f"({kind})(~({a()}))",
            lambda: f"({kind})({self._dividend(kind, a())} {self.choose.choice('/%')} {self._divisor(kind, a())})",
            lambda: f"({kind})({a(self.choose.choice((*INTEGERS, *SMALL)))})",
            lambda: f"{self.choose.choice(('smallest', 'largest'))}<{kind}>({a()}, {a()})",
            lambda: f"({kind})to_integer({a(self.choose.choice(FLOATS))})",
            lambda: f"({kind})({self.condition(depth - 1)})",
            lambda: f"({kind}){self._bits(kind, depth)}",
        ]  # fmt: skip
        return self.choose.choice(forms)()

    def _dividend(self, kind: str, value: str) -> str:
        """Return a value without the sign that clang up to 19 looks for in unsigned numbers."""
        return (
            f"(({value}) & ({kind}){(1 << (_BITS[kind] - 1)) - 1:#x})" if kind.startswith("unsigned") else f"({value})"
        )

    def _divisor(self, kind: str, value: str) -> str:
        """Return an odd, positive number."""
        return f"((({value}) & ({kind}){(1 << (_BITS[kind] - 1)) - 2:#x}) | 1)"

    def _bits(self, kind: str, depth: int) -> str:
        def a(one: str = "unsigned") -> str:
            return self.of(one, depth - 1)

        if _BITS[kind] == 64:
            unsigned, both = "unsigned long long", "long long"
            return self.choose.choice((
                f"__popcll({a(unsigned)})", f"__clzll({a(both)})", f"__ffsll({a(unsigned)})",
                f"__brevll({a(unsigned)})",
                f"__umul64hi({a(unsigned)}, {a(unsigned)})", f"__mul64hi({a(both)}, {a(both)})",
                f"bits_of({a('double')})",
            ))  # fmt: skip
        return self.choose.choice((
            f"__popc({a()})", f"__clz({a('int')})", f"__ffs({a()})", f"__brev({a()})", f"__umulhi({a()}, {a()})",
            f"__mulhi({a('int')}, {a('int')})", f"__byte_perm({a()}, {a()}, {a()} & 0x7777)",
            f"__funnelshift_l({a()}, {a()}, {a()})", f"__funnelshift_r({a()}, {a()}, {a()})",
            f"__usad({a()}, {a()}, {a()})", f"bits_of({a('float')})", f"__umul24({a()} & 0xffffff, {a()} & 0xffffff)",
            f"__uhadd({a()}, {a()})", f"__sad({a('int')} >> 1, {a('int')} >> 1, {a()})",
        ))  # fmt: skip

    def _real(self, kind: str, depth: int) -> str:
        def a(one: str = kind) -> str:
            return self.of(one, depth - 1)

        end = "f" if kind == "float" else ""
        other = "double" if kind == "float" else "float"
        bits = "unsigned" if kind == "float" else "unsigned long long"
        forms: list[Callable[[], str]] = [
            *(lambda sign=sign: f"(({a()}) {sign} ({a()}))" for sign in "+-*/+-*"),
            lambda: f"fma{end}({a()}, {a()}, {a()})",
            lambda: f"sqrt{end}({a()})",
            lambda: f"{self.choose.choice(('fabs', 'floor', 'ceil', 'trunc', 'rint', 'round'))}{end}({a()})",
            lambda: f"(f{self.choose.choice(('min', 'max'))}{end}({a()}, {a()}) + ({kind})0)",
            lambda: f"(-({a()}))",
            lambda: f"({kind})({a(other)})",
            lambda: f"({kind})({a(self.choose.choice((*INTEGERS, *SMALL)))})",
            lambda: f"ldexp{end}({a()}, (int)({a('int')}) % 200)",
            lambda: f"from_bits(({bits})({a(bits)}))",
            lambda: f"fmod{end}({a()}, {a()})",
            lambda: f"({kind})({self.condition(depth - 1)} ? 1 : -1)",
        ]  # fmt: skip
        if kind == "float":
            forms.append(lambda: f"halves({a('float')}, {a('float')}, {self.choose.randrange(4)})")
        return self.choose.choice(forms)()
