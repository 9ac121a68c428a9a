"""A description of the machine for the checks: files, environment, user, programs."""

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
"""The default targets if none was named and the machine has no AMD GPU."""


@dataclass(frozen=True, slots=True)
class User:
    """The user who would run the programs; `groups` are group IDs."""

    name: str
    uid: int
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class Machine:
    """The data available to the checks.

    `where` is the environment and the root of the file system (replaced in tests); `targets` are those to build for,
    and `named` is set if the user named them; `tree` describes the sources; `packages` are the folders of Python
    packages; `compilers` and `hip` are what a build would find.
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
        """Return the path of a system file."""
        return self.where.root / name

    def variable(self, name: str) -> str:
        """Return the value of an environment variable, or an empty string."""
        return self.where.environ.get(name, "")

    def program(self, name: str) -> Path | None:
        """Return the program that the shell would start."""
        return next(programs(path_folders(self.where), [name]), None)

    def ask(self, command: Sequence[str | Path]) -> Finished | None:
        """Run a short query in the user's own environment."""
        return run(command, environ=self.where.environ)


def text_of(path: Path) -> str:
    """Return the content of a file, or an empty string if it cannot be read."""
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
    """Return the GPUs of this machine, or the default targets."""
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
    """Return the user or, under sudo, the calling user, who is the one to run the programs."""
    import pwd

    behind = where.environ.get("SUDO_USER", "") if os.getuid() == 0 else ""
    try:
        entry = pwd.getpwnam(behind) if behind else pwd.getpwuid(os.getuid())
    except KeyError:  # containers may run as users without a name
        return User(str(os.getuid()), os.getuid(), frozenset(os.getgroups()))
    groups = os.getgrouplist(entry.pw_name, entry.pw_gid) if behind else os.getgroups()
    return User(entry.pw_name, entry.pw_uid, frozenset(groups))


def _package_folders(where: Surroundings) -> Iterator[Path]:
    """Yield the folders of Python packages: of the virtual environment, hipport's own Python, and the system."""
    if environment := where.environ.get("VIRTUAL_ENV"):
        yield from sorted(Path(environment).glob("lib/python3*/site-packages"))
    yield Path(sysconfig.get_path("purelib"))
    for pattern in ("usr/local/lib/python3*/dist-packages", "usr/lib/python3/dist-packages"):
        yield from sorted(where.root.glob(pattern))


def major_minor(version: str) -> str:
    """Return `6.3` for `6.3.42131-abc`."""
    match = re.match(r"\d+\.\d+", version)
    return match[0] if match else version
