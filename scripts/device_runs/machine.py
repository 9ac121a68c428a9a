"""Say what this machine is: its GPUs, its compilers and its packages."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
from pathlib import Path

_QUERIES = (
    ("nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.memory", "--format=csv"),
    ("nvcc", "--version"),
    ("git", "log", "-1", "--format=%h %ci"),
)
_PACKAGES = ("torch", "transformers", "numpy", "triton", "tree-sitter", "msgspec", "gguf")


def main() -> None:
    """Write the answers as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True)
    told = parser.parse_args()
    found = {" ".join(query): _answer(query) for query in _QUERIES}
    found |= {name: _version(name) for name in _PACKAGES}
    found |= {"python": platform.python_version(), "processors": str(os.cpu_count())}
    told.json.write_text(json.dumps(found, indent=1))
    for name, answer in found.items():
        print(f"{name}: {answer}")


def _answer(query: tuple[str, ...]) -> str:
    try:
        return subprocess.run(query, capture_output=True, text=True, check=False, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
