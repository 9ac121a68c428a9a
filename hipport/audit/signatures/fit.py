"""How an argument of one type is accepted by a parameter of another."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection

from hipport.audit.signatures.types import CType

_INTEGERS = {
    "bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "unsigned": 4,
    "long": 8,
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
}
"""Sizes in bytes, where CUDA and HIP run."""
_FLOATS = {"float": 4, "double": 8}
_ENUM_SIZE = 4


class Fit(enum.IntEnum):
    """The ways, from exact to not at all."""

    SAME = 0
    CONST = 1
    """The parameter promises not to write what the argument points to."""
    ANY = 2
    """A template's parameter, or `void *`, takes it."""
    ARITHMETIC = 3
    """A number or an enumerator is converted to a type that holds all its values, or to the other signedness."""
    NARROWER = 4
    """A number is converted to a smaller type."""
    NONE = 5


def fit(argument: CType | None, parameter: CType, template: Collection[str], enums: Collection[str]) -> Fit:
    """Return how an argument (None: of a type that suits) is accepted; both types are canonical."""
    if argument is None:
        return Fit.SAME
    if argument.value == parameter.value and not _binds_badly(parameter):
        return Fit.SAME
    if _is_wildcard(parameter, template):
        return _deduced(argument, parameter)
    if argument.pointers and parameter.pointers:
        return _pointers(argument, parameter)
    if argument.pointers or parameter.pointers or _binds_badly(parameter):
        return Fit.NONE
    return _numbers(argument.base, parameter.base, enums)


def result_fit(returned: CType, wanted: CType, enums: Collection[str]) -> Fit:
    """Return how a result is accepted in expressions: another sign changes values, and bool becomes an int there."""
    if {returned.value, wanted.value} == {CType("int"), CType("unsigned int")}:
        return Fit.NARROWER
    return fit(returned, wanted, (), enums)


def _binds_badly(parameter: CType) -> bool:
    """Return whether only a variable binds to the parameter."""
    return parameter.reference == "&" and not (parameter.constant or (parameter.pointers and parameter.pointers[-1]))


def _is_wildcard(parameter: CType, template: Collection[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name.strip('.'))}\b", parameter.base) for name in template if name)


def _deduced(argument: CType, parameter: CType) -> Fit:
    levels = len(parameter.pointers)
    if len(argument.pointers) < levels:
        return Fit.NONE
    if levels and argument.constant and not parameter.constant and len(argument.pointers) == levels:
        return Fit.ANY  # T is deduced with its const
    return Fit.ANY


def _pointers(argument: CType, parameter: CType) -> Fit:
    if len(argument.pointers) == len(parameter.pointers) and argument.base == parameter.base:
        inner, outer = argument.pointers[:-1], parameter.pointers[:-1]
        loses = (argument.constant and not parameter.constant) or any(
            mine and not theirs for mine, theirs in zip(inner, outer, strict=True)
        )
        deep = len(inner) > 0 and (argument.constant, *inner) != (parameter.constant, *outer)
        # `T **` converts to `const T *const *`, not to `const T **`.
        return Fit.NONE if loses or (deep and not all(outer)) else Fit.CONST
    if parameter.base == "void" and len(parameter.pointers) == 1:
        written = argument.constant if len(argument.pointers) == 1 else argument.pointers[-2]
        return Fit.NONE if written and not parameter.constant else Fit.ANY
    return Fit.NONE


def _numbers(argument: str, parameter: str, enums: Collection[str]) -> Fit:
    from_size = _FLOATS.get(argument) or _size(argument, enums)
    to_size = _FLOATS.get(parameter) or _INTEGERS.get(parameter)
    if from_size is None or to_size is None:
        return Fit.NONE
    if argument in _FLOATS and parameter not in _FLOATS:
        return Fit.NARROWER
    if parameter in _FLOATS and argument not in _FLOATS:
        return Fit.ARITHMETIC if from_size < to_size else Fit.NARROWER
    return Fit.ARITHMETIC if from_size <= to_size else Fit.NARROWER


def _size(base: str, enums: Collection[str]) -> int | None:
    return _ENUM_SIZE if base in enums else _INTEGERS.get(base)
