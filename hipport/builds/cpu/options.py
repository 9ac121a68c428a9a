"""Options specific to CPU builds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hipport.errors import UsageError
from hipport.toolchain.target_id import TargetID
from hipport.toolchain.targets import TARGETS

CHECKS = "kernels"
"""The checks of hipport's own runtime; the other sanitizers are the compiler's."""
SANITIZERS = (CHECKS, "address", "undefined", "thread")
DEFAULT_WAVE = 64


@dataclass(frozen=True, slots=True)
class CpuOptions:
    """The wavefront size in lanes, the gfx target reported in the device properties, and the sanitizers."""

    wave_size: int = DEFAULT_WAVE
    arch: str = "cpu"
    sanitizers: tuple[str, ...] = ()
    lockstep: bool = False

    @property
    def checks(self) -> bool:
        """Return whether hipport's own runtime sees every access: to check it, or to keep lanes in step."""
        return CHECKS in self.sanitizers or self.lockstep


def cpu_options(
    wave_size: int | None, targets: Sequence[TargetID], sanitize: Sequence[str], lockstep: bool = False
) -> CpuOptions:
    """Combine options; the wavefront size defaults to that of the gfx targets. Raises `UsageError`."""
    sanitizers = tuple(dict.fromkeys(name for text in sanitize for name in text.split(",") if name))
    for name in sanitizers:
        if name not in SANITIZERS:
            raise UsageError(f"unknown sanitizer {name}", hint=f"Sanitizers: {', '.join(SANITIZERS)}.")
    if lockstep and set(sanitizers) - {CHECKS}:
        raise UsageError(
            "--lockstep and sanitizers of the compiler cannot be combined",
            hint="Build with each separately, or build for an AMD GPU and use hipport run --emulate TARGET --check.",
        )
    if CHECKS in sanitizers and len(sanitizers) > 1:
        others = " and ".join(name for name in sanitizers if name != CHECKS)
        raise UsageError(
            f"--sanitize {CHECKS} and {others} cannot be combined", hint="Build and run with each separately."
        )
    if "thread" in sanitizers and "address" in sanitizers:
        raise UsageError("--sanitize thread and address cannot be combined", hint="Build and run with each separately.")
    waves = {TARGETS[target.processor].wavefront for target in targets}
    if wave_size is None and len(waves) > 1:
        raise UsageError(
            "the gfx targets have different wavefront sizes, 32 and 64", hint="Choose one with --wave-size."
        )
    arch = str(targets[0]) if len(targets) == 1 else "cpu"
    return CpuOptions(wave_size or next(iter(waves), DEFAULT_WAVE), arch, sanitizers, lockstep)
