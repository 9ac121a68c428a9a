"""Names that are unpacked as far as they are asked for are the same sets and entries as all at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.mappings.names import Lines, Names

_WORDS = st.text("abcu_", min_size=1, max_size=8)
_SETS = st.frozensets(_WORDS, max_size=12)


@given(st.dictionaries(_WORDS, st.text("xy\t", max_size=4), max_size=12), _SETS)
def test_lines_are_those_that_were_packed(lines: dict[str, str], others: frozenset[str]) -> None:
    packed = Lines(*Lines.pack(lines))
    assert (list(packed.names()), len(packed)) == (list(lines), len(lines))
    assert {name: packed.get(name) for name in others | lines.keys()} == {
        name: lines.get(name) for name in others | lines.keys()
    }


@given(_SETS, _SETS, _SETS)
@pytest.mark.parametrize("asked", [0, 100])
def test_names_are_a_set(asked: int, names: frozenset[str], less: frozenset[str], words: frozenset[str]) -> None:
    found, all_ = Names(Lines(*Lines.pack(dict.fromkeys(names, ""))), less), names - less
    for _ in range(asked):  # the set of all is made some time
        assert not frozenset({"other"}) & found
    assert words & found == words & all_ == found & words
    assert {word for word in words if word in found} == words & all_
    assert (found | words, found - words, words - found) == (all_ | words, all_ - words, words - all_)
    assert found == all_ and hash(found) == hash(Names(Lines(*Lines.pack(dict.fromkeys(all_, "")))))
    assert len(found) == len(all_) and set(found) == all_
    assert 1 not in found
