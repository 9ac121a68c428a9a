"""A task: one file of a tree and its action."""

from __future__ import annotations

import enum
import os

from msgspec import Struct


class Action(str, enum.Enum):
    TRANSLATE = "translate"
    COPY = "copy"
    LINK = "link"


class Task(Struct, frozen=True):
    """The action for one file or link.

    `source` is read; `root` + `target` is written. `relative` is the source's path in the layout of `target`; the two
    differ if the file is renamed. `real` is the source with the links of its folder resolved. `link` is the text of the
    symbolic link to write, `link_was` its present text. `ported`: it is a source that is HIP already.
    """

    source: str
    root: str
    relative: str
    target: str
    real: str
    action: Action
    size: int = 0
    mode: int = 0o644
    link: str = ""
    link_was: str = ""
    ported: bool = False

    @property
    def written(self) -> str:
        """Return the path of the target."""
        return os.path.join(self.root, self.target).removeprefix(f".{os.sep}")
