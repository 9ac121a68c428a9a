"""Decide from digests alone what is done with one file of an output tree."""

from __future__ import annotations

from hipport.project.request import Policy, Verdict
from hipport.project.state.manifest import ManifestEntry


def decide(before: ManifestEntry | None, wanted: ManifestEntry | None, current: str | None, policy: Policy) -> Verdict:
    """Decide on a file that hipport wrote as `before`, would now write as `wanted`, and that has digest `current`.

    None stands for a missing file. At least one of `before` and `wanted` is given.
    """
    if wanted is None:
        assert before is not None
        return _decide_leftover(before, current, policy)
    if current == wanted.output:
        return Verdict.SAME
    if current is None:
        return _decide_missing(before, wanted, policy)
    if policy is Policy.FORCE or (before is not None and current == before.output):
        return Verdict.WRITE
    if before is None:
        return Verdict.UNKNOWN
    if before.output == wanted.output:
        return Verdict.EDITED
    return Verdict.MERGE if policy is Policy.MERGE else Verdict.BLOCKED


def _decide_leftover(before: ManifestEntry, current: str | None, policy: Policy) -> Verdict:
    """Decide on a file whose source is gone."""
    if current is None:
        return Verdict.SAME
    if current == before.output or policy is Policy.FORCE:
        return Verdict.REMOVE
    return Verdict.CONFLICT if policy is Policy.MERGE else Verdict.BLOCKED


def _decide_missing(before: ManifestEntry | None, wanted: ManifestEntry, policy: Policy) -> Verdict:
    """Decide on a missing file; only a merge takes its absence for an edit."""
    if before is None or policy is not Policy.MERGE:
        return Verdict.WRITE
    return Verdict.ABSENT if before.output == wanted.output else Verdict.CONFLICT
