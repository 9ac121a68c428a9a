from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.plan import BuildPlan, StepKind
from hipport.builds.runner import Done
from hipport.builds.scheduler.check import trouble
from hipport.builds.scheduler.engine import ScheduledEngine
from hipport.builds.scheduler.perform import perform
from hipport.builds.scheduler.protocol import Batch, Ended
from hipport.errors import HipportError
from tests.builds.scheduler.fakes import make_plan, make_step, threads


@pytest.fixture(autouse=True)
def _here(here: Path) -> None:
    pass


def run(plan: BuildPlan, tools: str = "cc 1") -> list[Done]:
    with threads() as pool:
        return list(ScheduledEngine(pool).run(plan, "out.build", tools))


def titles(plan: BuildPlan, events: list[Done]) -> set[str]:
    return {plan.steps[event.step].title for event in events}


def compiled() -> Counter[str]:
    return Counter(Path("compiled.log").read_text().split())


def settle() -> None:
    """Set the times of files to some time ago."""
    for path in Path().rglob("*"):
        os.utime(path, ns=(time.time_ns() - 10**10,) * 2)


def test_every_step_is_done_once_after_what_it_needs(compiler: str) -> None:
    plan = make_plan(compiler, 2)
    events = run(plan)
    assert sorted(event.step for event in events) == list(range(9))
    assert [(event.done, event.total, event.failed) for event in events] == [(n, 9, False) for n in range(1, 10)]
    assert set(compiled().values()) == {1} and len(compiled()) == 9
    order = {event.step: at for at, event in enumerate(events)}
    made = {step.output: order[number] for number, step in enumerate(plan.steps)}
    for number, step in enumerate(plan.steps):
        assert all(made[path] < order[number] for path in step.inputs if path in made)
    assert {"source 0", "source 1", "header"} <= set(Path("out.build/product").read_text().splitlines())
    assert not list(Path("out.build").rglob(".part-*")) and not list(Path("out.build").rglob("*.lock"))


def test_what_has_not_changed_is_not_done_again_and_what_has_is(compiler: str) -> None:
    plan = make_plan(compiler, 2)
    run(plan)
    assert run(plan) == []
    for path in Path().rglob("*.txt"):
        os.utime(path)
    assert run(plan) == [], "times do not count"
    Path("s1.txt").write_text("other\ninclude h.txt\n")
    unit = {f"out.build/u1/{name}" for name in ("t0.co", "t1.co", "x.hipfb", "host.o")}
    assert titles(plan, run(plan)) == {*unit, "out.build/product"}
    Path("h.txt").write_text("another header\n")
    assert len(run(plan)) == 9, "both include it"
    assert len(run(plan, "cc 2")) == 9, "other tools"
    steps = (replace(plan.steps[0], command=(*plan.steps[0].command, "s1.txt")), *plan.steps[1:])
    assert len(run(replace(plan, steps=steps), "cc 2")) == 4, "another command, and what depends on it"


@pytest.mark.parametrize("damage", ["out.build/u0/t0.co", "out.build/u0/t0.co.made", "out.build/u0/t0.co.d"])
def test_what_is_gone_or_was_touched_is_made_again(compiler: str, damage: str) -> None:
    plan = make_plan(compiler, 1)
    run(plan)
    Path(damage).write_text("{}")
    settle()
    assert "out.build/u0/t0.co" in titles(plan, run(plan))
    Path(damage).unlink()
    assert "out.build/u0/t0.co" in titles(plan, run(plan))
    assert run(plan) == []


def test_an_output_that_comes_out_the_same_leaves_what_follows_alone(compiler: str) -> None:
    plan = make_plan(compiler, 1)
    run(plan)
    Path("out.build/u0/t0.co").unlink()
    Path("compiled.log").unlink()
    run(plan)
    assert set(compiled()) == {"out.build/u0/t0.co"}, "the bundle was made of the same bytes"


def test_ninja_does_not_trust_what_it_knew_before(compiler: str) -> None:
    Path("out.build/.ninja_log").write_text("# ninja log v5\n")
    plan = make_plan(compiler, 1)
    run(plan)
    assert not Path("out.build/.ninja_log").exists()
    Path("out.build/.ninja_log").write_text("# ninja log v5\n")
    assert run(plan) == []
    assert Path("out.build/.ninja_log").exists(), "nothing was made, so it is still right"


def test_a_failure_is_told_with_its_words_and_nothing_more_is_begun(compiler: str) -> None:
    Path("s0.txt").write_text("say careful\nfail\n")
    plan = make_plan(compiler, 2)
    events = run(plan)
    failed = [event for event in events if event.failed]
    assert {plan.steps[event.step].output for event in failed} == {"out.build/u0/t0.co", "out.build/u0/t1.co"}
    assert all(event.text == "say careful\ns0.txt: error: no\n" for event in failed)
    assert "out.build/product" not in titles(plan, events)
    assert not Path("out.build/u0/t0.co").exists() and not list(Path("out.build").rglob(".part-*"))


def test_a_machine_that_sees_other_files_stops_the_build(compiler: str) -> None:
    def elsewhere(job: Batch) -> Ended:
        """Run a job while h.txt has other content, as on a machine without the shared file system."""
        data = Path("h.txt").read_bytes()
        Path("h.txt").write_text("not that header\n")
        try:
            return perform(job)
        finally:
            Path("h.txt").write_bytes(data)
            os.utime("h.txt", ns=(10**15, 10**15))

    plan = BuildPlan((make_step(compiler, StepKind.DEVICE, "out.build/a.co", "s0.txt"),), "out.build/a.co")
    os.utime("h.txt", ns=(10**15, 10**15))
    with (
        threads(elsewhere) as pool,
        pytest.raises(HipportError, match=r"^h\.txt on .* differs from the one on this machine") as info,
    ):
        list(ScheduledEngine(pool).run(plan, "out.build", ""))
    assert "shared file system" in str(info.value.hint)
    assert pool.cancelled == 1


def test_what_works_here_and_not_there_is_the_fault_of_that_machine(compiler: str) -> None:
    def elsewhere(job: Batch) -> Ended:
        return perform(replace(job, site=replace(job.site, environment=(("PATH", "/nowhere"),))))

    plan = make_plan(compiler, 1)
    with (
        threads(elsewhere) as pool,
        pytest.raises(HipportError, match=r"/t\d\.co works here, but not on .*: .*not found"),
    ):
        list(ScheduledEngine(pool).run(plan, "out.build", ""))


def test_machines_that_come_later_still_see_the_probe(compiler: str) -> None:
    def late(job: Batch) -> Ended:
        trouble.cache_clear()
        return perform(job)

    with threads(late) as pool:
        events = list(ScheduledEngine(pool).run(make_plan(compiler, 2), "out.build", ""))
    assert len(events) == 9
    assert {job.site.token for job in pool.jobs} == {Path("out.build/site").read_text()}


def test_a_header_that_changes_meanwhile_has_the_step_done_again_next_time(compiler: str) -> None:
    def late(job: Batch) -> Ended:
        ended = perform(job)
        Path("h.txt").write_text("newer\n")
        return ended

    plan = BuildPlan((make_step(compiler, StepKind.DEVICE, "out.build/a.co", "s0.txt"),), "out.build/a.co")
    with threads(late) as pool:
        assert len(list(ScheduledEngine(pool).run(plan, "out.build", ""))) == 1
    assert len(run(plan, "")) == 1
    assert run(plan, "") == [] and "newer" in Path("out.build/a.co").read_text()


def test_a_job_that_no_machine_survives_is_a_failed_step(compiler: str) -> None:
    Path("s0.txt").write_text("die\n")
    plan = make_plan(compiler, 1)
    events = run(plan)
    assert all(event.failed for event in events)
    assert all("ended by signal 9 on" in event.text for event in events)


def test_leaving_early_cancels_what_waits(compiler: str) -> None:
    with threads() as pool:
        events = ScheduledEngine(pool).run(make_plan(compiler, 2), "out.build", "")
        next(events)
        events.close()  # type: ignore[attr-defined]
        assert pool.cancelled == 1
