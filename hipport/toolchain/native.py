"""Query the AMD GPUs of this machine."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run
from hipport.toolchain.tools import find_tool

_AGENT = re.compile(r"^\s*Name:\s+(gfx[0-9a-f]+)\s*$", re.MULTILINE)


def native_targets(where: Surroundings) -> list[str]:
    """Return the processors of this machine's GPUs from rocminfo. Raises `HipportError` if there are none."""
    answer = run([find_tool("rocminfo", where)])
    found = list(dict.fromkeys(_AGENT.findall(answer.stdout))) if answer else []
    if not found:
        lines = (answer.stdout + answer.stderr).strip().splitlines() if answer else ["no answer"]
        raise HipportError(
            "`native`: no AMD GPU in this machine",
            hint=f"rocminfo says: {lines[0] if lines else 'nothing'}\n"
            "  Name the targets to build for, for example --offload-arch gfx90a,gfx1100.",
        )
    return found


def resolve_native(texts: Iterable[str], where: Surroundings) -> list[str]:
    """Return the targets with `native` replaced by this machine's, which are only queried if it occurs."""
    items = [item.strip() for text in texts for item in text.split(",")]
    if "native" not in items:
        return items
    return [target for item in items for target in (native_targets(where) if item == "native" else [item])]
