"""Choose the compiler of a build: the first that supports all its targets with all their registers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from hipport.errors import HipportError, UsageError
from hipport.toolchain.compilers import KINDS, Compiler, find, named
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import TargetID, near_miss
from hipport.toolchain.targets import TARGETS

VARIABLE = "HIPCXX"
"""Environment variable with the default compiler, as for CMake."""

_TOO_FEW_REGISTERS: Mapping[str, int] = MappingProxyType({"gfx11": 15})
"""The last LLVM release that underestimates the register file of a processor family, and so spills."""


class Choice(Struct, frozen=True):
    """The compiler to use; `reason` is why it is not the best one found, or empty if it is."""

    compiler: Compiler
    reason: str = ""


def choose(targets: Sequence[TargetID], where: Surroundings, wanted: str | None = None) -> Choice:
    """Return the first compiler that supports every target, of those named by `wanted` or HIPCXX, or else of all.

    Unless one was requested, compilers that also know all registers of the targets are preferred. Raises
    `HipportError` if there is none, naming installed compilers that support the missing targets.
    """
    asked = wanted or where.environ.get(VARIABLE, "")
    passed_over: list[tuple[Compiler, str]] = []
    able: list[Compiler] = []
    for compiler in _candidates(wanted, where):
        lacking = _lacking(compiler, targets)
        if not lacking or (asked and not unknown(compiler, targets)):
            return Choice(compiler, _reason(compiler, passed_over, bool(asked)))
        passed_over.append((compiler, lacking))
        able += [] if unknown(compiler, targets) else [compiler]
    if able:
        return Choice(able[0], _reason(able[0], [each for each in passed_over if each[0] not in able], bool(asked)))
    if not passed_over:
        raise _nothing_found(asked)
    raise _unknown_target([compiler for compiler, _ in passed_over], targets, where)


def _candidates(wanted: str | None, where: Surroundings) -> Iterator[Compiler]:
    """Yield the candidate compilers. Raises `UsageError` if the requested one is not a compiler."""
    told = where.environ.get(VARIABLE, "")
    if wanted or not told:
        yield from named(wanted, where) if wanted else find(where)
        return
    try:
        yield from named(told, where)
    except UsageError as error:
        raise UsageError(f"{VARIABLE} is set: {error}", hint=error.hint) from None


def unknown(compiler: Compiler, targets: Iterable[TargetID]) -> list[str]:
    """Return the processors among `targets` that a compiler does not support."""
    return list(dict.fromkeys(t.processor for t in targets if t.processor not in compiler.processors))


def _lacking(compiler: Compiler, targets: Sequence[TargetID]) -> str:
    """Return what a compiler lacks for the targets, or an empty string."""
    if missing := unknown(compiler, targets):
        return f"does not support {_and(missing)}"
    release = int(compiler.clang.split(".")[0])
    families = tuple(family for family, last in _TOO_FEW_REGISTERS.items() if release <= last)
    cramped = dict.fromkeys(t.processor for t in targets if t.processor.startswith(families))
    inner = f"with clang {compiler.clang} " if compiler.kind == KINDS[0] else ""
    return f"{inner}underestimates the registers of {_and(list(cramped))}" if cramped else ""


def _reason(compiler: Compiler, passed_over: list[tuple[Compiler, str]], asked: bool) -> str:
    if passed_over:
        first, lacking = passed_over[0]
        return f"{first.kind} {first.version} {lacking}"
    return "" if asked or compiler.kind == KINDS[0] else f"no {KINDS[0]} found"


def _nothing_found(wanted: str) -> HipportError:
    what = wanted or "compiler for AMD GPUs"
    return HipportError(
        f"no {what} found",
        hint="Debian and Ubuntu: apt-get install hipcc libamdhip64-dev. "
        "Elsewhere install ROCm, or set ROCM_PATH to its folder.",
    )


def _unknown_target(tried: list[Compiler], targets: Sequence[TargetID], where: Surroundings) -> HipportError:
    missing = unknown(tried[0], targets)
    return HipportError(f"{tried[0]} does not support {_and(missing)}", hint="\n  ".join(_who_knows(missing, where)))


def _who_knows(processors: list[str], where: Surroundings) -> Iterator[str]:
    """Yield one line per processor: the installed compilers that support it."""
    here = list(find(where))
    for processor in processors:
        knowing = [str(compiler) for compiler in here if processor in compiler.processors]
        yield f"{processor} is supported by {_and(knowing)}." if knowing else _nobody_knows(processor)
    together = [c for c in here if not set(processors) - c.processors]
    if together:
        yield f"Use --compiler {together[0].path}."


def _nobody_knows(processor: str) -> str:
    row = TARGETS.get(processor)
    if row is None:
        return f"No compiler on this machine supports {processor}. {near_miss(processor)}"
    return f"No compiler on this machine supports {processor}, which needs {row.releases}."


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
