"""Check for variables that hide GPUs from programs, or make the runtime treat one GPU as another."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.doctor.findings import Area, Finding, SetVariable, error, ok, warning
from hipport.doctor.machine import Machine

TITLE = "runtime variables"
AREA = Area.SURROUNDINGS
_VISIBLE = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
_OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"


def run(machine: Machine) -> Iterator[Finding]:
    """Check each variable that is set."""
    found = [*_hidden(machine), *_override(machine)]
    yield from found or [ok("none hides a GPU or overrides its target")]


def _hidden(machine: Machine) -> Iterator[Finding]:
    for name in _VISIBLE:
        value = machine.where.environ.get(name)
        if value is not None and value.strip() in ("", "-1"):
            fix = SetVariable(name, None)
            yield error(f"{name} is {value.strip() or 'empty'}, which hides every GPU", f"{fix}", fix)


def _override(machine: Machine) -> Iterator[Finding]:
    if value := machine.variable(_OVERRIDE):
        fix = SetVariable(_OVERRIDE, None)
        yield warning(
            f"{_OVERRIDE} is {value}: the runtime loads code for gfx{value.replace('.', '')} on any GPU, and "
            "instructions that the GPU lacks crash the program",
            f"{fix}; then build for the GPU in this machine",
            fix,
        )
