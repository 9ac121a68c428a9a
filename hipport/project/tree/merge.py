"""Three-way merges of text, by `git merge-file`."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

from hipport.errors import HipportError

EDITED, BASE, NEW = "edited here", "converted before", "converted now"
"""What stands behind conflict markers."""

_MARKERS = re.compile(rf"^(?:<{{7}} {EDITED}|>{{7}} {NEW})\r?$".encode(), re.MULTILINE)
_MOST_CONFLICTS = 127  # the exit status of git merge-file, which says 255 for "failed"


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text; `clean` where nothing is left to be resolved."""

    data: bytes
    clean: bool


def merge(base: bytes, edited: bytes, new: bytes) -> Merged | None:
    """Bring what changed from `base` to `new` into `edited`; None for what is no text. Raises HipportError."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("edited", edited), ("base", base), ("new", new)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        done = _merge_file(folder)
    if done.returncode > _MOST_CONFLICTS:
        return None
    return Merged(done.stdout, done.returncode == 0)


def has_markers(data: bytes) -> bool:
    """Whether a conflict that a merge has left is still there."""
    return _MARKERS.search(data) is not None


def _merge_file(folder: str) -> subprocess.CompletedProcess[bytes]:
    """Run git where the files are: outside any repository, whose settings could be anybody's."""
    labels = (argument for label in (EDITED, BASE, NEW) for argument in ("-L", label))
    command = ["git", "merge-file", "-p", "-q", "--diff3", *labels, "edited", "base", "new"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise HipportError("git is needed to merge edits", hint="Install git, and run again.") from None
