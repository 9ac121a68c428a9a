from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.errors import HipportError
from hipport.project.state.manifest import Manifest, ManifestEntry, from_text, is_inner, to_text

A, B = "a" * 40, "b" * 40
SETUP = {"rocm": "6.2", "fix": False}
PARTS = st.text(min_size=1, max_size=6).filter(lambda part: "/" not in part and "\0" not in part)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join).filter(is_inner)
ENTRIES = st.builds(
    ManifestEntry, PATHS, st.sampled_from([A, B]), st.sampled_from([A, B]), st.booleans(), st.booleans()
)


@given(st.dictionaries(PATHS, ENTRIES, max_size=5))
def test_a_manifest_comes_back_as_it_was(entries: dict[str, ManifestEntry]) -> None:
    text = to_text(Manifest(SETUP, entries), dict.fromkeys(entries, B))
    assert from_text(text, "manifest.json") == (Manifest(SETUP, entries), dict.fromkeys(entries, B))


def test_names_that_are_no_utf8_come_back() -> None:
    name = "odd\udcff\n.hip"
    manifest = Manifest({}, {name: ManifestEntry(name, A, B)})
    assert from_text(to_text(manifest).encode().decode(), "m") == (manifest, {})


def test_a_line_for_each_file_in_order() -> None:
    entries = {"b.hip": ManifestEntry("b.cu", A, B), "a.h": ManifestEntry("a.h", A, A)}
    lines = to_text(Manifest(SETUP, entries)).splitlines()
    assert lines[-4:] == [
        f'  "a.h": {{"input": "{A}"}},',
        f'  "b.hip": {{"input": "{A}", "output": "{B}", "source": "b.cu"}}',
        "  }",
        "}",
    ]


def test_it_does_not_depend_on_the_order_of_what_goes_in() -> None:
    one, two = ManifestEntry("a", A, B), ManifestEntry("b", B, A)
    assert to_text(Manifest(SETUP, {"a": one, "b": two})) == to_text(
        Manifest(dict(reversed(SETUP.items())), {"b": two, "a": one})
    )


GOOD = {"schema": 1, "setup": {}, "files": {"a": {"input": A}}}


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "[]",
        json.dumps({**GOOD, "files": {"../a": {"input": A}}}),
        json.dumps({**GOOD, "files": {"/etc/passwd": {"input": A}}}),
        json.dumps({**GOOD, "files": {"a//b": {"input": A}}}),
        json.dumps({**GOOD, "files": {"a": {"input": A, "source": "b/../.."}}}),
        json.dumps({**GOOD, "files": {"a": {"input": A, "output": "../../x"}}}),
        json.dumps({**GOOD, "files": {"a": {"input": 1}}}),
        json.dumps({**GOOD, "files": []}),
        json.dumps({**GOOD, "results": {"..": A}}),
        json.dumps({**GOOD, "setup": 3}),
        json.dumps({**GOOD, "schema": "x"}),
    ],
)
def test_what_hipport_never_writes_is_refused(bad: str) -> None:
    assert from_text(json.dumps(GOOD), "m")[0].entries == {"a": ManifestEntry("a", A, A)}
    with pytest.raises(HipportError, match=r"manifest\.json is damaged"):
        from_text(bad, "manifest.json")


def test_a_later_schema() -> None:
    with pytest.raises(HipportError, match="newer hipport"):
        from_text(json.dumps({**GOOD, "schema": 2}), "manifest.json")
