"""Collect the contents that hipport wrote to an output tree, as bases for later merges."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from hipport.files.hashes import Hasher, digest
from hipport.files.sources import is_binary, open_regular
from hipport.project.request import Verdict
from hipport.project.state.bases import LARGEST
from hipport.project.task import Action
from hipport.project.tree.steps import FileStep
from hipport.project.tree.wanted import Wanted


def bases(steps: Iterable[FileStep], tree: str, hasher: Hasher) -> Iterator[tuple[str, bytes]]:
    """Yield the contents to be kept, with their digests; unreadable files are left to the code that writes them."""
    for step in steps:
        if step.wanted is None or step.wanted.task.action is Action.LINK:
            continue
        if step.verdict is Verdict.WRITE or step.merged is not None:
            yield from _made(step.wanted, hasher)
        elif step.verdict is Verdict.SAME and (step.before is None or step.before.output != step.wanted.entry.output):
            yield from _text(os.path.join(tree, step.target), step.wanted.entry.output, hasher)


def _made(wanted: Wanted, hasher: Hasher) -> Iterator[tuple[str, bytes]]:
    if wanted.data is not None:
        yield wanted.entry.output, wanted.data
    else:
        yield from _text(wanted.task.source, wanted.entry.output, hasher)


def _text(path: str, name: str, hasher: Hasher) -> Iterator[tuple[str, bytes]]:
    """Yield the content of a file if it is text with this digest."""
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size > LARGEST or is_binary(file):
                return
            data = file.read()
    except OSError:
        return
    if hasher.is_as_seen(path, status) or digest(data) == name:
        yield name, data
