"""Declarations read from Cython's .pxd files."""

from __future__ import annotations

import time

from hipport.audit.headers import pxd
from hipport.audit.headers.declaration import HeaderText
from hipport.mappings.entry import Kind

TEXT = """\
# cdef int not_this(int x)
from libc.stdint cimport *
cdef extern from "api/api.h":

    cdef int API_VERSION

    cdef enum:
        API_DEFAULT = 0
        API_OTHER

    ctypedef enum apiStatus_t:
        API_SUCCESS
        API_FAILURE = 2

    cdef struct apiHandle_st:
        pass

    ctypedef apiHandle_st * apiHandle_t

    cdef struct apiPoint:
        int x
        float * y[3]
        void (*done) (int,void *)

    ctypedef apiPoint apiSame

    ctypedef void (*apiCallback_t) (apiHandle_t,int)

# A comment about apiMake(1).
cdef apiStatus_t apiMake(apiHandle_t * handle,const apiPoint * at,void (*done)(int,int)) except? API_FAILURE nogil

cdef void * apiNothing() nogil

cdef class Wrapped:
    cdef int x
    cdef object parse(self, int y)
"""


def read(text: str = TEXT) -> HeaderText:
    return pxd.parse(text.encode(), "api.pxd")


def names(kind: Kind) -> set[str]:
    return {declaration.name for declaration in read().declarations if declaration.kind is kind}


def test_names_by_kind() -> None:
    assert names(Kind.FUNCTION) == {"apiMake", "apiNothing"}
    assert names(Kind.ENUMERATOR) == {"API_DEFAULT", "API_OTHER", "API_SUCCESS", "API_FAILURE"}
    assert names(Kind.TYPE) == {"apiStatus_t", "apiHandle_st", "apiHandle_t", "apiPoint", "apiSame", "apiCallback_t"}
    assert names(Kind.VARIABLE) == {"API_VERSION"}


def test_parameters_are_counted_and_callbacks_are_one() -> None:
    counts = {declaration.name: declaration.parameters for declaration in read().declarations}
    assert (counts["apiMake"], counts["apiNothing"]) == (3, 0)


def test_the_c_header_is_named() -> None:
    assert {declaration.header for declaration in read().declarations} == {"api/api.h"}


def test_members() -> None:
    assert read().members["apiPoint"] == ("x", "y", "done")
    assert read().members["apiHandle_st"] == ()
    assert read().same["apiSame"] == "apiPoint"


def test_classes_of_python_are_not_cs() -> None:
    assert "Wrapped" not in {declaration.name for declaration in read().declarations}
    assert "Wrapped" not in read().members


def test_long_lines_cost_little() -> None:
    started = time.monotonic()
    for line in (
        "ctypedef" + " " * 50_000 + "x",
        "cdef " + "* " * 4_900 + "(",
        "cdef " + "a " * 4_900,
        "    " * 2_000 + "(",
    ):
        read(line)
    assert time.monotonic() - started < 5


def test_bytes_that_are_no_text() -> None:
    assert pxd.parse(b"\xff\xfe\x00cdef int apiA(int x)\n", "api.pxd").declarations is not None
