"""HIP functions that the CPU target does not support can be called, and report that."""

from __future__ import annotations

import pytest

from scripts import cpu_unsupported
from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


@pytest.mark.parametrize("group", cpu_unsupported.GROUPS, ids=lambda group: group.name)
def test_the_headers_are_those_of_the_tables(group: cpu_unsupported.Group) -> None:
    path = cpu_unsupported.FOLDER / f"{group.name}.h"
    assert path.read_text(encoding="utf-8") == cpu_unsupported.text(group), "run python -m scripts.cpu_unsupported"


@pytest.mark.parametrize("group", cpu_unsupported.GROUPS, ids=lambda group: group.name)
def test_every_function_of_the_tables_is_there(group: cpu_unsupported.Group) -> None:
    functions = [name for name, kind in cpu_unsupported.known(group).items() if kind is cpu_unsupported.Kind.FUNCTION]
    path = cpu_unsupported.FOLDER / f"{group.name}.h"
    there = cpu_unsupported.declared(group.header) | set(cpu_unsupported.words(path.read_text(encoding="utf-8")))
    assert len(functions) > 10
    assert not set(functions) - there - cpu_unsupported.NO_STATUS


def test_calls_are_refused_with_a_line_each(built: Builder) -> None:
    done = built([PROGRAMS / "unsupported.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr.splitlines() == [
        "hipport: hipGraphicsGLRegisterBuffer is not supported by the CPU target",
        "hipport: hipMemMapArrayAsync is not supported by the CPU target",
        "hipport: hipMemMapArrayAsync is not supported by the CPU target",
        "hipport: hiprtcLinkCreate is not supported by the CPU target",
    ]
