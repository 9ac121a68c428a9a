"""HP505: CUDA source in the strings of Python files, which CuPy, PyCUDA or PyTorch compile when they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.files.sources import Read
from hipport.mappings.tables import Tables
from hipport.project.task import Action, Task

_MARK = b"__global__"
_ADVICE = "Edit it by hand, or move it to a file of its own, which is translated, and read that file."


def kernels_in_python(tasks: Iterable[Task], tables: Tables, read: Read) -> Iterator[Diagnostic]:
    """Yield a finding for each string of a Python file with CUDA code in a kernel, unless a comment silences it."""
    for task in tasks:
        if is_python(task):
            try:
                text = read(task.real)
            except OSError:  # whoever copies the file reports it
                continue
            if _MARK in text:
                from hipport.buildfiles.suppression import unsuppressed  # few files need it

                yield from unsuppressed(text, list(_found(text, task.source, tables)))


def is_python(task: Task) -> bool:
    """Return whether a file is read for kernels in its strings."""
    return task.action is Action.COPY and task.source.endswith(".py")


def _found(text: bytes, path: str, tables: Tables) -> Iterator[Diagnostic]:
    from hipport.buildfiles.setup_py.tree import literals
    from hipport.translate.hazards.source_in_strings import has_kernel, message_about, names_to_translate

    for start, content in literals(text):
        if has_kernel(content) and (names := names_to_translate(content, tables)):
            begin = text.rfind(b"\n", 0, start) + 1
            place = (text.count(b"\n", 0, start) + 1, len(text[begin:start].decode("utf-8", "replace")) + 1)
            yield Diagnostic(path, *place, "HP505", Severity.WARNING, message_about(names), _ADVICE)
