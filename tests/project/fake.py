"""A fake converter for testing the machinery around it: `cuda` becomes `hip`, and some words have other effects."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from hipport.diagnostics import Diagnostic, Severity
from hipport.project.request import ConvertRequest, Mode, Report
from hipport.project.run import run
from hipport.project.walk import STATE
from hipport.support import included
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion


def convert(data: bytes, name: str, context: Context) -> Conversion:
    """`define cudaX` defines a name, `RAISE` raises, `CRASH` kills the process, `REPORT` reports an error."""
    if b"RAISE" in data:
        raise RecursionError("too deep")
    if b"CRASH" in data:
        os.kill(os.getpid(), signal.SIGKILL)
    own = frozenset(word.decode() for word in re.findall(rb"define (cuda\w+)", data))
    words = frozenset(word.decode() for word in re.findall(rb"cuda\w+", data))
    errors = [line for line, text in enumerate(data.split(b"\n"), 1) if b"REPORT" in text]

    def translate(match: re.Match[bytes]) -> bytes:
        return match[0] if match[0].decode() in own | context.foreign else b"hip" + match[1]

    def follow(match: re.Match[bytes]) -> bytes:
        old = match[2].decode()
        return match[1] + context.renamed.get(old, old).encode() + b'"'

    text = re.sub(rb'(#include "(?:[^"\n]*/)?)([^"/\n]+)"', follow, re.sub(rb"cuda(\w+)", translate, data))
    includes = tuple(match.decode() for match in re.findall(rb'#include "([^"\n]+)"', data))
    found = tuple(Diagnostic(name, line, 1, "HP101", Severity.ERROR, "reported", "mend it") for line in errors)
    reads = tuple(name.decode() for name in re.findall(rb'open\("(\w+\.cu)"', data))
    return Conversion(text, found, own, words, includes, included(text), reads=reads)


def request(mode: Mode, *paths: Path | str, **options: object) -> ConvertRequest:
    return ConvertRequest(tuple(map(str, paths)), mode, Options(), **options)  # type: ignore[arg-type]


def carry_out(mode: Mode, *paths: Path | str, **options: object) -> Report:
    return run(request(mode, *paths, **options), lambda done, total: None, convert)


def mirror(tree: Path, out: Path, **options: object) -> Report:
    return carry_out(Mode.OUTPUT, tree, folder=str(out), **options)


def build(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Create a tree from names and contents; `-> target` creates a symbolic link."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str) and content.startswith("-> "):
            path.symlink_to(content[3:])
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def names(folder: Path) -> list[str]:
    """Return all files and links below a folder, except hipport's state."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return sorted(str(path) for path in found if STATE not in path.parts)


def codes(report: Report) -> list[str]:
    return [diagnostic.code for diagnostic in report.diagnostics]
