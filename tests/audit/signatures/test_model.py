from __future__ import annotations

import pytest

from hipport.audit.signatures.model import Declarations, Parameter, Signature, parse_signature, read, write
from hipport.errors import HipportError

COPY = Signature("int", (Parameter("void *"), Parameter("const void *"), Parameter("stream_t", True)))
ANY = Signature("T", (Parameter("const T *"),), ("T",))


@pytest.mark.parametrize("signature", [COPY, ANY, Signature("void", ()), Signature("int", (Parameter("..."),))])
def test_signatures_are_read_as_they_are_written(signature: Signature) -> None:
    assert parse_signature(str(signature)) == signature


def test_numbers_of_arguments() -> None:
    assert [COPY.takes(count) for count in range(5)] == [False, False, True, True, False]
    assert parse_signature("int (const char *; ...)").takes(4)


def test_releases_are_read_as_they_are_written() -> None:
    old = Declarations({"copy": (COPY,)}, frozenset({"macro_f"}), {"stream_t": "s *"}, frozenset({"Kind"}))
    new = Declarations({"copy": (ANY, COPY)}, frozenset(), {"stream_t": "s *"}, frozenset({"Kind"}))
    text = write({"5.2": old, "6.4": new})
    assert "copy\tint (void *; const void *; stream_t =)\t*\n" in text
    assert read(text, "f") == {"5.2": old, "6.4": new}


def test_a_damaged_file() -> None:
    with pytest.raises(HipportError, match=r"rocm\.tsv:2: not a list of signatures"):
        read("5.2\nf\tint ()\t6.0\n", "rocm.tsv")
