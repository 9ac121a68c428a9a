"""Builds on two Dask workers that are processes of their own, with real compilers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.test_build import built, hipport, steps

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

TARGETS = ("--offload-arch", "gfx90a,gfx1030")
KERNEL = """\
#include <cuda_runtime.h>
#include "scale.h"
__global__ void kernel{0}(float *p) {{ p[threadIdx.x] *= FACTOR + {0}; }}
void run{0}(float *p) {{ kernel{0}<<<1, 64>>>(p); }}
"""
# Compiles begin and wait as long as there is a file `hold`.
LAUNCHER = """\
#!/bin/sh
echo "$PPID $*" >> begun.log
while [ -e hold ]; do sleep 0.05; done
exec "$@"
"""


def until(true: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def start(*arguments: str, cwd: Path, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    command = [*before, sys.executable, "-m", *arguments]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Workers:
    """A scheduler, and workers with one thread each."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def __enter__(self) -> Workers:
        place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self.processes.append(start("distributed.cli.dask_scheduler", *place, cwd=self.folder))
        until(lambda: self.file.exists() and "tcp://" in self.file.read_text())
        self.address = re.findall(r"tcp://[\d.:]+", self.file.read_text())[0]
        return self

    def add(self, *before: str) -> int:
        """Start a worker without a nanny, by the program `before` it; its process."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        worker = ("distributed.cli.dask_worker", self.address, *options)
        self.processes.append(start(*worker, before=before, cwd=self.folder))
        return self.processes[-1].pid

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    @property
    def options(self) -> tuple[str, ...]:
        return ("--scheduler", "dask", "--address", self.address)


@pytest.fixture
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with Workers(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(2):
        (tmp_path / f"k{number}.cu").write_text(KERNEL.format(number))
    (tmp_path / "scale.h").write_text("#define FACTOR 2\n")
    launcher = tmp_path / "launch"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    return tmp_path


def outputs(log: Path) -> Counter[str]:
    """How often a compile of each output was begun."""
    found = re.findall(r"-o ?\S*/([\w.-]+)/\.part-\S+/([\w.]+)$", log.read_text(), re.MULTILINE)
    return Counter("/".join(names) for names in found)


def test_a_worker_that_dies_in_the_middle(project: Path, workers: Workers) -> None:
    """Its compile is done by the other one; what was done stays done, and the bytes are those of a local build."""
    processes = {workers.add(), workers.add()}
    sources = ("k0.cu", "k1.cu", "--shared", *TARGETS, "--compiler", "clang++")
    (project / "hold").touch()
    arguments = [sys.executable, "-m", "hipport", "build", *sources, "-o", "far.so", "--launcher", "./launch"]
    build = subprocess.Popen([*arguments, *workers.options], cwd=project, stderr=subprocess.PIPE, text=True)
    log = project / "begun.log"
    until(lambda: log.exists() and len(log.read_text().splitlines()) == 2)
    victim, begun = log.read_text().splitlines()[0].split(maxsplit=1)
    assert int(victim) in processes
    os.kill(int(victim), signal.SIGKILL)
    (project / "hold").unlink()
    _, text = build.communicate(timeout=120)
    assert build.returncode == 0, text
    titles = Counter(re.findall(r"^\[\d+/9\] (.+)$", text, re.MULTILINE))
    assert len(titles) == 9 and set(titles.values()) == {1}
    counts = outputs(log)
    (lost,) = re.findall(r"-o ?\S*/([\w.-]+)/\.part-\S+/([\w.]+)$", begun)
    assert counts.pop("/".join(lost)) == 2 and set(counts.values()) == {1} and len(counts) == 3
    assert not list((project / "far.so.build").rglob(".part-*"))
    _is_that_of_a_local_build(project, sources)
    again = built(*sources, "-o", "far.so", "--launcher", "./launch", *workers.options, cwd=project)
    assert steps(again) == set() and again.stdout == "far.so: nothing to do\n"
    _errors_are_those_of_a_local_build(project, workers)


def _is_that_of_a_local_build(project: Path, sources: tuple[str, ...]) -> None:
    """All that was made is, byte for byte, what the same command makes here in another folder."""
    near = project / "near"
    shutil.copytree(project, near, ignore=shutil.ignore_patterns("far.so*"))
    built(*sources, "-o", "far.so", cwd=near)
    for name in ("far.so", *(path.relative_to(near) for path in (near / "far.so.build").rglob("*.*o"))):
        assert (near / name).read_bytes() == (project / name).read_bytes(), name


def _errors_are_those_of_a_local_build(project: Path, workers: Workers) -> None:
    (project / "k1.cu").write_text(KERNEL.format(1).replace("FACTOR", "MISSING"))
    command = ("k1.cu", "--offload-arch", "gfx90a", "--compiler", "clang++", "-o")
    far, near = hipport(*command, "b1", *workers.options, cwd=project), hipport(*command, "b2", cwd=project)
    assert far.returncode == near.returncode == 1
    assert "k1.cu:3:" in far.stderr and "use of undeclared identifier 'MISSING'" in far.stderr
    assert far.stderr.partition("\n\n")[2] == near.stderr.partition("\n\n")[2]


def test_a_project_on_the_cpu_is_built_and_ctrl_c_goes_on_later(project: Path, workers: Workers) -> None:
    workers.add()
    (project / "main.cpp").write_text("int main() { return 5; }\n")
    text = '[targets.lib]\nkind = "static"\nsources = ["k0.cu"]\n[targets.app]\nsources = ["main.cpp"]\n'
    (project / "hipport.toml").write_text(text + 'libraries = ["lib"]\n')
    (project / "hold").touch()
    command = (".", "--target", "cpu", "--launcher", "./launch", *workers.options)
    build = subprocess.Popen([sys.executable, "-m", "hipport", "build", *command], cwd=project, stderr=subprocess.PIPE)
    until(lambda: (project / "begun.log").exists())
    build.send_signal(signal.SIGINT)
    _, told = build.communicate(timeout=30)
    assert build.returncode == 130 and b"the same command goes on" in told and b"Traceback" not in told
    (project / "hold").unlink()
    built(*command, cwd=project)
    assert subprocess.run([project / "build/app"], check=False).returncode == 5
    assert max(outputs(project / "begun.log").values()) == 1, "what had begun was waited for"


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ("private", r"k0\.cu for the CPU works here, but not on .*: .*fatal error: .*mine\.h.*"),
        (".", r"does not see the build folder of .*/k\.so\.build"),
    ],
)
def test_a_worker_that_sees_other_files_is_named(project: Path, workers: Workers, hidden: str, message: str) -> None:
    """It has an empty folder of its own in place of one of the project's."""
    alone = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(project / hidden))
    if subprocess.run([*alone[:-1], "/mnt", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no file systems can be mounted here")
    (project / "private").mkdir()
    (project / "private/mine.h").write_text("#define MINE\n")
    (project / "k0.cu").write_text('#define HEADER "mine.h"\n#include HEADER\n__global__ void k() {}\n')
    workers.add(*alone)
    done = hipport(*["k0.cu", "--shared", "-o", "k.so", "--target", "cpu", "-Iprivate"], *workers.options, cwd=project)
    assert done.returncode == 1 and re.search(message, done.stderr), done.stderr
    assert "where every machine sees it" in done.stderr and not (project / "k.so").exists()


def test_without_workers_there_is_an_end(project: Path, workers: Workers) -> None:
    option = ("--scheduler-option", "wait=2")
    done = hipport("k0.cu", "--shared", "-o", "k.so", *TARGETS, *workers.options, *option, cwd=project)
    assert done.returncode == 1 and "no worker for 2 s" in done.stderr
    assert not (project / "k.so").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--scheduler", "dask"), 2, "--scheduler dask needs --address"),
        (("--scheduler", "dask", "--address", "nonsense"), 2, "'nonsense' is no address of a Dask scheduler"),
        (("--scheduler", "dask", "--address", "tcp://127.0.0.1:9"), 1, "cannot reach a Dask scheduler at tcp://127.0"),
        (("--address", "tcp://127.0.0.1:9"), 2, "--address is for --scheduler dask"),
        (("--scheduler-option", "wait=3"), 2, "--scheduler-option is for --scheduler"),
    ],
)
def test_wrong_use(project: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    started = time.monotonic()
    done = hipport("k0.cu", "--shared", "-o", "k.so", *TARGETS, *arguments, cwd=project)
    assert (done.returncode, message in done.stderr, "Traceback" in done.stderr) == (status, True, False), done.stderr
    assert time.monotonic() - started < 20
