"""Proposed changes to the tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.audit.extract import Extract
from hipport.audit.headers import Declaration
from hipport.audit.insert import insert
from hipport.audit.sync import Hip, Proposal, proposals, suggestions, unclaimed, with_headers
from hipport.errors import HipportError
from hipport.mappings.entry import Kind
from hipport.mappings.schema import parse_library
from scripts import tablefile
from tests.audit.support import TABLE, cuda, extract, hip, library, tables

OLD, NEW = extract("rocm", "5.2", *hip("hipFresh")), extract("rocm", "7.1", *hip("hipFresh", "hipLatest"))


def proposed(*found: Declaration, older: tuple[Extract, ...] = (), text: str = TABLE) -> list[Proposal]:
    return proposals(extract("cuda", "13.0", *found), older, Hip((OLD, NEW)), tables(text), [library(text)])


def one(name: str, **more: object) -> list[str]:
    (proposal,) = proposed(*cuda(name), **more)  # type: ignore[arg-type]
    return proposal.lines


def test_a_counterpart_by_its_spelling() -> None:
    assert one("cudaFresh") == ["  cudaFresh: hipFresh"]
    assert one("cudaLatest") == ["  cudaLatest: hipLatest 7.1.0"]


def test_a_name_that_hip_spells_the_same() -> None:
    (proposal,) = proposals(
        extract("cuda", "13.0", *cuda("make_both")),
        (),
        Hip((extract("rocm", "5.2", *hip("make_both")),)),
        tables(),
        [library()],
    )
    assert proposal.lines == ["  make_both: make_both"]


def test_a_new_name_says_since_when() -> None:
    older = extract("cuda", "12.0", *cuda("cudaCopy"))
    assert one("cudaFresh", older=(older,)) == ["  cudaFresh: {cuda: 13.0, hip: hipFresh}"]
    unseen = extract("cuda", "12.0", *cuda("cudnnX", header="cudnn.h"))
    assert one("cudaFresh", older=(unseen,)) == ["  cudaFresh: hipFresh"]


def test_no_counterpart() -> None:
    assert one("cudaStrange") == [
        '  cudaStrange: {reason: "TODO: no counterpart suggested by its spelling", alternative: TODO}'
    ]


def test_another_number_of_parameters_is_no_counterpart() -> None:
    (proposal,) = proposed(Declaration("cudaFresh", Kind.FUNCTION, "cuda_runtime.h", "", 3))
    assert proposal.lines[0] == "  cudaFresh:"
    assert "hipFresh has another number of parameters (1) than cudaFresh (3)" in proposal.lines[1]


def test_a_group_gives_the_reason() -> None:
    text = TABLE.replace("[cudaNever]", '[cudaNever, "cudaStrange*"]')
    assert one("cudaStrange", text=text) == ["  cudaStrange:"]


def test_known_and_hidden_names_are_not_proposed() -> None:
    assert (
        proposed(
            *cuda("cudaCopy", "_cudaHidden"), *cuda("Block", scope="cooperative_groups"), *cuda("fooX", header="foo.h")
        )
        == []
    )


def test_headers_that_no_table_knows_are_told() -> None:
    found = extract("cuda", "13.0", *cuda("fooX", "fooY", header="foo.h"), *cuda("cudaCopy"))
    assert unclaimed(found, tables()) == {"foo.h": 2}


def test_counterparts_that_came_later_are_suggested() -> None:
    text = TABLE.replace("  cudaNever:\n", "  cudaFresh:\n").replace("[cudaNever]", "[cudaFresh]")
    names = {declaration.name: declaration for declaration in cuda("cudaFresh", "cudaCopy")}
    assert [(s.name, s.hip) for s in suggestions(names, Hip((OLD, NEW)), [library(text)])] == [
        ("cudaFresh", "hipFresh")
    ]
    own = text.replace("cudaFresh:\n", "cudaFresh: {reason: it is another thing, alternative: none}\n").split(
        "\ngroups"
    )[0]
    assert list(suggestions(names, Hip((OLD, NEW)), [library(own)])) == []


def test_releases_come_in_order() -> None:
    assert [extract.release for extract in with_headers(extract("rocm", "6.0"), (NEW, OLD)).extracts] == [
        "5.2",
        "6.0",
        "7.1",
    ]


def line(name: str, section: str = "functions") -> Proposal:
    return Proposal("runtime.yaml", section, name, f"hip{name}")


def test_lines_go_to_their_place_and_nothing_else_changes() -> None:
    text = TABLE.replace("  cudaMade:", "  # About cudaMade.\n  cudaMade:")
    new = insert(text, [line("cudaDone"), line("cudaLong"), line("cudaLone"), line("cudaZero")], "CUDA 13.0")
    added = [after for after in new.splitlines() if after not in text.splitlines()]
    assert added == [
        "  # from CUDA 13.0 headers",
        "  cudaDone: hipcudaDone",
        "  # from CUDA 13.0 headers: 2 names",
        "  cudaLone: hipcudaLone",
        "  cudaLong: hipcudaLong",
        "  # from CUDA 13.0 headers",
        "  cudaZero: hipcudaZero",
    ]
    assert [old for old in new.splitlines() if old not in added] == text.splitlines()
    assert "  # About cudaMade.\n  cudaMade:" in new


def test_a_section_is_made_where_it_belongs() -> None:
    new = insert(TABLE, [line("CUDA_ONE", "macros")], "CUDA 13.0")
    assert new.index("types:") < new.index("macros:") < new.index("namespaces:")
    alone = insert("library: nccl\n", [line("ncclX", "types"), line("ncclY")], "CUDA 13.0")
    assert tablefile_form(alone) == alone


def test_what_is_there_is_not_overwritten() -> None:
    with pytest.raises(HipportError, match=r"runtime\.yaml: functions\.cudaCopy: is already in the table"):
        insert(TABLE, [line("cudaDone"), line("cudaCopy")], "CUDA 13.0")


def tablefile_form(text: str) -> str:
    """Return the canonical form of a table."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.yaml"
        path.write_text(text)
        return tablefile.dump(tablefile.load(path))


@given(
    st.lists(st.from_regex(r"cuda[A-Z][a-z]{0,8}[0-9]{3}", fullmatch=True), min_size=1, max_size=20, unique=True),
    st.data(),
)
def test_the_canonical_form_stays(names: list[str], data: st.DataObject) -> None:
    sections = st.sampled_from(["functions", "types", "enumerators", "macros", "variables"])
    new = [
        Proposal(
            "runtime.yaml",
            data.draw(sections),
            name,
            "",
            "13.0",
            data.draw(st.sampled_from(["", "TODO: why " + "x" * 90])),
        )
        for name in names
    ]
    text = TABLE.replace("match: [cudaNever]", 'match: [cudaNever, "cuda*[0-9]"]')
    written = insert(text, new, "CUDA 13.0")
    assert tablefile_form(written) == written
    assert {row.name for row in parse_library(written, "runtime.yaml").names} >= set(names)
