"""Diagnostics HP901 to HP910: problems with a file as such, rather than with its content."""

from __future__ import annotations

import errno
import os

from hipport.diagnostics import Diagnostic, Severity


def _problem(path: str, code: str, severity: Severity, message: str, advice: str) -> Diagnostic:
    return Diagnostic(path, 1, 1, code, severity, message, advice)


def _why(error: OSError) -> str:
    return (error.strerror or str(error) or type(error).__name__).lower()


def unreadable(path: str, error: OSError) -> Diagnostic:
    """HP901: a file or folder that cannot be read."""
    advice = "Make it readable, or list it in .gitignore. Nothing was written for it."
    return _problem(path, "HP901", Severity.ERROR, f"cannot be read: {_why(error)}", advice)


def too_large(path: str, size: int, limit: int) -> Diagnostic:
    """HP902: a source of more than `limit` bytes."""
    message = f"not translated: its size of {size / 2**20:.0f} MiB exceeds the limit of {limit >> 20} MiB"
    advice = "Move the data out of the source, or split the file. It was copied unchanged."
    return _problem(path, "HP902", Severity.ERROR, message, advice)


def needs_memory(path: str, size: int) -> Diagnostic:
    """HP902: a source whose translation needs more memory than there is."""
    message = f"not translated: its {size / 2**20:.1f} MiB need more memory than there is, some 200 times as much"
    advice = "Split the file, or use fewer processes at once (-j 1). It was copied unchanged."
    return _problem(path, "HP902", Severity.ERROR, message, advice)


def link_leaves_tree(path: str, target: str) -> Diagnostic:
    """HP903: a symbolic link to somewhere outside the tree."""
    message = f"skipped: a symbolic link that leads out of the tree, to {target}"
    advice = "Move its target into the tree, or recreate the link in the output."
    return _problem(path, "HP903", Severity.WARNING, message, advice)


def name_taken(path: str, wanted: str) -> Diagnostic:
    """HP904: a file that keeps its name because another file already has the new name."""
    message = f"keeps its name: {wanted} already exists"
    return _problem(path, "HP904", Severity.WARNING, message, "Rename one of the two, or use --keep-names.")


def namesake_keeps(path: str, namesake: str) -> Diagnostic:
    """HP904: a file that keeps its name because a namesake must: includes of the name would be ambiguous."""
    message = f"keeps its name, because {namesake} of the same name must keep it"
    return _problem(path, "HP904", Severity.WARNING, message, "Rename one of the two, or use --keep-names.")


def internal_error(path: str, what: str) -> Diagnostic:
    """HP905: the translation itself failed; the file is copied unchanged."""
    advice = "Please report this with the file, reduced to a few lines if possible. It was copied unchanged."
    return _problem(path, "HP905", Severity.ERROR, f"internal error: {what}", advice)


def not_part_of_run(path: str, place: tuple[int, int], operand: str) -> Diagnostic:
    """HP121: an included file with CUDA that is not among the files to translate."""
    where = "it is outside the converted folder, or in a folder that git ignores"
    message = f'"{operand}" contains CUDA and is not converted: {where}'
    advice = "Convert a folder that contains it, too, or use --no-gitignore."
    return Diagnostic(path, *place, "HP121", Severity.WARNING, message, advice)


def binary(path: str) -> Diagnostic:
    """HP906: a file named like a source that is not text."""
    message = "not translated: contains NUL bytes"
    advice = "If it is a source, save it as UTF-8. It was copied unchanged."
    return _problem(path, "HP906", Severity.WARNING, message, advice)


def special_file(path: str) -> Diagnostic:
    """HP907: a pipe, socket or device."""
    message = "skipped: neither a file, a folder nor a link"
    return _problem(path, "HP907", Severity.WARNING, message, "If it belongs in the tree, list it in .gitignore.")


_CURES = {
    errno.ENAMETOOLONG: "Shorten the name or the output folder; with --keep-names, .cu does not become .hip.",
    errno.ENOSPC: "Make room on that disk and run again.",
    errno.EROFS: "Choose an output folder on a disk that can be written to.",
}


def unwritable(path: str, target: str, error: OSError) -> Diagnostic:
    """HP908: a file whose translation could not be written."""
    message = f"cannot write {os.path.normpath(target)}: {_why(error)}"
    advice = _CURES.get(error.errno or 0, "Fix the cause and run again.")
    return _problem(path, "HP908", Severity.ERROR, message, f"{advice} Nothing was changed there.")


def edited(path: str, what: str) -> Diagnostic:
    """HP909: an output file that was edited or not written by hipport, and is therefore left unchanged."""
    advice = "`hipport update` merges the edits with the new translation; --force overwrites them."
    return _problem(path, "HP909", Severity.ERROR, f"left unchanged: {what}", advice)


def conflict(path: str, what: str, advice: str) -> Diagnostic:
    """HP910: conflicting changes: an edit in the output and a change in the input."""
    return _problem(path, "HP910", Severity.ERROR, what, advice)


TAKEN_OVER = frozenset({"HP902", "HP906"})
"""Problems that keep a file from being translated but not from being copied."""
