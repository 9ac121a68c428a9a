from __future__ import annotations

import pytest

from hipport.project.request import Policy, Verdict
from hipport.project.state.manifest import ManifestEntry
from hipport.project.tree.verdicts import decide

OLD, NEW = ManifestEntry("a", "i", "old"), ManifestEntry("a", "j", "new")
SPARE, MERGE, FORCE = Policy.SPARE, Policy.MERGE, Policy.FORCE


@pytest.mark.parametrize(
    ("before", "wanted", "current", "spare", "merge", "force"),
    [
        (None, NEW, None, Verdict.WRITE, Verdict.WRITE, Verdict.WRITE),
        (None, NEW, "new", Verdict.SAME, Verdict.SAME, Verdict.SAME),
        (None, NEW, "other", Verdict.UNKNOWN, Verdict.UNKNOWN, Verdict.WRITE),
        (OLD, NEW, "old", Verdict.WRITE, Verdict.WRITE, Verdict.WRITE),
        (OLD, NEW, "new", Verdict.SAME, Verdict.SAME, Verdict.SAME),
        (OLD, NEW, "edited", Verdict.BLOCKED, Verdict.MERGE, Verdict.WRITE),
        (OLD, NEW, None, Verdict.WRITE, Verdict.CONFLICT, Verdict.WRITE),
        (OLD, OLD, "edited", Verdict.EDITED, Verdict.EDITED, Verdict.WRITE),
        (OLD, OLD, None, Verdict.WRITE, Verdict.ABSENT, Verdict.WRITE),
        (OLD, None, "old", Verdict.REMOVE, Verdict.REMOVE, Verdict.REMOVE),
        (OLD, None, "edited", Verdict.BLOCKED, Verdict.CONFLICT, Verdict.REMOVE),
        (OLD, None, None, Verdict.SAME, Verdict.SAME, Verdict.SAME),
    ],
)
def test_every_case(
    before: ManifestEntry | None,
    wanted: ManifestEntry | None,
    current: str | None,
    spare: Verdict,
    merge: Verdict,
    force: Verdict,
) -> None:
    assert [decide(before, wanted, current, policy) for policy in (SPARE, MERGE, FORCE)] == [spare, merge, force]
