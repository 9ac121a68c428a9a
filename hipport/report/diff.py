"""Render changes as a unified diff for `git apply` and `patch -p1`, in bytes like the files."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator

from hipport.files.paths import is_below, relative
from hipport.project.request import FileResult
from hipport.project.task import Action
from hipport.report.displayable import diff_name

_COLOURS = ((b"@@", b"36"), (b"diff ", b"1"), (b"--- ", b"1"), (b"+++ ", b"1"), (b"+", b"32"), (b"-", b"31"))
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def diff_lines(files: Iterable[FileResult]) -> Iterator[bytes]:
    """Yield the lines of the diff of all changed files, each with its newline."""
    for file in files:
        if file.changed and not file.failed:
            yield from _link_lines(file) if file.action is Action.LINK else _file_lines(file)


def coloured(line: bytes) -> bytes:
    """Return a line for a terminal: in color, and with control characters shown as `^X` so that they have no effect."""
    text = re.sub(rb"[\x00-\x08\x0b-\x1f\x7f]", lambda match: b"^%c" % (match[0][0] ^ 0x40), line.rstrip(b"\r\n"))
    colour = next((colour for start, colour in _COLOURS if line.startswith(start)), None)
    return text + b"\n" if colour is None else b"\x1b[%sm%s\x1b[0m\n" % (colour, text)


def _file_lines(file: FileResult) -> Iterator[bytes]:
    old, new = _name(file.source), _name(file.target)
    yield _git(old, new)
    if old != new:
        yield b"rename from %s\nrename to %s\n" % (diff_name(old), diff_name(new))
    before, after = _split(file.before), _split(file.after)
    names = diff_name(b"a/" + old), diff_name(b"b/" + new)
    for line in difflib.diff_bytes(difflib.unified_diff, before, after, *_header(names)):
        yield line if line.endswith(b"\n") else line + _NO_NEWLINE


def _header(names: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Return the names for the `---` and `+++` lines; a tab ends a name that contains a space, as in git."""
    old, new = (name + b"\t" * (b" " in name) for name in names)
    return old, new


def _link_lines(file: FileResult) -> Iterator[bytes]:
    """Delete a changed link and create it again: a diff has no other way to rename one and change its text."""
    old, new = _name(file.source), _name(file.target)
    yield _git(old, old) + b"deleted file mode 120000\n"
    yield b"--- %s\n+++ /dev/null\n@@ -1 +0,0 @@\n-%s" % (diff_name(b"a/" + old), file.before) + _NO_NEWLINE
    yield _git(new, new) + b"new file mode 120000\n"
    yield b"--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+%s" % (diff_name(b"b/" + new), file.after) + _NO_NEWLINE


def _git(old: bytes, new: bytes) -> bytes:
    return b"diff --git %s %s\n" % (diff_name(b"a/" + old), diff_name(b"b/" + new))


def _name(path: str) -> bytes:
    """Return a path for a diff, relative to the current folder, where the diff is applied, or to `/` if outside it."""
    inner = relative(path)
    return os.fsencode(inner if is_below(inner) else relative(path, "/"))


def _split(data: bytes) -> list[bytes]:
    r"""Split into lines with their ends; only `\n` ends one (`bytes.splitlines` would also split at a lone `\r`)."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)
