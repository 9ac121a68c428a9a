"""Lists of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.audit.extract import Extract, read, write
from hipport.audit.headers import Declaration, Folder
from hipport.audit.headers.folder import spelled
from hipport.errors import HipportError
from hipport.mappings.entry import Kind

NAMES = st.from_regex(r"[A-Za-z_]\w{0,12}", fullmatch=True).filter(str.isascii)
DECLARATIONS = st.builds(
    Declaration,
    name=NAMES,
    kind=st.sampled_from([Kind.FUNCTION, Kind.TYPE, Kind.ENUMERATOR, Kind.MACRO, Kind.VARIABLE]),
    header=st.sampled_from(["a.h", "b/c.h"]),
    scope=st.sampled_from(["", "api", "api::inner"]),
    parameters=st.none() | st.integers(0, 30),
)


@given(st.lists(DECLARATIONS, min_size=1), st.dictionaries(NAMES, st.lists(NAMES).map(tuple)))
def test_what_is_written_is_read(found: list[Declaration], members: dict[str, tuple[str, ...]]) -> None:
    names = {spelled(declaration): declaration for declaration in found}
    headers = frozenset(declaration.header for declaration in names.values())
    extract = Extract("Made 1.0 (here)", "rocm", "7.2.2", Folder(names, headers, members))
    again = read(write(extract), "made.txt")
    assert again == extract
    assert write(again) == write(extract)


@pytest.mark.parametrize(
    "text", ["", "Made\n", "Made\nrocm\n", "Made\nrocm 7.0\nhipX 1\n", "Made\nrocm 7.0\n[function a.h]\nhipX one\n"]
)
def test_damaged_lists(text: str) -> None:
    with pytest.raises(HipportError, match=r"made\.txt:\d: not a list of names"):
        read(text, "made.txt")
    with pytest.raises(HipportError, match=r"made\.txt:4: not a list"):
        read("Made\nrocm 7.0\n[what a.h]\nhipX\n", "made.txt")
