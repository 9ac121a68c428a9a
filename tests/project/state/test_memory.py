from __future__ import annotations

import json

import pytest

from hipport.diagnostics import Change, Diagnostic, Quote, Severity
from hipport.files.includes import Seen
from hipport.project.state.memory import Memory, Record, from_bytes, to_bytes
from hipport.project.translate import Outcome
from hipport.source import Replace, Span, Wrap

FIX = (Replace(1, 9, "x", whole=True, kept=(Span(2, 3), Span(5, 7))), Wrap(3, 4, "(", ")"))
FOUND = Diagnostic(
    "a.cu", 3, 4, "HP201", Severity.WARNING, "message", "advice", FIX, Quote("  text", 7), (Change(1, 2, 3, 4, "x"),)
)
SEEN = Seen(frozenset({"cudaA"}), frozenset({"cudaB", "cudaC"}), ("b.cuh", "<x>"))
OUTCOME = Outcome(None, (FOUND,), SEEN, support=("hipport/compat/lanes.h",), foreign=frozenset({"cudaC"}))
MEMORY = Memory("key", {"a.cu": Record("1", "2", {"b.cu": "b.hip"}, OUTCOME)}, {"/x/a.cu": (1, 2, 3, 4, 5, "d")})


def test_a_memory_comes_back_as_it_was() -> None:
    assert from_bytes(to_bytes(MEMORY)) == MEMORY


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b"[1]", to_bytes(MEMORY)[:-9]])
def test_a_damaged_memory_is_an_empty_one(damage: bytes) -> None:
    assert from_bytes(damage) == Memory()


def test_a_record_of_another_shape_is_an_empty_memory() -> None:
    data = json.loads(to_bytes(MEMORY))
    data["records"]["a.cu"].pop()
    assert from_bytes(json.dumps(data).encode()) == Memory()
