"""Builds with Slurm job arrays, by real Slurm daemons on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.builds.scheduler import slurm_pool
from hipport.builds.scheduler.options import Options
from hipport.builds.scheduler.slurm_pool import allocated
from hipport.errors import HipportError
from tests.builds.scheduler.slurm import Slurm, missing
from tests.builds.scheduler.test_dask import KERNEL, LAUNCHER, outputs, until
from tests.cli.test_build import hipport

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

BUILD = ("k0.cu", "k1.cu", "--static", "--target", "cpu", "-o", "k.a", "--scheduler", "slurm")
SMALL = ("--scheduler-option", "memory=500MB", "--scheduler-option", "interface=lo", "-j2")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    assert not missing(), f"scripts/install_tools.sh test installs {missing()}"
    with Slurm(tmp_path_factory.mktemp("slurm")) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(2):
        (tmp_path / f"k{number}.cu").write_text(KERNEL.format(number))
    (tmp_path / "scale.h").write_text("#define FACTOR 2\n")
    (tmp_path / "launch").write_text(LAUNCHER)
    (tmp_path / "launch").chmod(0o755)
    return tmp_path


def test_an_array_of_workers_one_of_which_is_killed(project: Path, slurm: Slurm) -> None:
    """The killed array element is lost; another one is submitted, and everything is built exactly once."""
    (project / "hold").touch()
    command = [sys.executable, "-m", "hipport", "build", *BUILD, *SMALL, "--launcher", "./launch"]
    environment = os.environ | slurm.environment
    build = subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE, text=True)
    log = project / "begun.log"
    until(lambda: log.exists() and len(log.read_text().splitlines()) == 2)
    assert sorted(slurm.say("squeue", "--noheader", "--array", "--format=%j %K %T").splitlines()) == [
        "hipport 0 RUNNING",
        "hipport 1 RUNNING",
    ]
    victim, begun = log.read_text().splitlines()[0].split(maxsplit=1)
    os.kill(int(victim), signal.SIGKILL)
    until(lambda: len(_arrays(slurm)) == 2)
    (project / "hold").unlink()
    _, text = build.communicate(timeout=120)
    assert build.returncode == 0, text
    counts = outputs(log)
    assert len(counts) == 2 and max(counts.values()) <= 2 and sum(counts.values()) == 3, begun
    assert len(re.findall(r"^\[\d/3\] ", text, re.MULTILINE)) == 3
    assert (project / "k.a").exists() and not list((project / "k.a.build").rglob(".part-*"))
    until(lambda: not slurm.say("squeue", "--noheader").strip(), 30)
    logs = project / "k.a.build/.hipport-slurm"
    assert logs.stat().st_mode & 0o077 == 0 and not list(logs.glob("*submitted.pkl"))


def _arrays(slurm: Slurm) -> set[str]:
    """Return the job arrays with waiting or running elements."""
    return set(slurm.say("squeue", "--noheader", "--array", "--format=%F").split())


def test_what_slurm_does_not_take_is_told_in_its_words(project: Path, slurm: Slurm) -> None:
    for option, words in (("partition=nonesuch", "invalid partition"), ("memory=900000GB", "Memory specification")):
        done = hipport(*BUILD, "--scheduler-option", option, cwd=project, **slurm.environment)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert re.search(rf"Slurm rejected the workers: sbatch: error: .*{words}", done.stderr), done.stderr


def test_workers_that_cannot_start_are_not_submitted_for_ever(
    tmp_path: Path, slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CONF", slurm.environment["SLURM_CONF"])
    monkeypatch.setattr(slurm_pool, "_LOOK", 0.5)
    options = Options(memory="500MB", python="/no/such/python")
    with allocated(options, 6, tmp_path / "logs") as pool:
        assert not pool.submitted, "there is nothing to do yet"
        pool.start(pool.wanted)
        assert len(pool.submitted) == 2, "an array has five elements at most here"
        with pytest.raises(HipportError, match=r"the Slurm jobs end before they have done any work: .*/no/such/python"):
            until(pool.wait)
