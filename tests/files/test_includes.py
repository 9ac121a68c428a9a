from __future__ import annotations

from hipport.files.includes import Seen, edges_by_name
from hipport.files.includes import foreign_names as names_of_others


def foreign_names(files: dict[str, Seen]) -> dict[str, frozenset[str]]:
    return names_of_others(files, edges_by_name)


def seen(*, defines: str = "", uses: str = "", includes: tuple[str, ...] = ()) -> Seen:
    return Seen(frozenset(defines.split()), frozenset(uses.split()), includes)


def test_through_several_includes_and_a_cycle() -> None:
    files = {
        "/p/main.cu": seen(uses="cudaA cudaB", includes=("one.h",)),
        "/p/one.h": seen(includes=("sub/two.h",)),
        "/p/sub/two.h": seen(defines="cudaA cudaC", uses="cudaC", includes=("../one.h",)),
        "/p/other.cu": seen(uses="cudaA"),
    }
    assert foreign_names(files) == {"/p/main.cu": frozenset({"cudaA"})}


def test_from_several_definers() -> None:
    files = {
        "/p/a.h": seen(defines="cudaA"),
        "/p/b.h": seen(defines="cudaB", uses="cudaA", includes=("a.h",)),
        "/p/m.cu": seen(uses="cudaA cudaB", includes=("b.h",)),
    }
    assert foreign_names(files) == {"/p/b.h": frozenset({"cudaA"}), "/p/m.cu": frozenset({"cudaA", "cudaB"})}


def test_the_file_beside_wins() -> None:
    files = {
        "/p/x/util.h": seen(),
        "/p/y/util.h": seen(defines="cudaA"),
        "/p/x/m.cu": seen(uses="cudaA", includes=("util.h",)),
        "/p/y/m.cu": seen(uses="cudaA", includes=("util.h",)),
    }
    assert foreign_names(files) == {"/p/y/m.cu": frozenset({"cudaA"})}


def test_an_include_path_is_found_by_its_end_and_the_nearest_wins() -> None:
    files = {
        "/p/one/include/lib/util.h": seen(defines="cudaA"),
        "/p/two/include/lib/util.h": seen(defines="cudaB"),
        "/p/two/include/mylib/util.h": seen(defines="cudaC"),
        "/p/two/src/m.cu": seen(uses="cudaA cudaB cudaC", includes=("lib/util.h",)),
    }
    assert foreign_names(files) == {"/p/two/src/m.cu": frozenset({"cudaB"})}


def test_nothing_outside_the_project() -> None:
    assert foreign_names({"/p/m.cu": seen(defines="cudaA", uses="cudaA", includes=("cuda.h", "m.cu", "", "/"))}) == {}


def test_constants_reach_those_that_ask() -> None:
    files = {
        "/p/common.h": seen(defines="WARP_SIZE=32 MASK=4294967295 cudaA"),
        "/p/k.cu": seen(uses="WARP_SIZE cudaB", includes=("common.h",)),
    }
    assert foreign_names(files) == {"/p/k.cu": frozenset({"WARP_SIZE=32"})}
