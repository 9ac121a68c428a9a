"""Data classes whose methods are made when they are first needed: `from hipport.records import dataclass`.

`dataclasses.dataclass` compiles six functions for each class, which takes half of the time that importing hipport's
modules does, and most commands make instances of few of these classes.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False) -> Callable[[type], type]:
        """Do what `dataclasses.dataclass` does with these arguments; fields have no `init=False` and no `InitVar`."""

        def decorate(cls: type) -> type:
            own = _own_fields(cls)
            base = next((each for each in cls.__mro__[1:] if "__dataclass_fields__" in each.__dict__), None)
            shape = _Shape(cls.__name__, {**(base.__dict__["__hipport_shape__"].fields if base else {}), **own}, frozen)
            made = _slotted(cls, own) if slots else cls
            for name, value in shape.methods(made):
                if cls.__dict__.get(name) is None:  # `__hash__` is None in classes with an `__eq__` of their own
                    setattr(made, name, value)
            return made

        return decorate


_MISSING = dataclasses.MISSING
_SET = object.__setattr__


def _own_fields(cls: type) -> dict[str, tuple[str, Any]]:
    """Return the annotation and the default of the fields that a class itself declares."""
    names = (each for each in cls.__annotations__.items() if not each[1].startswith("ClassVar"))
    found = {name: (kind, cls.__dict__.get(name, _MISSING)) for name, kind in names}
    for name, (_, default) in found.items():
        if isinstance(default, dataclasses.Field):
            if default.default is not _MISSING:
                setattr(cls, name, default.default)
            else:
                delattr(cls, name)
    return found


def _slotted(cls: type, fields: dict[str, tuple[str, Any]]) -> type:
    """Return a class like `cls` with a slot for each of its fields."""
    members = {name: value for name, value in cls.__dict__.items() if name not in (*fields, "__dict__", "__weakref__")}
    made: type = type(cls)(cls.__name__, cls.__bases__, {**members, "__slots__": tuple(fields)})
    made.__qualname__ = cls.__qualname__
    return made


@dataclasses.dataclass(frozen=True)
class _Shape:
    """The fields of a class, by name: their annotations and defaults."""

    name: str
    fields: dict[str, tuple[str, Any]]
    frozen: bool

    def methods(self, cls: type) -> Iterator[tuple[str, Any]]:
        """Yield the attributes of a data class."""
        yield "__hipport_shape__", self
        yield "__dataclass_fields__", _Fields(self)
        yield "__match_args__", tuple(self.fields)
        yield "__init__", self._first_init(cls)
        yield "__repr__", _repr
        yield "__eq__", _eq(self._values())
        yield "__hash__", _hash(self._values()) if self.frozen else None
        if self.frozen:
            yield "__setattr__", _refuse_to_set
            yield "__delattr__", _refuse_to_delete
            yield "__getstate__", _state
            yield "__setstate__", _set_state

    def _values(self) -> Callable[[Any], tuple[Any, ...]]:
        """Return what returns the values of all fields of an instance."""
        if len(self.fields) > 1:
            values: Callable[[Any], tuple[Any, ...]] = operator.attrgetter(*self.fields)
            return values
        return lambda instance: tuple(getattr(instance, name) for name in self.fields)

    def _first_init(self, cls: type) -> Callable[..., None]:
        """Return an `__init__` that replaces itself by a compiled one."""

        def __init__(self_: Any, *values: Any, **named: Any) -> None:
            if cls.__dict__["__init__"] is __init__:
                cls.__init__ = self.init(cls)  # type: ignore[misc]
            cls.__init__(self_, *values, **named)  # type: ignore[misc]

        return __init__

    def init(self, cls: type) -> Callable[..., None]:
        """Compile `__init__`."""
        scope: dict[str, Any] = {"_set": _SET, "_missing": _MISSING}
        parameters, lines = [], []
        for name, (_, default) in self.fields.items():
            value, text = name, name
            if isinstance(default, dataclasses.Field) and default.default_factory is not _MISSING:
                scope[f"_make_{name}"], text = default.default_factory, f"{name}=_missing"
                value = f"_make_{name}() if {name} is _missing else {name}"
            elif default is not _MISSING:
                scope[f"_default_{name}"], text = default, f"{name}=_default_{name}"
            parameters.append(text)
            lines.append(f" _set(_self, {name!r}, {value})" if self.frozen else f" _self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" _self.__post_init__()")
        exec(f"def __init__({', '.join(['_self', *parameters])}):\n" + "\n".join(lines or [" pass"]), scope)
        made: Callable[..., None] = scope["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        return made


class _Fields:
    """Makes `__dataclass_fields__`, which only `replace`, `fields` and the like read, by the standard library."""

    def __init__(self, shape: _Shape) -> None:
        self._shape = shape

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        shape = self._shape
        defaults = {name: default for name, (_, default) in shape.fields.items() if default is not _MISSING}
        annotations = {name: kind for name, (kind, _) in shape.fields.items()}
        twin = type(shape.name, (), {**defaults, "__annotations__": annotations, "__module__": owner.__module__})
        found: dict[str, Any] = dataclasses.dataclass(init=False, repr=False, eq=False)(twin).__dataclass_fields__  # type: ignore[attr-defined]
        holder = next(each for each in owner.__mro__ if each.__dict__.get("__dataclass_fields__") is self)
        holder.__dataclass_fields__ = found  # type: ignore[attr-defined]
        return found


def _repr(self: Any) -> str:
    values = (f"{name}={getattr(self, name)!r}" for name in self.__hipport_shape__.fields)
    return f"{self.__class__.__qualname__}({', '.join(values)})"


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__hipport_shape__.fields]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__hipport_shape__.fields, state, strict=True):
        _SET(self, name, value)
