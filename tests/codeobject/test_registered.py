"""Kernels that host code registers, and whether code objects contain them, without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.codeobject import Binary, HostPart
from hipport.codeobject.registered import _kernels
from tests.codeobject import fabricate
from tests.codeobject.fabricate import FUNCTION, OBJECT, fat_binary, host, registering

Inspect = Callable[[bytes], Binary]

TWO = ("_Z1kILi2EEvPi", "_Z16__device_stub__kILi2EEvPi")
FOUR = "_Z1kILi4EEvPi"
STATIC = ("_ZL1sPi", "_ZL16__device_stub__sPi")
NAMED = ("axpy", "__device_stub__axpy")
NUMBERED = ("_ZN2k14axpyEv", "_ZN2k119__device_stub__axpyEv")  # k1::axpy(): digits of two numbers meet


def only(binary: Binary) -> HostPart:
    (found,) = binary.hosts
    return found


def missing(part: HostPart) -> list[tuple[str, str, bool, tuple[str, ...]]]:
    return [(one.name, one.target_id, one.is_error, one.instead) for one in part.missing]


class TestWholePrograms:
    @pytest.mark.parametrize("kernel", [TWO, STATIC, NAMED, NUMBERED])
    def test_a_kernel_that_all_targets_have(self, kernel: tuple[str, str], inspect: Inspect) -> None:
        part = only(inspect(host(registering(kernel), fat_binary(gfx90a=[kernel[0]], gfx1100=[kernel[0]]))))
        assert part == HostPart((kernel[0],), (), "")

    @pytest.mark.parametrize("suffix", [".intern.5ed6bc3e15f4e292", ".static.12", ".llvm.7"])
    def test_names_that_compilers_make_unique(self, suffix: str, inspect: Inspect) -> None:
        device = fat_binary(gfx90a=[STATIC[0] + suffix])
        assert only(inspect(host(registering(STATIC), device))).missing == ()
        promoted = (STATIC[0] + suffix, STATIC[1] + suffix)
        assert only(inspect(host(registering(promoted), device))) == HostPart((STATIC[0],), (), "")

    def test_units_with_other_kernels_and_targets(self, inspect: Inspect) -> None:
        device = fat_binary(gfx90a=[TWO[0]]) + fat_binary(gfx90a=[NAMED[0]], gfx1100=[NAMED[0]])
        part = only(inspect(host(registering(TWO, NAMED, constructors=2), device)))
        assert part == HostPart((TWO[0], NAMED[0]), (), "")

    def test_kernels_that_only_the_device_has(self, inspect: Inspect) -> None:
        device = fat_binary(gfx90a=[NAMED[0], FOUR], gfx1100=[NAMED[0]])
        assert only(inspect(host(registering(NAMED), device))).missing == ()

    def test_a_pointer_to_a_kernel_is_not_its_handle(self, inspect: Inspect) -> None:
        symbols = [*registering(NAMED), ("chosen", OBJECT, True, 8), ("_Z6launchv", FUNCTION, True, 8)]
        assert only(inspect(host(symbols, fat_binary(gfx90a=[NAMED[0]])))).registered == (NAMED[0],)

    def test_a_declared_kernel_of_another_unit(self, inspect: Inspect) -> None:
        symbols = [*registering(NAMED), (TWO[0], OBJECT, False, 0)]
        assert only(inspect(host(symbols, fat_binary(gfx90a=[NAMED[0]])))) == HostPart((NAMED[0],), (), "")

    def test_nothing_is_said_of_programs_that_register_nothing(self, inspect: Inspect) -> None:
        assert inspect(host([("main", FUNCTION, True, 8)], fat_binary(gfx90a=[NAMED[0]]))).hosts == ()
        assert inspect(host(registering(NAMED), b"")).hosts == ()
        assert inspect(fat_binary(gfx90a=[NAMED[0]])).hosts == ()


class TestMissing:
    def test_other_template_arguments_for_one_target(self, inspect: Inspect) -> None:
        part = only(inspect(host(registering(TWO, NAMED), fat_binary(gfx90a=[FOUR, "axpy"], gfx1100=[TWO[0], "axpy"]))))
        assert missing(part) == [(TWO[0], "gfx90a", True, (FOUR,))]

    def test_other_template_arguments_for_all_targets(self, inspect: Inspect) -> None:
        part = only(inspect(host(registering(TWO), fat_binary(gfx90a=[FOUR], gfx1100=[FOUR]))))
        assert missing(part) == [(TWO[0], "gfx90a", True, (FOUR,)), (TWO[0], "gfx1100", True, (FOUR,))]

    def test_in_no_code_object(self, inspect: Inspect) -> None:
        part = only(inspect(host(registering(NAMED, STATIC), fat_binary(gfx90a=["axpy"], gfx1100=["axpy"]))))
        assert missing(part) == [(STATIC[0], "gfx90a", True, ()), (STATIC[0], "gfx1100", True, ())]

    def test_left_out_for_a_target_it_may_never_be_launched_on(self, inspect: Inspect) -> None:
        part = only(inspect(host(registering(NAMED, STATIC), fat_binary(gfx90a=["axpy", STATIC[0]], gfx1100=["axpy"]))))
        assert missing(part) == [(STATIC[0], "gfx1100", False, ())]

    def test_templates_that_only_unused_functions_launch_are_not_there_instead(self, inspect: Inspect) -> None:
        device = fat_binary(gfx90a=[TWO[0], FOUR], gfx1100=[FOUR])
        part = only(inspect(host(registering(TWO), device)))
        assert missing(part) == [(TWO[0], "gfx1100", False, ())]

    def test_the_most_similar_kernel_comes_first(self, inspect: Inspect) -> None:
        others = ["_Z1kILi4EEvPd", "_Z1kILi4EEvPi", "_Z5otherILi2EEvPi"]
        part = only(inspect(host(registering(TWO), fat_binary(gfx90a=others, gfx1100=[TWO[0]]))))
        assert missing(part) == [(TWO[0], "gfx90a", True, ("_Z1kILi4EEvPi", "_Z1kILi4EEvPd"))]

    def test_it_is_looked_for_in_the_bundle_with_its_template(self, inspect: Inspect) -> None:
        device = fat_binary(gfx1100=["axpy"]) + fat_binary(gfx90a=[FOUR]) + fat_binary(gfx1100=[NUMBERED[0]])
        part = only(inspect(host(registering(TWO, NAMED, NUMBERED, constructors=3), device)))
        assert missing(part) == [(TWO[0], "gfx90a", True, (FOUR,))]

    def test_members_of_archives_are_each_for_themselves(self, inspect: Inspect) -> None:
        good = host(registering(NAMED), fat_binary(gfx90a=["axpy"]), kind=1)
        bad = host(registering(TWO), fat_binary(gfx90a=[FOUR]), kind=1)
        archive = b"!<arch>\n" + fabricate.member(b"a.o/", good) + fabricate.member(b"b.o/", bad)
        first, second = inspect(archive).hosts
        assert (first.member, first.missing) == ("a.o", ())
        assert (second.member, missing(second)) == ("b.o", [(TWO[0], "gfx90a", True, (FOUR,))])


class TestUnchecked:
    def test_stripped(self, inspect: Inspect) -> None:
        symbols = registering(NAMED, constructors=0)
        part = only(inspect(host(symbols, fat_binary(gfx90a=["axpy"]), table=11)))
        assert part.registered == ("axpy",) and part.unchecked.startswith("it is stripped")

    def test_what_is_left_of_a_stripped_file_is_compared(self, inspect: Inspect) -> None:
        part = only(inspect(host(registering(TWO, constructors=0), fat_binary(gfx90a=[FOUR]), table=11)))
        assert missing(part) == [(TWO[0], "gfx90a", True, (FOUR,))] and part.unchecked

    def test_one_of_two_units_is_stripped(self, inspect: Inspect) -> None:
        device = fat_binary(gfx90a=["axpy"]) + fat_binary(gfx90a=[FOUR])
        assert only(inspect(host(registering(NAMED), device))).unchecked.startswith("it is stripped")

    def test_functions_without_handles(self, inspect: Inspect) -> None:
        symbols = [symbol for symbol in registering(NAMED) if symbol[1] != OBJECT]
        part = only(inspect(host(symbols, fat_binary(gfx90a=["axpy"]))))
        assert part.registered == () and part.unchecked.startswith("it was compiled with a clang older than 13")

    def test_bitcode(self, inspect: Inspect) -> None:
        device = fabricate.bundle([(fabricate.device_id("gfx90a"), b"BC\xc0\xde")])
        part = only(inspect(host(registering(TWO), device)))
        assert part.missing == () and part.unchecked == "it contains device code that is not machine code yet"

    def test_code_objects_whose_metadata_is_not_read(self, inspect: Inspect) -> None:
        old = fabricate.code_object([], abi_version=0, notes=b"")
        part = only(inspect(host(registering(TWO), fabricate.bundle([(fabricate.device_id("gfx90a"), old)]))))
        assert part.missing == () and part.unchecked


identifiers = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,30}", fullmatch=True)


@given(st.lists(identifiers, max_size=3), identifiers, st.sampled_from(["", "ILi4EE", "IN1a6StructE3intE"]))
def test_a_stub_tells_the_name_of_its_kernel(scopes: Sequence[str], kernel: str, arguments: str) -> None:
    def mangled(name: str) -> str:
        names = "".join(f"{len(part)}{part}" for part in (*scopes, name))
        return f"_ZN{names}{arguments}EvPi" if scopes else f"_Z{names}{arguments}vPi"

    assert mangled(kernel) in list(_kernels(mangled(f"__device_stub__{kernel}")))
    assert kernel in list(_kernels(f"__device_stub__{kernel}"))


@pytest.mark.parametrize(
    "stub",
    ["_Z" + "9" * 10_000 + "__device_stub__k", "__device_stub__" * 10_000, "_Z99__device_stub__k", "__device_stub__"],
)
def test_names_that_lie(stub: str) -> None:
    assert len(list(_kernels(stub))) <= 50
