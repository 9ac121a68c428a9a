"""The machine that the checks look at, described once: its files, its environment, its user, what it is asked for."""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.doctor.tree import TreeUse
from hipport.errors import HipportError
from hipport.toolchain.compilers import Compiler, find
from hipport.toolchain.hip import Hip, find_hip
from hipport.toolchain.native import native_targets
from hipport.toolchain.places import Surroundings, path_folders, programs
from hipport.toolchain.process import Finished, run
from hipport.toolchain.target_id import TargetID, parse_list

USUAL = ("gfx90a", "gfx942", "gfx1030", "gfx1100")
"""The targets that are looked at where none was named and the machine has no AMD GPU."""


@dataclass(frozen=True, slots=True)
class User:
    """Who would run the programs; `groups` by their numbers."""

    name: str
    uid: int
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class Machine:
    """What the checks may look at.

    `where` is the environment and the root of the files (another one in tests); `targets` those to build for, and
    whether the user `named` them; `tree` what the sources use; `packages` the folders of Python packages;
    `compilers` and `hip` what a build would find.
    """

    where: Surroundings
    user: User
    targets: tuple[TargetID, ...]
    named: bool = False
    tree: TreeUse | None = None
    packages: tuple[Path, ...] = ()
    compilers: tuple[Compiler, ...] = ()
    hip: Hip | None = None

    def path(self, name: str) -> Path:
        """The place of a file of the system."""
        return self.where.root / name

    def variable(self, name: str) -> str:
        """The value of an environment variable, empty if there is none."""
        return self.where.environ.get(name, "")

    def program(self, name: str) -> Path | None:
        """The program that the shell would start."""
        return next(programs(path_folders(self.where), [name]), None)

    def ask(self, command: Sequence[str | Path]) -> Finished | None:
        """Run a short question to a tool in the user's own environment."""
        return run(command, environ=self.where.environ)


def text_of(path: Path) -> str:
    """What a file says, nothing if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def this_machine(where: Surroundings, targets: Sequence[TargetID], tree: TreeUse | None) -> Machine:
    """Describe the machine that hipport runs on."""
    compilers = tuple(find(where))
    return Machine(
        where,
        _user(where),
        tuple(targets) or _targets(where),
        bool(targets),
        tree,
        tuple(_package_folders(where)),
        compilers,
        _hip(where, compilers[0].clang if compilers else ""),
    )


def _targets(where: Surroundings) -> tuple[TargetID, ...]:
    """The GPUs of this machine, else the usual ones."""
    try:
        return parse_list(native_targets(where))
    except HipportError:
        return parse_list(USUAL)


def _hip(where: Surroundings, clang: str) -> Hip | None:
    try:
        return find_hip(where, clang)
    except HipportError:
        return None


def _user(where: Surroundings) -> User:
    """The user, under sudo the one who called it: it is their programs that must run."""
    import pwd

    behind = where.environ.get("SUDO_USER", "") if os.getuid() == 0 else ""
    try:
        entry = pwd.getpwnam(behind) if behind else pwd.getpwuid(os.getuid())
    except KeyError:  # containers run as users without a name
        return User(str(os.getuid()), os.getuid(), frozenset(os.getgroups()))
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid) if behind else os.getgroups()
    return User(entry.pw_name, entry.pw_uid, frozenset(groups))


def _package_folders(where: Surroundings) -> Iterator[Path]:
    """Where Python packages are: of the virtual environment, of hipport's own Python, of the system's."""
    if environment := where.environ.get("VIRTUAL_ENV"):
        yield from sorted(Path(environment).glob("lib/python3*/site-packages"))
    yield Path(sysconfig.get_path("purelib"))
    for pattern in ("usr/local/lib/python3*/dist-packages", "usr/lib/python3/dist-packages"):
        yield from sorted(where.root.glob(pattern))


def major_minor(version: str) -> str:
    """`6.3` of `6.3.42131-abc`."""
    match = re.match(r"\d+\.\d+", version)
    return match[0] if match else version
