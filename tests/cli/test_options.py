"""Every command gets a struct with one field for each click parameter, of the type that click passes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
import pytest
from msgspec import Struct, structs

from hipport.cli import _hipport
from hipport.cli.common import takes


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        elif parameters(command):
            yield f"{path}{name}", command


def parameters(command: click.Command) -> list[click.Parameter]:
    """Return the parameters that a command's function gets: all but `--color`."""
    return [parameter for parameter in command.params if parameter.expose_value]


COMMANDS = dict(commands(_hipport))
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))


def options_of(command: click.Command) -> type[Any]:
    """Return the struct that a command's function takes."""
    assert command.callback is not None
    ((_, kind),) = (hint for hint in get_type_hints(inspect.unwrap(command.callback)).items() if hint[0] != "return")
    return kind


def groups(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield a struct and the structs embedded in it."""
    yield kind
    for type_ in get_type_hints(kind).values():
        if isinstance(type_, type) and issubclass(type_, Struct):
            yield from groups(type_)


def fields(kind: type[Any]) -> list[tuple[str, Any]]:
    found = [field for each in groups(kind) for field in get_type_hints(each).items()]
    return [(name, type_) for name, type_ in found if not (isinstance(type_, type) and issubclass(type_, Struct))]


def type_of(parameter: click.Parameter, default: object) -> Any:
    """Return the type that click passes for a parameter, as an annotation."""
    one = type_of_one(parameter)
    if parameter.multiple or parameter.nargs == -1:
        return tuple[one, ...]
    return one if parameter.required or default is not None else one | None


def type_of_one(parameter: click.Parameter) -> Any:
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return bool
    type_ = parameter.type
    if isinstance(type_, click.Choice):
        return Literal[tuple(type_.choices)]
    if isinstance(type_, click.Path):
        return type_.type or str
    plain = {click.types.IntParamType: int, click.types.FloatParamType: float, click.types.StringParamType: str}
    return next(known for kind, known in plain.items() if isinstance(type_, kind))


def parts(type_: Any) -> Any:
    """Return a form of a type in which the order of `Literal["a", "b"] | None` does not matter."""
    if get_origin(type_) in (Union, UnionType, Literal):
        return frozenset(map(parts, get_args(type_)))
    return (get_origin(type_), *map(parts, get_args(type_))) if get_args(type_) else type_


def test_the_walk_finds_the_commands() -> None:
    assert {"build", "convert", "check", "verify", "llm serve", "mappings sync", "bench p2p"} <= COMMANDS.keys()


@every_command
def test_parameters_are_the_fields(command: click.Command) -> None:
    names = [name for name, _ in fields(options_of(command))]
    assert sorted(names) == sorted(str(parameter.name) for parameter in parameters(command))


@every_command
def test_types_are_what_click_passes(command: click.Command) -> None:
    defaults = command.make_context("", [], resilient_parsing=True).params
    expected = {str(each.name): parts(type_of(each, defaults[str(each.name)])) for each in parameters(command)}
    assert {name: parts(type_) for name, type_ in fields(options_of(command))} == expected


@every_command
def test_options_are_frozen_and_slotted_and_have_no_defaults(command: click.Command) -> None:
    for kind in groups(options_of(command)):
        assert kind.__struct_config__.frozen and not kind.__struct_config__.dict, kind
        assert all(field.required for field in structs.fields(kind))


@every_command
def test_a_parameter_without_a_field_or_a_field_without_a_parameter_fails(command: click.Command) -> None:
    assert command.callback is not None
    values = dict.fromkeys(str(each.name) for each in parameters(command))
    with pytest.raises(TypeError, match="has no field for surplus"):
        command.callback(**values, surplus=1)
    missing, _ = values.popitem()
    with pytest.raises(KeyError, match=missing):
        command.callback(**values)


class Inner(Struct, frozen=True):
    first: int
    second: Path


class Outer(Struct, frozen=True):
    name: str
    inner: Inner


def test_embedded_groups_take_their_parameters() -> None:
    seen = []

    @takes(Outer)
    def function(options: Outer) -> None:
        seen.append(options)

    function(second=Path("a"), name="b", first=3)
    assert seen == [Outer("b", Inner(3, Path("a")))]
