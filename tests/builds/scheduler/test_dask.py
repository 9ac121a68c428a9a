"""Builds on two Dask workers in separate processes, with real compilers."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hipport.builds.scheduler import dask_pool
from hipport.builds.scheduler.dask_pool import connected
from hipport.builds.scheduler.options import Options
from hipport.builds.scheduler.slurm_pool import allocated
from hipport.errors import HipportError
from tests import small_hip
from tests.cli.test_build import built, hipport, steps
from tests.small_hip import SMALL_HIP

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


def start(*arguments: str, cwd: Path, before: tuple[str, ...] = (), **environment: str) -> subprocess.Popen[bytes]:
    command = [*before, sys.executable, "-m", *arguments]
    silent = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=cwd, env=os.environ | environment, stdout=silent, stderr=silent)


class Workers:
    """A scheduler, and workers with one thread each."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.environment = environment
        self.file = folder / "scheduler.json"
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def __enter__(self) -> Workers:
        place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self.processes.append(start("distributed.cli.dask_scheduler", *place, cwd=self.folder, **self.environment))
        until(lambda: self.file.exists() and "tcp://" in self.file.read_text())
        self.address = re.findall(r"tcp://[\d.:]+", self.file.read_text())[0]
        return self

    def add(self, *before: str) -> int:
        """Start a worker without a nanny, through the program `before`; return its process ID."""
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
    """Count how often a compile of each output was started."""
    found = re.findall(r"-o ?\S*/([\w.-]+)/\.part-\S+/([\w.]+)$", log.read_text(), re.MULTILINE)
    return Counter("/".join(names) for names in found)


def test_a_worker_that_dies_in_the_middle(project: Path, workers: Workers) -> None:
    """The other worker takes over its compile; finished steps are not repeated, and output equals a local build's."""
    processes = {workers.add(), workers.add()}
    sources = ("k0.cu", "k1.cu", "--shared", *TARGETS, "--compiler", "clang++")
    (project / "hold").touch()
    arguments = [sys.executable, "-m", "hipport", "build", *sources, "-o", "far.so", "--launcher", "./launch"]
    environment = os.environ | SMALL_HIP
    build = subprocess.Popen(
        [*arguments, *workers.options], cwd=project, env=environment, stderr=subprocess.PIPE, text=True
    )
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
    again = small_hip.built(*sources, "-o", "far.so", "--launcher", "./launch", *workers.options, cwd=project)
    assert steps(again) == set() and again.stdout == "far.so: nothing to do\n"
    _errors_are_those_of_a_local_build(project, workers)


def _is_that_of_a_local_build(project: Path, sources: tuple[str, ...]) -> None:
    """Assert that every output equals, byte for byte, that of the same command run locally in another folder."""
    near = project / "near"
    shutil.copytree(project, near, ignore=shutil.ignore_patterns("far.so*"))
    small_hip.built(*sources, "-o", "far.so", cwd=near)
    for name in ("far.so", *(path.relative_to(near) for path in (near / "far.so.build").rglob("*.*o"))):
        assert (near / name).read_bytes() == (project / name).read_bytes(), name


def _errors_are_those_of_a_local_build(project: Path, workers: Workers) -> None:
    (project / "k1.cu").write_text(KERNEL.format(1).replace("FACTOR", "MISSING"))
    command = ("k1.cu", "--offload-arch", "gfx90a", "--compiler", "clang++", "-o")
    far, near = (
        small_hip.hipport(*command, "b1", *workers.options, cwd=project),
        small_hip.hipport(*command, "b2", cwd=project),
    )
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
    assert build.returncode == 130 and b"run the same command again to continue" in told and b"Traceback" not in told
    (project / "hold").unlink()
    built(*command, cwd=project)
    assert subprocess.run([project / "build/app"], check=False).returncode == 5
    assert max(outputs(project / "begun.log").values()) == 1, "what had begun was waited for"


def test_a_worker_that_sees_other_files_is_named(project: Path, workers: Workers) -> None:
    """It sees an empty folder in place of one of the project's folders."""
    hidden = project / "private"
    hidden.mkdir()
    alone = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(hidden))
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no file systems can be mounted here")
    (hidden / "mine.h").write_text("#define MINE\n")
    (project / "k0.cu").write_text('#define HEADER "mine.h"\n#include HEADER\n__global__ void k() {}\n')
    workers.add(*alone)
    command = ("k0.cu", "--shared", "-o", "k.so", "--target", "cpu", "-Iprivate")
    done = hipport(*command, *workers.options, cwd=project)
    told = r"k0\.cu for the CPU works here, but not on .*: .*fatal error: .*mine\.h.*\n  .*shared file system"
    assert done.returncode == 1 and re.search(told, done.stderr), done.stderr
    assert not (project / "k.so").exists()


def test_without_workers_there_is_an_end(workers: Workers) -> None:
    with connected(workers.address, 1, None) as pool, pytest.raises(HipportError, match="no worker for 1 s"):
        until(pool.wait)


def test_a_compile_that_takes_workers_down_is_given_up(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "launch").write_text("#!/bin/sh\nkill -KILL $PPID\n")
    with Workers(tmp_path_factory.mktemp("dask"), DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as workers:
        workers.add()
        command = ("k0.cu", "--shared", "-o", "k.so", "--target", "cpu", "--launcher", "./launch")
        done = hipport(*command, *workers.options, cwd=project)
    assert done.returncode == 1 and not (project / "k.so").exists()
    assert re.search(r"k0\.cu for the CPU:\n1 worker died with it, the last at tcp://[\d.:]+\n", done.stderr), (
        done.stderr
    )


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(HipportError, match="--scheduler needs Dask") as found:
        connected("tcp://127.0.0.1:9", 1, None).__enter__()
    assert found.value.hint == "pip install 'hipport[dask]'"
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(HipportError, match=r"--scheduler slurm: .*(submitit|distributed)") as found:
        allocated(Options(), 1, tmp_path).__enter__()
    assert found.value.hint == "pip install 'hipport[slurm]'"


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"])
def test_what_listens_is_no_scheduler(monkeypatch: pytest.MonkeyPatch, greeting: bytes) -> None:
    monkeypatch.setattr(dask_pool, "_REACHED", 0.5)

    def greet() -> None:
        stream, _ = server.accept()
        with contextlib.suppress(ConnectionResetError):
            stream.sendall(greeting)
            stream.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        with pytest.raises(HipportError, match=rf"cannot reach a Dask scheduler at {address}: "):
            connected(address, 1, None).__enter__()
        thread.join()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--scheduler", "dask"), 2, "--scheduler dask needs --address"),
        (("--scheduler", "dask", "--address", "nonsense"), 2, "'nonsense' is not the address of a Dask scheduler"),
        (("--scheduler", "dask", "--address", "tcp://127.0.0.1:9"), 1, "cannot reach a Dask scheduler at tcp://127.0"),
        (("--address", "tcp://127.0.0.1:9"), 2, "--address needs --scheduler dask"),
        (("--scheduler-option", "wait=3"), 2, "--scheduler-option needs --scheduler"),
    ],
)
def test_wrong_use(project: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    done = hipport("k0.cu", "--shared", "-o", "k.so", *TARGETS, *arguments, cwd=project)
    assert (done.returncode, message in done.stderr, "Traceback" in done.stderr) == (status, True, False), done.stderr
