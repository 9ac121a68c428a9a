"""Programs that answer as told."""

from __future__ import annotations

from pathlib import Path

from hipport.toolchain.places import Surroundings


def program(root: Path, name: str, script: str, folder: str = "bin") -> Surroundings:
    """Put a shell script into a folder below `root`; that folder is PATH."""
    path = root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Surroundings({"PATH": str(path.parent)}, root)
