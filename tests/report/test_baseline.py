from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic, Quote, Severity
from hipport.errors import HipportError
from hipport.report.baseline import Sorted, from_text, renewed, sort_out, to_text
from hipport.report.fingerprint import Identity

FOUND = Diagnostic("src/a.cu", 3, 4, "HP201", Severity.WARNING, "message", quote=Quote("  int a =  b;", 9))
MOVED = replace(FOUND, line=30, column=1, message="said otherwise", quote=Quote("int a = b;", 7))
OTHERS = [
    replace(FOUND, code="HP202"),
    replace(FOUND, path="src/b.cu"),
    replace(FOUND, quote=Quote("int a = c;", 9)),
]


def accepting(*found: Diagnostic) -> Counter[Identity]:
    return renewed(found, Counter(), ".", set())


def test_a_finding_is_known_when_it_moves() -> None:
    assert sort_out([MOVED], accepting(FOUND), ".", {"src/a.cu"}) == Sorted((), 1, 0)


@pytest.mark.parametrize("other", OTHERS)
def test_another_finding_is_not(other: Diagnostic) -> None:
    assert sort_out([other], accepting(FOUND), ".", {"src/a.cu"}) == Sorted((other,), 0, 1)


def test_so_many_as_there_were() -> None:
    assert sort_out([FOUND, MOVED, FOUND], accepting(FOUND, FOUND), ".", set()).fresh == (FOUND,)


def test_what_was_not_checked_is_not_gone() -> None:
    assert sort_out([], accepting(FOUND), ".", {"src/b.cu"}).gone == 0


def test_paths_are_seen_from_the_folder_of_the_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    at_top = accepting(FOUND)
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert sort_out([replace(FOUND, path="a.cu")], at_top, "..", set()).accepted == 1


def test_renewing_keeps_what_was_not_checked_and_still_exists(tmp_path: Path) -> None:
    (tmp_path / "kept.cu").touch()
    before: Counter[Identity] = Counter({("HP1", name, "x"): 1 for name in ("kept.cu", "gone.cu", "checked.cu")})
    assert renewed([], before, str(tmp_path), {"checked.cu"}) == Counter({("HP1", "kept.cu", "x"): 1})


def test_what_went_wrong_is_never_accepted() -> None:
    assert not accepting(replace(FOUND, code="HP901", quote=None))


IDENTITIES = st.tuples(st.sampled_from(["HP101", "HP201"]), st.text(min_size=1), st.text())


@given(st.dictionaries(IDENTITIES, st.integers(1, 9)))
def test_a_baseline_comes_back_as_it_was(rows: dict[Identity, int]) -> None:
    text = to_text(Counter(rows))
    assert from_text(text, "b") == rows and to_text(Counter(dict(reversed(rows.items())))) == text


@pytest.mark.parametrize("bad", ["", "[]", "{}", '{"schema": 1, "findings": [{"code": 1}]}', '{"schema": 9}'])
def test_what_is_no_baseline(bad: str) -> None:
    with pytest.raises(HipportError, match=r"b\.json is"):
        from_text(bad, "b.json")
