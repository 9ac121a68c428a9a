"""Symbolic links: where they point, and their text after the tree is moved or files are renamed."""

from __future__ import annotations

import os

from hipport.project.roots import is_inside


def pointed_at(text: str, link: str) -> str:
    """Return the path that a link names, one step on; `link` is its own path, with the links of its folder resolved."""
    folder, name = os.path.split(text)
    base = os.path.realpath(os.path.join(os.path.dirname(link), folder))
    return os.path.realpath(os.path.join(base, name)) if name in ("", ".", "..") else os.path.join(base, name)


def text_inside(text: str, link: str, tree: str) -> str | None:
    """Return a link's text for a copy of `tree`, relative; None if the link leaves the tree, directly or in the end."""
    final = os.path.realpath(link)
    if final != tree and not is_inside(final, tree):
        return None
    folder, step = os.path.dirname(link), pointed_at(text, link)
    steps_inside = step == tree or is_inside(step, tree)
    spelled = os.path.normpath(os.path.join(os.path.relpath(folder, tree), text))
    if steps_inside and not os.path.isabs(text) and spelled.split("/")[0] != "..":
        return text
    return os.path.relpath(step if steps_inside else final, folder)


def follow_rename(text: str, link: str, names: dict[str, str]) -> str:
    """Return the text of a link after files were renamed; `names` are real paths, old to new."""
    new = names.get(pointed_at(text, link))
    return os.path.join(os.path.dirname(text), os.path.basename(new)) if new else text
