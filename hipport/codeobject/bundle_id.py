"""Bundle entry IDs: `<offload kind>-<target triple>[-<target ID>]`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BundleID:
    """The parts of a bundle entry ID; `target_id` is empty if there is none."""

    kind: str
    triple: str
    target_id: str


def parse(text: str) -> BundleID:
    """Split an entry ID such as `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+`.

    The environment field of the triple may be missing altogether (`openmp-amdgcn-amd-amdhsa-gfx906`), and a target ID
    may contain dashes (`gfx10-3-generic`).
    """
    kind, _, rest = text.partition("-")
    fields = rest.split("-")
    triple, tail = fields[:3], fields[3:]
    if tail and not tail[0].startswith("gfx"):
        triple.append(tail.pop(0))
    return BundleID(kind, "-".join(triple).rstrip("-"), "-".join(tail))
