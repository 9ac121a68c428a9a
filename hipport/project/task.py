"""One file of a tree and what is to be done with it."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass


class Action(str, enum.Enum):
    """What is done with a file of the tree."""

    TRANSLATE = "translate"
    COPY = "copy"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with one file or link.

    `source` is read; `root` + `target` is written. `relative` is the source in the terms of `target`: the two
    differ where the file gets another name. `real` is the source with the links of its folder resolved. `link`
    is the text of a symbolic link, `link_was` the one that it has.
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

    @property
    def written(self) -> str:
        """The path of the target."""
        return os.path.join(self.root, self.target).removeprefix("./")
