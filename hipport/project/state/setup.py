"""Describe what all translations of a run depend on besides the files: options, tables, releases, hipport itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hipport
from hipport.files.hashes import digest
from hipport.mappings.loader import tables_digest
from hipport.project.request import ConvertRequest
from hipport.translate.context import Context


def describe(request: ConvertRequest, context: Context) -> dict[str, Any]:
    """Return the setup for the manifest, from which `hipport update` takes its options."""
    return {
        "hipport": hipport.__version__,
        "tables": tables_digest(request.names),
        "rocm": context.tables.releases.rocm,
        "cuda": context.tables.releases.cuda,
        "torch": context.tables.releases.torch,
        "libs": request.names.flavour,
        "launch": request.options.launch,
        "wave_size": request.options.wave_size,
        "fix": request.options.fix,
        "keep_names": request.keep_names,
        "convert_ported": request.convert_ported,
        "gitignore": request.gitignore,
        "support": request.support,
        "build_files": request.build_files,
        "targets": list(request.targets),
        "semantic": request.semantic is not None,
    }


def key(setup: dict[str, Any]) -> str:
    """Return a key for a setup and the translating code, which in a checkout changes without its version."""
    return digest(repr((sorted(setup.items()), sorted(_code()))).encode())


def _code() -> Iterator[tuple[str, int, int]]:
    """Yield the modules of hipport: path, size, modification time."""
    waiting = [str(Path(hipport.__file__).parent)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for item in found:
                if item.is_dir():
                    waiting.append(item.path)
                elif item.name.endswith(".py"):
                    status = item.stat()
                    yield item.path, status.st_size, status.st_mtime_ns
