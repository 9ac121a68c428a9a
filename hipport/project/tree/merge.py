"""Three-way merge of text with `git merge-file`."""

from __future__ import annotations

import os
import subprocess
import tempfile

from msgspec import Struct

from hipport import lazy_re as re
from hipport.errors import HipportError
from hipport.files.atomic import naming

EDITED, BASE, NEW = "edited here", "converted before", "converted now"
"""Labels of the conflict markers."""

_MARKERS = re.compile(rf"^(?:<{{7}} {EDITED}|>{{7}} {NEW})\r?$".encode(), re.MULTILINE)
_MOST_CONFLICTS = 127  # exit status of git merge-file for that many conflicts or more; 255 means failure


class Merged(Struct, frozen=True):
    """The merged text; `clean` if there are no conflicts."""

    data: bytes
    clean: bool


def merge(base: bytes, edited: bytes, new: bytes) -> Merged | None:
    """Apply the changes from `base` to `new` to `edited`; None if one is not text. Raises HipportError."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("edited", edited), ("base", base), ("new", new)):
            path = os.path.join(folder, name)
            with naming(path), open(path, "wb") as file:
                file.write(data)
        done = _merge_file(folder)
    if done.returncode > _MOST_CONFLICTS:
        return None
    return Merged(done.stdout, done.returncode == 0)


def has_markers(data: bytes) -> bool:
    """Return whether a conflict left by a merge is still unresolved."""
    return _MARKERS.search(data) is not None


def _merge_file(folder: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in the files' temporary folder: outside any repository, whose settings could be anything."""
    labels = (argument for label in (EDITED, BASE, NEW) for argument in ("-L", label))
    command = ["git", "merge-file", "-p", "-q", "--diff3", *labels, "edited", "base", "new"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise HipportError("git is needed to merge edits", hint="Install git and run again.") from None
