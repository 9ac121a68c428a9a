"""Every rule and every special register is used by a fixture that is compiled, and run if possible."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.ptx import rules
from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.specials import REGISTERS
from hipport.translate.ptx.tree import Instruction
from tests.translate.ptx.program import FOLDER, program

PAIRS = FOLDER.parent / "pairs" / "ptx"
COMPILED = ("overview.cu", "kernels.cu")


def _sources() -> list[bytes]:
    return [program().encode(), *((PAIRS / name).read_bytes() for name in COMPILED)]


def test_every_rule_has_a_fixture(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def recording(rule: rules.Rule) -> rules.Rule:
        def act(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
            used.add(rule.pattern.pattern)
            rule.action(emitter, instruction, match)

        return replace(rule, action=act)

    known = rules.all_rules()
    recorders = tuple(recording(rule) for rule in known)
    monkeypatch.setattr(rules, "all_rules", lambda: recorders)
    for source in _sources():
        convert_source(source, "a.cu", Context(tables))
    assert len(known) > 150
    assert not {rule.pattern.pattern for rule in known} - used


def test_every_special_register_has_a_fixture() -> None:
    text = b"\n".join(_sources()).decode()
    assert not [name for name in REGISTERS if not re.search(rf"(?<![.\w])%*{re.escape(name)}(?![.\w])", text)]
