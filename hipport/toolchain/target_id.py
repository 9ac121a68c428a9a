"""Target IDs: a processor and the features that its code is built for, `gfx90a:sramecc-:xnack+`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from hipport.errors import UsageError
from hipport.toolchain.targets import TARGETS, GfxTarget, isa_version

FEATURES = ("sramecc", "xnack")


class TargetID(Struct, frozen=True):
    """A processor with features on (True) or off (False); code runs in either mode of a feature that is not named.

    `str()` gives the canonical form, with features in alphabetical order.
    """

    processor: str
    features: tuple[tuple[str, bool], ...] = ()

    def __str__(self) -> str:
        return ":".join([self.processor, *(name + "-+"[on] for name, on in self.features)])

    @property
    def isa_version(self) -> int:
        """The constant `__oclc_ISA_version` of the processor."""
        row = TARGETS.get(self.processor)
        version = row.isa_version if row else isa_version(self.processor)
        assert version is not None, "parse() lets no other name in"
        return version


def parse(text: str) -> TargetID:
    """Parse one target ID, with features in any order. Raises `UsageError`.

    A processor missing from the table is accepted if its name has a version: the compiler decides.
    """
    processor, *features = text.strip().split(":")
    if processor not in TARGETS and isa_version(processor) is None:
        raise UsageError(f"{text!r} is not a gfx target", hint=near_miss(processor))
    settings = [_feature(feature, text) for feature in features]
    names = [name for name, _ in settings]
    if len(set(names)) < len(names):
        raise UsageError(f"target {text!r} sets a feature twice", hint="Name each feature once, with + or -.")
    row = TARGETS.get(processor)
    for name in names:
        if row is not None and name not in row.features:
            raise UsageError(f"target {processor} has no feature {name!r}", hint=_features_of(processor))
    return TargetID(processor, tuple(sorted(settings)))


def _feature(text: str, target: str) -> tuple[str, bool]:
    name, sign = text[:-1], text[-1:]
    if sign not in ("+", "-"):
        raise UsageError(f"feature {text!r} of target {target!r} needs a sign", hint=f"Write {text}+ or {text}-.")
    if name not in FEATURES:
        import difflib  # needed for mistakes only

        near = difflib.get_close_matches(name, FEATURES, n=1)
        advice = f"Did you mean {near[0]}{sign}?" if near else "The features are sramecc and xnack."
        raise UsageError(f"unknown feature {name!r} in target {target!r}", hint=advice)
    return name, sign == "+"


def _features_of(processor: str) -> str:
    features = sorted(TARGETS[processor].features)
    return f"{processor} has {' and '.join(features)}." if features else f"{processor} takes no features."


def near_miss(name: str) -> str:
    """Return a suggestion for an invalid target name."""
    wanted = name.lower().replace("_", "-").removeprefix("--offload-arch=")
    if re.match(r"sm-?\d|compute-?\d", wanted):
        return "That is an NVIDIA architecture. AMD targets are, for example, gfx90a (MI200) and gfx1100 (RX 7900)."
    if found := _of_product(wanted):
        return f"That is a GPU, whose target is {found.name} ({found.products})."
    if not wanted.startswith("gfx"):
        wanted = "gfx" + wanted
    import difflib  # needed for mistakes only

    near = [wanted] if wanted in TARGETS else difflib.get_close_matches(wanted, TARGETS, n=3)
    return f"Did you mean {' or '.join(near)}?" if near else "Targets look like gfx90a, gfx1100 or gfx90a:xnack+."


def _of_product(name: str) -> GfxTarget | None:
    """Return the target of a GPU by the number in its name: `MI300X`, `RX 7900 XTX`, `rx6700xt`."""
    if name.startswith("gfx") or f"gfx{name}" in TARGETS or (number := _MODEL.search(name)) is None:
        return None
    current = [target for target in TARGETS.values() if not target.last and "generic" not in target.name]
    exact = (target for target in current if number[0] in _numbers(target))
    family = (target for target in current if any(known.startswith(number[0]) for known in _numbers(target)))
    return next(exact, None) or next(family, None)


def _numbers(target: GfxTarget) -> list[str]:
    return _MODEL.findall(target.products.lower())


_MODEL = re.compile(r"mi\d{1,3}[ax]?|\d{3,4}[ms]?")
"""Matches the numbers of Instinct, Radeon and Ryzen GPUs."""

_NO_TARGET = (
    "Name at least one: --offload-arch gfx90a,gfx1100; native stands for the GPUs of this machine."
    " --target cpu builds for this machine's processor."
)


def parse_list(texts: Iterable[str]) -> tuple[TargetID, ...]:
    """Parse comma-separated lists, dropping duplicates and keeping the order. Raises `UsageError`.

    One fat binary cannot hold a processor both with a feature set and without it: the loader could not choose.
    """
    found = dict.fromkeys(parse(item) for text in texts for item in text.split(",") if item.strip())
    if not found:
        raise UsageError("no target named", hint=_NO_TARGET)
    shapes: dict[str, TargetID] = {}
    for target in found:
        other = shapes.setdefault(target.processor, target)
        if [name for name, _ in other.features] != [name for name, _ in target.features]:
            raise UsageError(
                f"targets {other} and {target} cannot be in one fat binary",
                hint="All targets of a processor must set the same features, to + or -.",
            )
    return tuple(found)
