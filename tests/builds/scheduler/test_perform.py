from __future__ import annotations

import pickle
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import hipport
from hipport.builds.plan import BuildPlan, StepKind
from hipport.builds.scheduler import record
from hipport.builds.scheduler.graph import Graph
from hipport.builds.scheduler.perform import KilledError, perform
from hipport.builds.scheduler.protocol import Batch, Task
from hipport.builds.scheduler.site import survey
from tests.builds.scheduler.fakes import make_step


@pytest.fixture(autouse=True)
def _here(here: Path) -> None:
    pass


def make_job(compiler: str, *inputs: str, output: str = "out.build/u/a.co") -> Batch:
    plan = BuildPlan((make_step(compiler, StepKind.DEVICE, output, *inputs),), output)
    return Batch(7, survey(plan, "out.build", "token"), (Graph.of(plan, str(Path.cwd()), "").task(0),))


def with_task(job: Batch, **changes: object) -> Batch:
    return replace(job, tasks=(replace(job.tasks[0], **changes),))  # type: ignore[arg-type]


def folder_names() -> set[str]:
    return {path.name for path in Path("out.build/u").iterdir()}


def test_a_job_is_data_and_survives_the_way_to_another_machine(compiler: str) -> None:
    job = make_job(compiler, "s0.txt")
    assert pickle.loads(pickle.dumps(job)) == job
    (outcome,) = perform(pickle.loads(pickle.dumps(job))).outcomes
    assert (outcome.status, outcome.made, outcome.refusal) == (0, True, "")
    assert Path("out.build/u/a.co").read_text() == "source 0\ninclude h.txt\nheader\n"
    assert Path("out.build/u/a.co.d").read_text() == "out.build/u/a.co: s0.txt h.txt \n"
    assert folder_names() == {"a.co", "a.co.d", "a.co.made"}


def test_a_job_that_is_done_is_not_done_twice_and_says_what_was_said(compiler: str) -> None:
    Path("s0.txt").write_text("say careful\n")
    job = make_job(compiler, "s0.txt")
    first, again = perform(job).outcomes[0], perform(job).outcomes[0]
    assert (first.made, again.made, first.text, again.text) == (True, False, "say careful\n", "say careful\n")
    assert len(Path("compiled.log").read_text().split()) == 1


def test_two_that_do_the_same_at_a_time_make_it_once(compiler: str) -> None:
    slow = Path(compiler).read_text().replace("grep -h", "sleep 0.5\ngrep -h", 1)
    Path(compiler).write_text(slow)
    job = make_job(compiler, "s0.txt")
    made: list[bool] = []
    both = [threading.Thread(target=lambda: made.append(perform(job).outcomes[0].made)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert sorted(made) == [False, True]
    assert len(Path("compiled.log").read_text().split()) == 1
    assert folder_names() == {"a.co", "a.co.d", "a.co.made"}


def test_an_output_is_never_seen_half_written(compiler: str) -> None:
    text = Path(compiler).read_text().replace('cat "$@"', 'printf half > "$output"; sleep 0.5\ncat "$@"')
    Path(compiler).write_text(text)
    thread = threading.Thread(target=perform, args=(make_job(compiler, "s0.txt"),))
    thread.start()
    while thread.is_alive():
        recorded = Path("out.build/u/a.co.made").exists()
        whole = not Path("out.build/u/a.co").exists() or Path("out.build/u/a.co").read_text().endswith("header\n")
        assert whole and (not recorded or Path("out.build/u/a.co").exists())
        time.sleep(0.02)
    thread.join()
    assert Path("out.build/u/a.co.made").exists()


def test_what_else_a_command_leaves_in_its_folder_is_kept(compiler: str) -> None:
    Path(compiler).write_text(Path(compiler).read_text() + 'echo temp > "$(dirname "$output")/a.bc"\n')
    perform(make_job(compiler, "s0.txt"))
    assert folder_names() == {"a.co", "a.co.d", "a.co.made", "a.bc"}


@pytest.mark.parametrize("flag", ["-o", "-output="])
def test_outputs_are_found_in_the_spellings_that_compilers_have(compiler: str, flag: str) -> None:
    script = '#!/bin/sh\nfor a; do case $a in -o*=*) o=${a#*=};; -o*) o=${a#-o};; esac; done; echo x > "$o"\n'
    Path(compiler).write_text(script)
    job = make_job(compiler, "s0.txt")
    command = (compiler, f"{flag}out.build/u/a.co", "s0.txt")
    assert perform(with_task(job, command=command, depfile=None)).outcomes[0].status == 0
    assert folder_names() == {"a.co", "a.co.made"}


def test_a_failing_command_leaves_nothing(compiler: str) -> None:
    Path("s0.txt").write_text("fail\n")
    (outcome,) = perform(make_job(compiler, "s0.txt")).outcomes
    assert (outcome.status, outcome.text) == (3, "s0.txt: error: no\n")
    assert folder_names() == set()


def test_a_command_that_is_not_there_is_a_failing_command(compiler: str) -> None:
    job = make_job(compiler, "s0.txt")
    (outcome,) = perform(with_task(job, command=("/no/such/cc",))).outcomes
    assert outcome.status == 127 and "/no/such/cc" in outcome.text


def test_a_command_that_was_killed_can_be_tried_again(compiler: str) -> None:
    Path("s0.txt").write_text("die\n")
    with pytest.raises(KilledError, match=r"a\.co: ended by signal 9 on "):
        perform(make_job(compiler, "s0.txt"))
    assert folder_names() == set()


def test_an_input_that_differs_is_refused_by_name(compiler: str) -> None:
    job = make_job(compiler, "s0.txt")
    Path("s0.txt").write_text("not what was meant\n")
    (outcome,) = perform(job).outcomes
    assert outcome.refusal == f"sees another s0.txt than {job.site.host}"
    assert not Path("compiled.log").exists()


def test_the_environment_of_the_site_counts(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(compiler).write_text('#!/bin/sh\necho "$CPATH:$HIP_PLATFORM:$LIBRARY_PATH:$TMPDIR" > "$6"\n')
    monkeypatch.setenv("CPATH", "/there")
    monkeypatch.delenv("LIBRARY_PATH", raising=False)
    job = make_job(compiler, "s0.txt")
    for name in ("CPATH", "LIBRARY_PATH", "TMPDIR"):
        monkeypatch.setenv(name, "/elsewhere")
    monkeypatch.setenv("TMPDIR", str(Path.cwd()))
    perform(with_task(job, depfile=None))
    said = Path("out.build/u/a.co").read_text()
    assert said.startswith(f"/there:amd::{Path.cwd()}/hipport-")  # a folder in the machine's own, which is gone
    assert not Path(said.rpartition(":")[2].strip()).exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "0.0"}, rf"has hipport {hipport.__version__}; .* has 0\.0"),
        ({"token": "other"}, r"cannot access the build folder of .*out\.build"),
        ({"folders": ("/no/such/include",)}, r"has no folder /no/such/include, unlike "),
        ({"tools": (("/bin/true", "true 99\nmore"),)}, r"has a different /bin/true: true .*; .* has true 99$"),
    ],
)
def test_a_machine_that_is_not_alike_refuses(compiler: str, changes: dict[str, object], message: str) -> None:
    job = make_job(compiler, "s0.txt")
    (outcome,) = perform(replace(job, site=replace(job.site, **changes))).outcomes  # type: ignore[arg-type]
    assert re.search(message, outcome.refusal) and outcome.where
    assert not Path("out.build/u").exists()


def test_device_libraries_are_told_apart_by_content(compiler: str) -> None:
    Path("libs").mkdir()
    Path("libs/a.bc").write_text("one")
    plan = BuildPlan((make_step(compiler, StepKind.DEVICE, "out.build/a", "s0.txt"),), "out.build/a")
    step = replace(plan.steps[0], command=(*plan.steps[0].command, "--rocm-device-lib-path=libs"))
    before = dict(survey(BuildPlan((step,), ""), "out.build", "token").tools)
    Path("libs/a.bc").write_text("two")
    after = dict(survey(BuildPlan((step,), ""), "out.build", "token").tools)
    assert before.keys() == after.keys() == {compiler, str(Path("libs").absolute())}
    assert [tool for tool in before if before[tool] != after[tool]] == [str(Path("libs").absolute())]


def test_a_record_that_makes_no_sense_is_none(compiler: str) -> None:
    job = make_job(compiler, "s0.txt")
    perform(job)
    path = Path(record.record_path("out.build/u/a.co"))
    for text in ("", "[]", "{}", '{"key": 1}', "\xff"):
        path.write_text(text, encoding="latin-1")
        assert record.load(str(Path.cwd()), "out.build/u/a.co") is None
    task: Task = job.tasks[0]
    assert not record.holds(None, str(Path.cwd()), task, lambda path: None)
