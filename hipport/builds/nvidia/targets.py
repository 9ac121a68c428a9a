"""NVIDIA targets: parsing `--offload-arch` and generating nvcc's options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hipport.errors import UsageError
from hipport.toolchain.places import Surroundings, programs
from hipport.toolchain.process import run

_NAME = re.compile(r"(sm|compute)_(\d{2,3})([af]?)")
_CAPABILITY = re.compile(r"(\d+)\.(\d)")


@dataclass(frozen=True, slots=True)
class NvidiaTarget:
    """A GPU architecture: machine code for it or, with `ptx`, code that the driver compiles for it and later ones."""

    number: int
    variant: str = ""
    ptx: bool = False

    def __str__(self) -> str:
        return f"{'compute' if self.ptx else 'sm'}_{self.number}{self.variant}"


def parse_targets(texts: Sequence[str]) -> tuple[NvidiaTarget, ...]:
    """Parse `sm_80,sm_90a` into unique targets. Raises `UsageError` for an invalid one."""
    names = (name.strip() for text in texts for name in text.split(","))
    return tuple(dict.fromkeys(_parse(name) for name in names if name))


def _parse(name: str) -> NvidiaTarget:
    match = _NAME.fullmatch(name)
    if match is None:
        hint = "NVIDIA targets look like sm_80, sm_90a or compute_90; `native` means this machine's GPUs."
        raise UsageError(f"{name!r} is not an NVIDIA target", hint=hint)
    return NvidiaTarget(int(match[2]), match[3], match[1] == "compute")


def native_targets(where: Surroundings) -> tuple[NvidiaTarget, ...]:
    """Return this machine's GPUs as reported by nvidia-smi; empty if it is missing or fails."""
    folders = (path for path in map(where.root.joinpath, where.environ.get("PATH", "").split(":")) if str(path))
    smi = next(programs(folders, ["nvidia-smi"]), None)
    done = run([smi, "--query-gpu=compute_cap", "--format=csv,noheader"], timeout=20) if smi else None
    found = _CAPABILITY.findall(done.stdout) if done and done.status == 0 else []
    return tuple(sorted({NvidiaTarget(int(major) * 10 + int(minor)) for major, minor in found}, key=str))


def chosen_targets(texts: Sequence[str], where: Surroundings) -> tuple[NvidiaTarget, ...]:
    """Return the requested targets with `native` resolved; by default this machine's GPUs, if any."""
    names = [name.strip() for text in texts for name in text.split(",")]
    here = native_targets(where) if not texts or "native" in names else ()
    if "native" in names and not here:
        raise UsageError(
            "--offload-arch native: no working NVIDIA GPU in this machine", hint="Name a target, such as sm_90."
        )
    named = parse_targets([name for name in names if name != "native"])
    return tuple(dict.fromkeys((*here, *named)))


def code_options(targets: Sequence[NvidiaTarget]) -> Iterator[str]:
    """Yield nvcc's options for targets: machine code for each, plus PTX of the newest for later GPUs.

    Without targets nvcc compiles for the oldest GPUs that it supports, in a form that newer ones also accept.
    """
    for target in targets:
        name = f"{target.number}{target.variant}"
        codes = [f"{'compute' if target.ptx else 'sm'}_{name}"]
        if target is _newest(targets) and not target.variant and not target.ptx:
            codes.append(f"compute_{name}")
        yield f"--generate-code=arch=compute_{name},code=[{','.join(codes)}]"


def _newest(targets: Sequence[NvidiaTarget]) -> NvidiaTarget:
    return max(targets, key=lambda target: target.number)
