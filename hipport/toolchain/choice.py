"""Chooses the compiler of a build: the first that knows all its targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hipport.errors import HipportError
from hipport.toolchain.compilers import KINDS, Compiler, find, named
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import TargetID, near_miss
from hipport.toolchain.targets import TARGETS

_TOO_FEW_REGISTERS = 15
"""The last LLVM release with too few registers for gfx11."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The compiler to use; `reason` says why when it is not the best one found, else it is empty."""

    compiler: Compiler
    reason: str = ""


def choose(targets: Sequence[TargetID], where: Surroundings, wanted: str | None = None) -> Choice:
    """The first compiler, of those that `wanted` means or of all, that knows every target.

    Raises `HipportError` when there is none, naming the compilers here that know what this one does not.
    """
    passed_over: list[Compiler] = []
    for compiler in named(wanted, where) if wanted else find(where):
        if not unknown(compiler, targets):
            return Choice(compiler, _reason(compiler, passed_over, targets) if not wanted or passed_over else "")
        passed_over.append(compiler)
    if not passed_over:
        raise _nothing_found(wanted)
    raise _unknown_target(passed_over, targets, where)


def with_all_registers(targets: Sequence[TargetID], where: Surroundings) -> Compiler | None:
    """The first compiler that knows every target and all of its registers; None where `choose` need not be led.

    LLVM 15 takes the register file of RDNA 3 for smaller than it is, and keeps in memory what would fit.
    """
    if not any(target.processor.startswith("gfx11") for target in targets):
        return None
    able = (compiler for compiler in find(where) if int(compiler.clang.split(".")[0]) > _TOO_FEW_REGISTERS)
    return next((compiler for compiler in able if not unknown(compiler, targets)), None)


def unknown(compiler: Compiler, targets: Iterable[TargetID]) -> list[str]:
    """The processors among `targets` that a compiler does not know."""
    return list(dict.fromkeys(t.processor for t in targets if t.processor not in compiler.processors))


def _reason(compiler: Compiler, passed_over: list[Compiler], targets: Sequence[TargetID]) -> str:
    if passed_over:
        first = passed_over[0]
        return f"{first.kind} {first.version} does not know {_and(unknown(first, targets))}"
    return "" if compiler.kind == KINDS[0] else f"no {KINDS[0]} was found"


def _nothing_found(wanted: str | None) -> HipportError:
    what = wanted or "compiler for AMD GPUs"
    return HipportError(
        f"found no {what}",
        hint="Debian and Ubuntu: apt-get install hipcc libamdhip64-dev rocm-device-libs. "
        "Elsewhere install ROCm, or set ROCM_PATH to where it is.",
    )


def _unknown_target(tried: list[Compiler], targets: Sequence[TargetID], where: Surroundings) -> HipportError:
    missing = unknown(tried[0], targets)
    return HipportError(f"{tried[0]} does not know {_and(missing)}", hint="\n  ".join(_who_knows(missing, where)))


def _who_knows(processors: list[str], where: Surroundings) -> Iterator[str]:
    """One line a processor: the compilers here that know it."""
    here = list(find(where))
    for processor in processors:
        knowing = [str(compiler) for compiler in here if processor in compiler.processors]
        yield f"{processor} is known here to {_and(knowing)}." if knowing else _nobody_knows(processor)
    together = [c for c in here if not set(processors) - c.processors]
    if together:
        yield f"Choose it with --compiler {together[0].path}."


def _nobody_knows(processor: str) -> str:
    row = TARGETS.get(processor)
    if row is None:
        return f"No compiler here knows {processor}. {near_miss(processor)}"
    return f"No compiler here knows {processor}, which needs LLVM {row.llvm} or newer."


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
