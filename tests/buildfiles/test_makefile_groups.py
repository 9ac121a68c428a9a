"""Makefiles that include each other share their variables."""

from __future__ import annotations

from hipport.buildfiles.make.groups import groups


def test_includes_connect_makefiles() -> None:
    texts = {
        "/t/Makefile": "include make.inc\n-include sub/rules.mk # a comment\n",
        "/t/make.inc": "A = 1\n",
        "/t/sub/rules.mk": "sinclude $(ROOT)/common.mk\n",
        "/t/sub/common.mk": "",
        "/t/other/Makefile": "include ../absent.inc\ninclude_dirs = make.inc\n",
        "/t/third/Makefile": "include ${TOP}/../make.inc\n",
    }
    found = groups(texts)
    assert sorted(map(len, found)) == [1, 5] and ["/t/other/Makefile"] in found


def test_a_variable_alone_connects_nothing() -> None:
    assert groups({"/t/Makefile": "include $(RULES)\n", "/t/a.mk": ""}) == [["/t/Makefile"], ["/t/a.mk"]]
