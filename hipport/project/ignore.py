"""Evaluate `.gitignore`: decide which files of a tree are not part of the project."""

from __future__ import annotations

import os

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.sources import open_regular

_FILE = ".gitignore"


_DEEP = re.compile(r"/\*\* *$")
"""`x/**` matches all below `x` but not `x` itself, which pathspec would include."""

_ABOVE = "ps_d"
"""pathspec's name for the group that matches the slash after a folder's name."""


class _Rule(Struct, frozen=True):
    """One line of a `.gitignore`.

    pathspec parses it; which rule decides is determined here, folder by folder as in git: pathspec only knows whole
    paths, for which `a` and `!b/` would not ignore `b/a`.
    """

    regex: re.Pattern[str]
    ignore: bool

    def matches(self, path: str) -> bool:
        """Return whether the rule matches this path itself, not just a folder that contains it."""
        for match in self.regex.finditer(path):
            if match.groupdict().get(_ABOVE) is None or match.end(_ABOVE) == len(path):
                return True
        return False


class _Layer(Struct, frozen=True):
    """The rules of one `.gitignore`, last first, since the last match wins; `folder` ends with a slash."""

    folder: str
    rules: tuple[_Rule, ...]


class IgnoreRules(Struct, frozen=True):
    """The rules in force in a folder, outer folders first. All paths are absolute, with links resolved."""

    layers: tuple[_Layer, ...] = ()

    def ignores(self, path: str, *, folder: bool = False) -> bool:
        """Return whether git would ignore this file or folder, given that it ignores no folder around it."""
        for layer in reversed(self.layers):
            inner = path[len(layer.folder) :] + "/" * folder
            for rule in layer.rules:
                if rule.matches(inner):
                    return rule.ignore
        return False

    def within(self, folder: str) -> IgnoreRules:
        """Return the rules inside a folder: these and those of its own `.gitignore`."""
        rules = _load(os.path.join(folder, _FILE))
        return IgnoreRules((*self.layers, _Layer(folder.rstrip("/") + "/", rules))) if rules else self


def rules_around(folder: str) -> IgnoreRules:
    """Return the rules of the git repository around `folder` that apply to it; none outside a repository.

    If they ignore the folder itself, the user named it on purpose, and they do not apply.
    """
    parents = _parents_in_repository(folder)
    rules = IgnoreRules()
    for parent, child in zip(parents, [*parents[1:], folder], strict=False):
        rules = rules.within(parent)
        if rules.ignores(child, folder=True):
            return IgnoreRules()
    return rules


def _parents_in_repository(folder: str) -> list[str]:
    """Return the folders from the top of the repository down to the parent of `folder`."""
    parents: list[str] = []
    while not os.path.lexists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        parents.insert(0, parent)
        folder = parent
    return parents


def _load(path: str) -> tuple[_Rule, ...]:
    """Return the rules of one file, last first; none if there is no file. Like git, does not follow a link."""
    if os.path.islink(path):
        return ()
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ()
    rules = [rule for line in text.split("\n") for rule in _compile(line.removesuffix("\r"))]
    return tuple(reversed(rules))


def _compile(line: str) -> list[_Rule]:
    """Return the rule of a line; none for a comment, an empty line or, as in git, an invalid pattern."""
    from pathspec import GitIgnoreSpec

    try:
        (pattern,) = GitIgnoreSpec.from_lines([_DEEP.sub("/**/*", line)]).patterns
    except ValueError:
        return []
    regex = getattr(pattern, "regex", None)
    return [] if regex is None or pattern.include is None else [_Rule(regex, pattern.include)]
