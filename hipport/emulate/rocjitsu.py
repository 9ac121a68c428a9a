"""AMD's emulator rocjitsu, where it is installed: it simulates the kernel driver under an unmodified ROCm."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport import codeobject
from hipport.errors import HipportError

NAME = "rocjitsu"
_HINT = "Install rocjitsu (ROCm/rocm-systems, emulation/rocjitsu) and ROCm, or use --emulate with a target."


def command(target: str, program: Path, arguments: Sequence[str]) -> list[str]:
    """Return the command that runs a program with rocjitsu on a GPU of a target such as `gfx942`.

    Without a target it is the first one that the program has code for and rocjitsu a configuration. ROCJITSU_CONFIG
    names another configuration file. Raises `HipportError` if rocjitsu is not installed.
    """
    tool = shutil.which(NAME)
    if tool is None:
        raise HipportError("rocjitsu is not installed: there is no such program in PATH", hint=_HINT)
    named = os.environ.get("ROCJITSU_CONFIG")
    file = Path(named) if named else _configuration(Path(tool), [target] if target else _targets(program))
    return [tool, "--config", str(file), "--", str(program), *arguments]


def _configuration(tool: Path, targets: Sequence[str]) -> Path:
    """Return rocjitsu's configuration of one GPU of the first target that has one.

    Those for a simulated driver come first (gfx942_cdna3_kmd.json); GPUs of RDNA have no such file (gfx1151.json,
    gfx1100_w7900.json).
    """
    for target in targets:
        name = re.compile(rf"{re.escape(target)}(_[^_.]+)?(_kmd)?\.json")
        found = [
            path for folder in _folders(tool) for path in folder.glob(f"{target}*.json") if name.fullmatch(path.name)
        ]
        if found:
            return min(found, key=lambda path: (not path.stem.endswith("_kmd"), len(path.name), path.name))
    where = ", ".join(map(str, dict.fromkeys(_folders(tool))))
    hint = "Set ROCJITSU_CONFIG to a configuration file."
    raise HipportError(f"rocjitsu has no configuration for {', '.join(targets) or 'any target'} in {where}", hint=hint)


def _targets(program: Path) -> list[str]:
    """Return the processors that a program has code for."""
    entries = [entry for bundle in codeobject.read(program).bundles for entry in bundle.entries]
    return list(dict.fromkeys(name.partition(":")[0] for entry in entries if (name := entry.target_id)))


def _folders(tool: Path) -> Iterator[Path]:
    for prefix in (tool.parent.parent, tool.resolve().parent.parent):
        for name in ("share/rocjitsu/configs", "share/rocjitsu", "lib/rocjitsu/configs", "configs"):
            yield prefix / name
