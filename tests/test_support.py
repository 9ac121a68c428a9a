from __future__ import annotations

from pathlib import Path

from hipport.support import closure, include_dir, included, is_support


def test_only_headers_that_ship_count() -> None:
    source = b'#include <hipport/ptx/integer.h>\n #  include "hipport/ptx/core.h"\n#include <hipport/ptx/none.h>\n'
    assert included(source + b"// #include <hipport/ptx/core.h>\n") == ("hipport/ptx/core.h", "hipport/ptx/integer.h")
    assert included(b"#include <hip/hip_runtime.h>\n") == ()


def test_closure_follows_includes_of_both_kinds() -> None:
    found = closure(["hipport/ptx/integer.h"])
    assert list(found) == ["hipport/ptx/core.h", "hipport/ptx/integer.h"]
    assert found["hipport/ptx/core.h"] == (include_dir() / "hipport/ptx/core.h").read_bytes()


def test_every_header_that_ships_has_all_it_includes() -> None:
    """`closure` raises for an include that is not there."""
    headers = [str(p.relative_to(include_dir())) for p in (include_dir() / "hipport").rglob("*.h")]
    assert set(closure(headers)) == set(headers)


def test_copies_are_known_by_their_place() -> None:
    assert is_support("hipport/ptx/core.h") and is_support("/some/where/hipport/ptx/core.h")
    assert not is_support("hipport/ptx/mine.h") and not is_support("ptx/core.h")
    assert not is_support("hipport/ptx/../../../support.py") and not is_support(str(Path("myhipport/ptx/core.h")))
