from __future__ import annotations

import pytest

from hipport.audit.signatures.types import CType, expanded, parse_type

TYPEDEFS = {"stream_t": "ihipStream *", "size": "unsigned long", "vectors": "unsigned int[32]", "read_t": "const T *"}


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("int", CType("int")),
        ("const int", CType("int")),
        ("unsigned int *", CType("unsigned int", pointers=(False,))),
        ("const float *const *", CType("float", True, (True, False))),
        ("const float *const[]", CType("float", True, (True, False))),
        ("struct cudaDeviceProp *", CType("cudaDeviceProp", pointers=(False,))),
        ("const void *const", CType("void", True, (False,))),
        ("const T &", CType("T", True, reference="&")),
        ("void (*)(void *)", CType("void (*)(void *)")),
    ],
)
def test_parse_type(text: str, type_: CType) -> None:
    assert parse_type(text) == type_


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("stream_t", "ihipStream *"),
        ("stream_t *", "ihipStream * *"),
        ("const size *", "const unsigned long *"),
        ("const stream_t *", "ihipStream *const *"),
        ("vectors", "unsigned int *"),
        ("read_t *", "const T * *"),
        ("void (*)(stream_t, int)", "void (*)(ihipStream *, int)"),
    ],
)
def test_expanded(text: str, canonical: str) -> None:
    assert str(expanded(parse_type(text), TYPEDEFS)) == canonical
