"""The backends implement one protocol, and each is found by its name."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import hipport.builds
from hipport.builds.backends import NAMES, Backend, backend, taking
from hipport.builds.shipped import choose_target
from hipport.cli.build import command
from hipport.errors import UsageError
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import machine

MEMBERS = [name for name in vars(Backend) if not name.startswith("_")]


def test_every_package_with_a_backend_has_a_name() -> None:
    packages = Path(hipport.builds.__file__).parent.glob("*/backend.py")
    assert sorted(path.parent.name for path in packages) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_backend_implements_the_protocol(name: str) -> None:
    found = backend(name)  # type: ignore[arg-type]
    assert isinstance(found.device, str) and isinstance(found.options, frozenset)
    assert len(MEMBERS) == 4
    for member in MEMBERS:
        wanted, given = (inspect.signature(getattr(each, member)) for each in (Backend, type(found)))
        assert given == wanted, member


def test_the_special_options_are_options_of_the_command() -> None:
    known = {option for parameter in command.params for option in parameter.opts}
    special = {option for name in NAMES for option in backend(name).options}
    assert special and special <= known
    assert all(0 < len(taking(option)) < len(NAMES) for option in special)


def test_a_machine_without_gpus_has_a_cpu(tmp_path: Path) -> None:
    where = machine(tmp_path)
    assert {name: backend(name).native(where) for name in NAMES} == {"amd": None, "nvidia": None, "cpu": ()}


@pytest.mark.parametrize(("name", "given", "found"), [
    ("amd", ["gfx90a:xnack+,gfx1100", "gfx90a:xnack+"], ("gfx90a:xnack+", "gfx1100")),
    ("cpu", ["gfx942"], ("gfx942",)),
    ("nvidia", ["sm_80", "compute_90,sm_80"], ("sm_80", "compute_90")),
    ("amd", [], ()),
    ("nvidia", [], ()),
])  # fmt: skip
def test_targets_get_canonical_names(name: str, given: list[str], found: tuple[str, ...]) -> None:
    assert backend(name).targets(given, Surroundings()) == found  # type: ignore[arg-type]


def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown target 'tpu'"):
        choose_target(machine(tmp_path), "tpu")
