"""Slurm on this machine: a controller and one node, in a separate folder, without systemd and munge."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

_CONF = """\
ClusterName=test
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=100000
MinJobAge=10
MaxArraySize=5
ReturnToService=2
MpiDefault=none
MailProg=/bin/true
NodeName=localhost NodeHostname={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=8000 State=UNKNOWN
PartitionName=build Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """The two daemons, running while the context lasts; with `environment`, Slurm's commands talk to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf")}
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Slurm:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        text = _CONF.format(folder=self.folder, user=getpass.getuser(), ports=_ports(), host=_host())
        (self.folder / "slurm.conf").write_text(text)
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D", "-N", "localhost")
        end = time.monotonic() + 60
        while "idle" not in self.say("sinfo", "--noheader", "--format=%T"):
            assert time.monotonic() < end, (self.folder / "slurmctld.log").read_text()
            time.sleep(0.2)
        return self

    def _start(self, name: str, *options: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as out:
            command = [_daemon(name), *options]
            environment = os.environ | self.environment
            self._daemons.append(subprocess.Popen(command, env=environment, stdout=out, stderr=out))

    def say(self, *command: str) -> str:
        """Run a Slurm command and return its standard output."""
        return subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, check=False
        ).stdout

    def __exit__(self, *_: object) -> None:
        self.say("scancel", "--me")
        for daemon in reversed(self._daemons):
            daemon.terminate()
            daemon.wait(timeout=30)


def missing() -> list[str]:
    """Return the packages that must be installed."""
    programs = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
    return [package for name, package in programs.items() if not shutil.which(name, path=_PATH)]


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin"


def _daemon(name: str) -> str:
    return str(shutil.which(name, path=_PATH))


def _host() -> str:
    return socket.gethostname().partition(".")[0]


def _ports() -> list[int]:
    """Return two unused ports."""
    sockets = [socket.socket() for _ in range(2)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports
