"""Fake programs with given answers."""

from __future__ import annotations

from pathlib import Path

from hipport.toolchain.places import Surroundings


def program(root: Path, name: str, script: str, folder: str = "bin") -> Surroundings:
    """Write a shell script to a folder below `root`; return surroundings with that folder as PATH."""
    path = root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Surroundings({"PATH": str(path.parent)}, root)
