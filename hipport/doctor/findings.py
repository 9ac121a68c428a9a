"""The results of checks, and their fixes."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(str, enum.Enum):
    """The severity of a finding: `ERROR` makes a port fail, `WARNING` may, `OK` reports a passed check."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


class Area(str, enum.Enum):
    """The subject of a check, in display order."""

    COMPILERS = "compilers"
    LIBRARIES = "libraries"
    SURROUNDINGS = "surroundings"
    MACHINE = "machine"
    PROOF = "proof"


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A fix that sets an environment variable, or unsets it if the value is None."""

    name: str
    value: str | None

    def __str__(self) -> str:
        from shlex import quote

        return f"unset {self.name}" if self.value is None else f"export {self.name}={quote(self.value)}"


@dataclass(frozen=True, slots=True)
class JoinGroups:
    """A fix that adds a user to groups, which requires root."""

    user: str
    groups: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        return ("usermod", "-aG", ",".join(self.groups), self.user)

    def __str__(self) -> str:
        return " ".join(self.command)


Fix = SetVariable | JoinGroups


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a check: the message, and `advice`, the suggested fix.

    `fix` is what `--fix` would do, or None if hipport cannot do it, such as installing packages.
    """

    level: Level
    message: str
    advice: str = ""
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: its name, its title, and its findings, which are all `OK` if it passed."""

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
    """Return a finding that reports a passed check."""
    return Finding(Level.OK, message)


def warning(message: str, advice: str, fix: Fix | None = None) -> Finding:
    """Return a finding for something that may make a port fail."""
    return Finding(Level.WARNING, message, advice, fix)


def error(message: str, advice: str, fix: Fix | None = None) -> Finding:
    """Return a finding for something that makes a port fail."""
    return Finding(Level.ERROR, message, advice, fix)
