"""Check that a machine can work for a site: it sees the same files and has the same tools."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import hipport
from hipport.builds.scheduler.protocol import Site
from hipport.builds.scheduler.variables import taken_over
from hipport.toolchain.process import run

PATIENCE = 10.0
"""Seconds to wait for a file written by another machine: network file systems cache its absence."""


@functools.lru_cache(maxsize=8)
def trouble(site: Site) -> str:
    """Return why this machine cannot work for a site, or an empty string. Cached per build."""
    return next(_troubles(site), "")


def _troubles(site: Site) -> Iterator[str]:
    if hipport.__version__ != site.version:
        yield f"has hipport {hipport.__version__}; {site.host} has {site.version}"
    if not _sees_probe(site):
        yield f"cannot access the build folder of {site.host}, {Path(site.probe).parent}"
    for folder in site.folders:
        if not os.path.isdir(folder):  # noqa: PTH112 - an unreadable parent is an answer, too
            yield f"has no folder {folder}, unlike {site.host}"
    for tool, said in site.tools:
        here = fingerprint(tool, site.environment)
        if here != said:
            yield f"has a different {tool}: {_brief(here)}; {site.host} has {_brief(said)}"


def _sees_probe(site: Site) -> bool:
    path = Path(site.probe)
    try:
        return appears(str(path)) and path.read_text(encoding="utf-8") == site.token
    except OSError:
        return False


def appears(path: str, patience: float = PATIENCE) -> bool:
    """Return whether a file exists, or becomes visible within `patience` seconds."""
    end = time.monotonic() + patience
    while not Path(path).exists():
        if time.monotonic() > end:
            return False
        with contextlib.suppress(OSError):
            next(os.scandir(Path(path).parent), None)  # makes the file system reread the folder
        time.sleep(0.1)
    return True


def fingerprint(tool: str, environment: tuple[tuple[str, str], ...]) -> str:
    """Return a tool's fingerprint: the version of a program, or the bitcode digest of a folder of device libraries."""
    if Path(tool).is_dir():
        found = hashlib.sha256()
        for path in sorted(Path(tool).glob("*.bc")):
            found.update(b"%s\0%s\0" % (path.name.encode(), hashlib.sha256(path.read_bytes()).digest()))
        return f"bitcode {found.hexdigest()[:16]}"
    done = run([tool, "--version"], environ=taken_over(os.environ, environment))
    return done.stdout if done and done.status == 0 else "unknown version"


def _brief(text: str) -> str:
    return text.strip().partition("\n")[0] or "nothing"
