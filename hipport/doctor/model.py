"""What a check finds, and what can be done about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(str, enum.Enum):
    """How bad a finding is: `ERROR` makes a port fail, `WARNING` may, `OK` is said of what was found in order."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


class Area(str, enum.Enum):
    """What a check looks at, in the order in which the results are shown."""

    COMPILERS = "compilers"
    LIBRARIES = "libraries"
    SURROUNDINGS = "surroundings"
    MACHINE = "machine"
    PROOF = "proof"


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A fix: an environment variable gets a value, or goes if that is None."""

    name: str
    value: str | None

    def __str__(self) -> str:
        from shlex import quote

        return f"unset {self.name}" if self.value is None else f"export {self.name}={quote(self.value)}"


@dataclass(frozen=True, slots=True)
class JoinGroups:
    """A fix: a user becomes a member of groups. Only root can do that."""

    user: str
    groups: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """What does it."""
        return ("usermod", "-aG", ",".join(self.groups), self.user)

    def __str__(self) -> str:
        return " ".join(self.command)


Fix = SetVariable | JoinGroups


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check has to say: what is so, why it matters, and `mend`, what to do about it.

    `fix` is what `--fix` would do; there is none where that is not hipport's to do, such as installing packages.
    """

    level: Level
    message: str
    mend: str = ""
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A check by its name, what it is about, and what it found; `OK` and nothing else if all is well."""

    check: str
    title: str
    area: Area
    findings: tuple[Finding, ...]

    @property
    def level(self) -> Level:
        """The worst level among the findings."""
        levels = {finding.level for finding in self.findings}
        return next((level for level in Level if level in levels), Level.OK)


def ok(message: str) -> Finding:
    """All is well, and this is how."""
    return Finding(Level.OK, message)


def warning(message: str, mend: str, fix: Fix | None = None) -> Finding:
    """Something that may make a port fail."""
    return Finding(Level.WARNING, message, mend, fix)


def error(message: str, mend: str, fix: Fix | None = None) -> Finding:
    """Something that makes a port fail."""
    return Finding(Level.ERROR, message, mend, fix)
