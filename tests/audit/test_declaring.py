"""Headers of names, looked up in the text of a list."""

from __future__ import annotations

from hipport.audit.declaring import NameList, newest_cuda
from hipport.audit.evidence import newest


def test_the_text_says_the_same_as_the_parsed_list() -> None:
    text, parsed = newest_cuda(), newest("cuda")
    names = sorted(parsed.folder.names)[::97]
    assert len(names) > 100
    assert any("::" in name for name in names)
    assert {name: text.header_of(name) for name in names} == {name: parsed.header_of(name) for name in names}


def test_parts_of_names_members_and_headers_are_no_names() -> None:
    text = "CUDA 13.0\ncuda 13.0\n\n[headers]\na.h\n\n[function a.h ns]\ncudaFreeAll 1\nfree 2\n\n[members]\nT: free\n"
    names = NameList(text)
    assert names.header_of("ns::free") == "a.h"
    assert [names.header_of(each) for each in ("cudaFree", "free", "a.h", "T", "T:", "", "other::free")] == [""] * 7
