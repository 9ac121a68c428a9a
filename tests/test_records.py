"""Data classes whose methods are made on first use behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from hipport import records


def _point(made_by: Callable[..., Any], *, slots: bool) -> Any:
    @made_by(frozen=True, slots=slots)
    class Point:
        """A point."""

        kinds: ClassVar[int] = 2
        x: int
        y: int = 2
        tags: list[str] = dataclasses.field(default_factory=list)

        @property
        def both(self) -> int:
            return self.x + self.y

    return Point


@records.dataclass(frozen=True, slots=True)
class Sent:
    """An object that is sent to other processes."""

    name: str
    size: int = 0


@records.dataclass(frozen=True)
class Base:
    """A class with a field."""

    a: int


@records.dataclass(frozen=True)
class Derived(Base):
    """A class with one more."""

    b: int = 3

    def __post_init__(self) -> None:
        if self.b < 0:
            raise ValueError


@records.dataclass(slots=True)
class Changing:
    """An object that can change."""

    items: list[int] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("slots", [False, True])
def test_the_same_as_the_standard_library(*, slots: bool) -> None:
    def seen(cls: Any) -> list[object]:
        one = cls(1)
        return [
            (one.x, one.y, one.tags, one.both, cls.kinds, cls.__match_args__, cls.__doc__),
            (
                repr(cls(1, 5)).rpartition(".")[2],
                cls(1) == cls(1),
                cls(1) == cls(2),
                one == (1, 2, []),
                one != cls(1, 3),
            ),
            (dataclasses.astuple(one), dataclasses.asdict(one), dataclasses.replace(one, y=7).y),
            [(each.name, each.type) for each in dataclasses.fields(cls)],
            (
                hasattr(one, "__dict__"),
                dataclasses.is_dataclass(cls),
                cls(1).tags is cls(1).tags,
                copy.copy(one) == one,
            ),
        ]

    assert seen(_point(records.dataclass, slots=slots)) == seen(_point(dataclasses.dataclass, slots=slots))


def test_frozen_objects_do_not_change() -> None:
    one = Sent("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.size = 3  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.name
    assert {one: 1}[Sent("a", 0)] == 1
    assert pickle.loads(pickle.dumps(one)) == one


def test_wrong_arguments_are_refused_the_first_time_and_later() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="name"):
            Sent()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="other"):
        Sent("a", other=1)  # type: ignore[call-arg]


def test_fields_are_inherited() -> None:
    assert Derived(1) == Derived(1, 3) != Base(1)
    assert (Base(1).a, Derived(4).a) == (1, 4)
    assert [each.name for each in dataclasses.fields(Derived)] == ["a", "b"]
    with pytest.raises(ValueError):
        Derived(1, -1)


def test_objects_that_change_are_not_hashable() -> None:
    one = Changing()
    one.items = [1]
    assert one == Changing([1]) != Changing()
    with pytest.raises(TypeError):
        hash(one)
