from __future__ import annotations

import pytest

from hipport.builds.messages import Message, messages
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.runner import Done, ninja_program, parse_output
from hipport.errors import HipportError

OUTPUT = """\
@hipport 1 4 0
a.hip:1: warning: careful
1 warning generated when compiling for gfx90a.
@hipport 2 4 1
@hipport 3 4 2
FAILED: [code=1] out/x.co 
clang++ -c x.hip
x.hip:1: error: no
1 error generated when compiling for gfx90a.
@hipport 4 4 3
FAILED: out/y.co 
clang++ -c y.hip
x.hip:1: error: no
1 error generated when compiling for gfx1100.
ninja: build stopped: subcommand failed.
"""  # noqa: W291


def test_each_step_gets_its_own_words_without_those_of_ninja() -> None:
    first, second, third, fourth = parse_output(OUTPUT.splitlines(keepends=True))
    assert (first.step, first.done, first.total, first.failed) == (0, 1, 4, False)
    assert first.text.startswith("a.hip:1: warning")
    assert second == Done(1, 2, 4)
    assert third.failed and third.text.startswith("x.hip:1: error: no\n")
    assert fourth.failed and "clang++" not in fourth.text and "ninja" not in fourth.text


def test_nothing_to_do_is_no_event() -> None:
    assert list(parse_output(["ninja: no work to do.\n"])) == []


def test_an_error_of_ninja_itself_is_told() -> None:
    with pytest.raises(HipportError, match=r"ninja: 'a\.hip', needed by 'x', missing"):
        list(parse_output(["ninja: error: 'a.hip', needed by 'x', missing and no known rule to make it\n"]))


def test_what_every_target_says_is_said_once_warnings_first() -> None:
    steps = tuple(BuildStep(StepKind.DEVICE, f"step {n}", ("cc",), (), f"o{n}") for n in range(4))
    found = messages(BuildPlan(steps, "o3"), parse_output(OUTPUT.splitlines(keepends=True)))
    assert [(m.titles, m.text, m.failed) for m in found] == [
        (("step 0",), "a.hip:1: warning: careful\n", False),
        (("step 2", "step 3"), "x.hip:1: error: no\n", True),
    ]


def test_a_message_names_each_unit_once() -> None:
    message = Message(("a b.hip for gfx90a", "a b.hip for gfx1030", "a b.hip for the host", "link"), "", True)
    assert message.where == "a b.hip for gfx90a, gfx1030, the host; link"


def test_without_ninja_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import ninja

    monkeypatch.setattr(ninja, "BIN_DIR", "")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HipportError, match="cannot find ninja"):
        ninja_program()
