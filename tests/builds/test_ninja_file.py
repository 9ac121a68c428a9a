from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.builds.freshness import stamp_path
from hipport.builds.ninja_file import ninja_text
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.runner import ninja_program
from hipport.errors import UsageError
from tests.builds.fakes import device_libraries, planner, unit

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0|"), min_size=1, max_size=12)
NAME = TEXT.filter(lambda name: "/" not in name and name.strip() not in ("", ".", ".."))


def build(step: BuildStep, folder: Path) -> None:
    (folder / "build.ninja").write_text(ninja_text(BuildPlan((step,), step.output), "."))
    (folder / step.output).parent.mkdir()
    (folder / stamp_path(step.output)).touch()
    subprocess.run([ninja_program()], cwd=folder, check=True, capture_output=True)


@given(NAME, NAME, st.lists(TEXT, max_size=4))
@settings(max_examples=40, deadline=None)
def test_any_name_and_argument_reaches_the_program_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, source: str, output: str, arguments: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("ninja")
    (folder / "in").mkdir()
    (folder / "in" / source).write_text("")
    program = "import sys; open(sys.argv[1], 'w', newline='').write('\\n'.join(sys.argv[2:]))"
    command = ("python3", "-c", program, f"out/{output}", f"in/{source}", *arguments)
    build(BuildStep(StepKind.HOST, "title", command, (f"in/{source}",), f"out/{output}"), folder)
    assert (folder / "out" / output).read_text() == "\n".join([f"in/{source}", *arguments])


def test_steps_describe_themselves_by_number(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a", "1100")).plan([unit()])
    text = ninja_text(plan, "out.build")
    assert [line for line in text.splitlines() if line.startswith("  step")] == [
        f"  step = {n}" for n in range(len(plan.steps))
    ]
    assert "builddir = out.build\n" in text
    assert text.endswith("default out.build/product\n")


def test_inputs_are_what_steps_make_and_a_stamp_of_all_else() -> None:
    first = BuildStep(StepKind.HOST, "t", ("cc",), ("a.c",), "a.o")
    text = ninja_text(BuildPlan((first, BuildStep(StepKind.LINK, "t", ("ld",), ("a.o", "b.a"), "p")), "p"), ".")
    found = [line for line in text.splitlines() if line.startswith("build ")]
    assert found == ["build a.o: run a.o.inputs", "build p: run a.o p.inputs"]


def test_the_word_with_a_line_break_is_named_and_not_the_command() -> None:
    plan = BuildPlan((BuildStep(StepKind.HOST, "t", ("cc", "-I", "a\nb", "-c"), (), "x.o"),), "x.o")
    with pytest.raises(UsageError, match=r"line breaks or NUL: 'a\\nb'$"):
        ninja_text(plan, ".")


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a|b"])
def test_names_that_ninja_cannot_have_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        ninja_text(BuildPlan((BuildStep(StepKind.HOST, "t", ("cc", "x"), (), name),), name), ".")
