"""Comparing two traces."""

from __future__ import annotations

from dataclasses import replace

from hipport.verify.trace.file import AFTER, BEFORE, Argument, Content, Launch
from hipport.verify.trace.walk import walk


def launch(number: int, before: dict[int, str], after: dict[int, str], *arguments: Argument) -> Launch:
    changes = {
        moment: {buffer: Content(4, digest) for buffer, digest in changed.items()}
        for moment, changed in ((BEFORE, before), (AFTER, after))
    }
    return Launch(number, f"k{number}", "1,1,1", "1,1,1", 0, list(arguments), changes, ended=True)


POINTER = Argument("float*", "1+0")
FIRST = launch(1, {1: "zero"}, {1: "a"}, POINTER)


def places(original: list[Launch], port: list[Launch]) -> list[str]:
    return [place.key for place in walk(original, port).places]


def test_the_same() -> None:
    found = walk([FIRST], [FIRST])
    assert (found.places, found.notes, found.launches) == ((), (), 1)


def test_a_kernel_leaves_something_else() -> None:
    found = walk([FIRST], [launch(1, {1: "zero"}, {1: "b"}, POINTER)]).places[0]
    assert (found.key, found.type, found.argument) == ("1 after 1", "float*", 1)


def test_only_one_of_the_kernels_changes_a_buffer() -> None:
    assert places([FIRST], [launch(1, {1: "zero"}, {})]) == ["1 after 1"]


def test_the_host_writes_something_else() -> None:
    assert places([FIRST], [launch(1, {1: "one"}, {1: "a"})]) == ["1 before 1"]


def test_what_differs_is_named_once_while_nobody_changes_it() -> None:
    other = launch(1, {1: "zero"}, {1: "b"})
    second = launch(2, {}, {})
    assert places([FIRST, second], [other, second]) == ["1 after 1"]
    again = launch(2, {}, {1: "c"})
    assert places([FIRST, again], [other, second]) == ["1 after 1", "2 after 1"]


def test_types_are_remembered_from_earlier_launches() -> None:
    old, new = (launch(2, {}, {1: digest}) for digest in "xy")
    found = walk([FIRST, old], [FIRST, new]).places[0]
    assert (found.key, found.type, found.argument) == ("2 after 1", "float*", 0)


def test_a_buffer_that_only_one_has() -> None:
    found = walk([FIRST], [launch(1, {1: "zero", 2: "zero"}, {1: "a"})]).places[0]
    assert (found.buffer, found.sizes) == (2, (None, 4))


def test_other_kernels_end_the_walk() -> None:
    second = launch(2, {}, {1: "x"})
    found = walk([FIRST, second], [FIRST, replace(second, kernel="other")])
    assert (found.places, found.launches) == ((), 1)
    assert found.notes == ((2, "launch 2 is k2 in the original, other in the port"),)


def test_fewer_launches() -> None:
    assert walk([FIRST, FIRST], [FIRST]).notes == ((2, "the original launches 2 kernels, the port 1"),)


def test_what_launches_are_told() -> None:
    original = launch(1, {}, {}, POINTER, Argument("int", "20000000"), Argument("S", ""))
    port = launch(1, {}, {}, POINTER, Argument("int", "40000000"), Argument("S", "00"))
    port.grid, port.ended = "2,1,1", False
    assert [text for _, text in walk([original], [port]).notes] == [
        "grid of launch 1, k1: 1,1,1 in the original, 2,1,1 in the port",
        "argument 2 of launch 1, k1, differs",
        "the port ended in launch 1, k1",
    ]
