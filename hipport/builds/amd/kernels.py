"""Check that every kernel that host code registers is in the code object of every target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hipport.builds.plan import BuildPlan, StepKind
from hipport.errors import HipportError

if TYPE_CHECKING:
    from hipport.codeobject import MissingKernel

_HOST = " for the host"
_SHOWN = 5
_HINT = (
    "A template argument or the signature of a kernel depends on a macro that only device compiles define, "
    "such as __gfx90a__. Use such macros only inside kernels and device functions."
)


def check_kernels(plan: BuildPlan) -> tuple[str, ...]:
    """Compare host code with device code and return warnings.

    Raises `HipportError` for launches that are bound to fail.
    """
    found = [(unit, missing) for unit, missing in _found(plan) if missing]
    names = _cxx_names([kernel for _, missing in found for kernel in missing])
    errors = [line for unit, missing in found for line in _lines(unit, [m for m in missing if m.is_error], names)]
    if errors:
        more = [f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else []
        raise HipportError("\n  ".join([*errors[:_SHOWN], *more]), hint=_HINT)
    return tuple(f"warning: {line}" for unit, missing in found for line in _lines(unit, missing, names))


def _found(plan: BuildPlan) -> Iterator[tuple[str, Sequence[MissingKernel]]]:
    """Yield the missing kernels of each unit.

    They are read from a unit's host object, since nothing is stripped from it. The product is read instead if device
    code is linked last (-fgpu-rdc) or a host object is unreadable because it is bitcode (-flto).
    """
    whole = True
    for step in plan.steps:
        if step.kind is StepKind.HOST:
            missing = _missing(step.output) if step.title.endswith(_HOST) else None
            whole &= missing is not None
            yield step.title.removesuffix(_HOST), missing or ()
    if not whole and plan.steps[-1].kind is StepKind.LINK:
        yield "link", _missing(plan.product) or ()


def _missing(path: str) -> list[MissingKernel] | None:
    from hipport import codeobject

    try:
        return [missing for host in codeobject.read(Path(path)).hosts for missing in host.missing]
    except HipportError:
        return None


def _lines(unit: str, missing: Sequence[MissingKernel], names: dict[str, str]) -> Iterator[str]:
    """Yield a line for each kernel, naming all targets it is missing from."""
    kernels: dict[str, list[MissingKernel]] = {}
    for kernel in missing:
        kernels.setdefault(kernel.name, []).append(kernel)
    for name, lacking in kernels.items():
        targets = ", ".join(kernel.target_id for kernel in lacking)
        line = f"{unit}: the host registers {names.get(name, name)}, which is missing in the code for {targets}"
        other = next((kernel for kernel in lacking if kernel.instead), None)
        if other:
            line += f"; {other.target_id} has {names.get(other.instead[0], other.instead[0])} instead"
        yield line


def _cxx_names(found: Iterable[MissingKernel]) -> dict[str, str]:
    """Return the C++ names of kernels, or nothing without a demangler."""
    from hipport.codeobject.demangle import demangle

    mangled = [name for missing in found for name in (missing.name, *missing.instead)]
    try:
        return demangle(mangled) if mangled else {}
    except HipportError:
        return {}
