"""Traces as programs write them, including truncated ones."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.verify.trace.file import Content, base_name, read_trace

TRACE = """\
launch\t1\tvoid sum<float>(float const*, int)\t2,1,1\t64,1,1\t16
arg\t1\tfloat const*\t1+8
arg\t2\tint\t08000000
before\t1\t32\tab
after\t1\t32\tcd
end\t1
launch\t2\tnext\t1,1,1\t1,1,1\t0
"""


def test_read() -> None:
    first, second = read_trace(TRACE)
    assert (first.title, first.shared_bytes, first.ended) == ("launch 1, sum<<<(2,1,1), (64,1,1)>>>", 16, True)
    assert [argument.value for argument in first.arguments] == ["1+8", "08000000"]
    assert first.changes == {"before": {1: Content(32, "ab")}, "after": {1: Content(32, "cd")}}
    assert (second.name, second.ended) == ("next", False)


def test_a_line_that_was_not_finished_is_left_out() -> None:
    assert read_trace(TRACE[:-5])[-1].number == 1


@pytest.mark.parametrize(
    "line", ["nonsense", "launch\tx\tk\t1\t1\t0", "end", "after\t1\t2", "during\t1\t2\t3", "arg\t1", "launch\t1"]
)
def test_damaged(line: str) -> None:
    with pytest.raises(HipportError, match=r"line 8 of the trace is invalid"):
        read_trace(TRACE + line + "\n")


FIELDS = st.sampled_from([*["launch", "arg", "before", "after", "end", "1", "2", "k", "1,1,1", "1+0"], "", "\x00"])


@given(st.lists(st.lists(FIELDS, max_size=7).map("\t".join), max_size=6).map("\n".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(HipportError):
        assert all(launch.number >= 0 for launch in read_trace(text))


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("sum", "sum"),
        ("sum<float, 2>", "sum"),
        ("ns::sum<ns::T>", "sum"),
        ("void ns::sum<float>(float const*, int)", "sum"),
        ("(anonymous namespace)::sum(float*)", "sum"),
        ("void (anonymous namespace)::sum<2>(float*)", "sum"),
        ("HIP_KERNEL_NAME(sum<T, 2>)", "sum"),
        ("(sum<T>)", "sum"),
        ("&sum", "sum"),
        ("table[i]", "table[i]"),
        ("?", "?"),
    ],
)
def test_base_name(kernel: str, name: str) -> None:
    assert base_name(kernel) == name
