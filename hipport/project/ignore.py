"""`.gitignore`: which files of a tree are not part of the project."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hipport.project.sources import open_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_FILE = ".gitignore"


@dataclass(frozen=True, slots=True)
class _Layer:
    """The rules of one `.gitignore`; `folder` ends with a slash."""

    folder: str
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in a folder, those of outer folders first. All paths are absolute, links resolved."""

    layers: tuple[_Layer, ...] = ()

    def ignores(self, path: str, *, folder: bool = False) -> bool:
        """Whether git would ignore this file or folder, given that it ignores no folder around it."""
        for layer in reversed(self.layers):
            verdict = layer.spec.check_file(path[len(layer.folder) :] + "/" * folder).include
            if verdict is not None:
                return verdict
        return False

    def within(self, folder: str) -> IgnoreRules:
        """The rules inside a folder: these, and those of its own `.gitignore`."""
        spec = _load(os.path.join(folder, _FILE))
        return IgnoreRules((*self.layers, _Layer(folder.rstrip("/") + "/", spec))) if spec else self


def rules_around(folder: str) -> IgnoreRules:
    """The rules that the git repository around `folder` has for it, none outside a repository.

    A folder that they ignore was named by the user on purpose: then they do not apply.
    """
    parents = _parents_in_repository(folder)
    rules = IgnoreRules()
    for parent, child in zip(parents, [*parents[1:], folder], strict=False):
        rules = rules.within(parent)
        if rules.ignores(child, folder=True):
            return IgnoreRules()
    return rules


def _parents_in_repository(folder: str) -> list[str]:
    """The folders from the top of the repository down to the parent of `folder`."""
    parents: list[str] = []
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        parents.insert(0, parent)
        folder = parent
    return parents


def _load(path: str) -> GitIgnoreSpec | None:
    """The rules of one file; None where there are none. Like git, does not follow a link."""
    if os.path.islink(path):
        return None
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8-sig", "surrogateescape")
    except OSError:
        return None
    return _compile([line.removesuffix("\r") for line in text.split("\n")])


def _compile(lines: list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_valid(line)])


def _is_valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
