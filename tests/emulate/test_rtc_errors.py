"""What hipRTC returns where something is wrong, as AMD's hipRTC does, and the log of a compilation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_RESULTS = """\
create, no program: ERROR_INVALID_PROGRAM
create, empty source: ERROR_INVALID_INPUT
create, -1 headers: ERROR_INVALID_INPUT
create, no headers: ERROR_INVALID_INPUT
create, no names: ERROR_INVALID_INPUT
create, null header: ERROR_INVALID_INPUT
create, null name: ERROR_INVALID_INPUT
create, empty header: ERROR_INVALID_INPUT
create, empty name: ERROR_INVALID_INPUT
before: code SUCCESS, none, log SUCCESS of its size: 1, name ERROR_NAME_EXPRESSION_NOT_VALID none
compile, null option: ERROR_INVALID_OPTION
expression, null: ERROR_INVALID_INPUT
expression, empty: ERROR_INVALID_INPUT
lowered, null: ERROR_INVALID_INPUT
lowered, nowhere: ERROR_INVALID_INPUT
log size, nowhere: ERROR_INVALID_INPUT
log, nowhere: ERROR_INVALID_INPUT
code size, nowhere: ERROR_INVALID_INPUT
code, nowhere: ERROR_INVALID_INPUT
version, nowhere: ERROR_INVALID_INPUT
destroy, nothing: ERROR_INVALID_INPUT
Invalid HIPRTC error code
"""
_FAILED = "then: code SUCCESS, none, log SUCCESS of its size: 1, name ERROR_NAME_EXPRESSION_NOT_VALID none"
_COMPILED = "then: code SUCCESS, log SUCCESS of its size: 1, name"
_COMPILATIONS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "success": ("SUCCESS", f"{_COMPILED} SUCCESS _Z1kILi3EEvPi", ()),
    "wrong source": (
        "ERROR_COMPILATION",
        _FAILED,
        ("given.cu:1:23: error: use of undeclared identifier 'first'", "2 errors generated"),
    ),
    "unclosed source": ("ERROR_COMPILATION", _FAILED, ("given.cu:", "error: expected '}'", "1 error generated")),
    "wrong expression": ("ERROR_COMPILATION", _FAILED, ("undeclared identifier 'absent'", "1 error generated")),
    "wrong option": ("ERROR_COMPILATION", _FAILED, ("unknown argument: '-fno-such-option'",)),
    "missing header": ("ERROR_COMPILATION", _FAILED, ("'absent.h' file not found", "1 error generated")),
    "warning": (
        "SUCCESS",
        f"{_COMPILED} ERROR_NAME_EXPRESSION_NOT_VALID none",
        ("given.cu:1:2: warning: careful", "1 warning generated"),
    ),
}
"""The result, what a program has then, and parts of its log."""


def test_hiprtc_returns_what_amds_does(tmp_path: Path, cache: Path) -> None:
    source = Path(__file__).parent / "rtc_errors.hip"
    built("--offload-arch", "gfx90a", "-o", "errors", str(source), cwd=tmp_path)
    done = emulated("--emulate", "gfx90a", "./errors", cwd=tmp_path, cache=cache)
    assert done.returncode == 0, done.stderr
    arguments, *compilations = done.stdout.split("== ")
    assert arguments == _RESULTS
    found = {text.partition("\n")[0]: text.splitlines()[1:] for text in compilations}
    assert list(found) == list(_COMPILATIONS)
    for name, (result, state, log) in _COMPILATIONS.items():
        first, second, *messages, last = found[name]
        assert (first, second, last) == (f"compile: {result}", state, "destroy: SUCCESS"), name
        assert all(part in "\n".join(messages) for part in log), (name, messages)
        assert bool(messages) == bool(log), messages
