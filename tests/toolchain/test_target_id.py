from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.errors import UsageError
from hipport.toolchain.target_id import FEATURES, TargetID, parse, parse_list
from hipport.toolchain.targets import TARGETS


def test_features_are_put_in_canonical_order() -> None:
    target = parse("gfx90a:xnack+:sramecc-")
    assert target == TargetID("gfx90a", (("sramecc", False), ("xnack", True)))
    assert str(target) == "gfx90a:sramecc-:xnack+"


@st.composite
def target_ids(draw: st.DrawFn) -> TargetID:
    row = TARGETS[draw(st.sampled_from(sorted(TARGETS)))]
    features = draw(st.dictionaries(st.sampled_from(sorted(row.features)), st.booleans())) if row.features else {}
    return TargetID(row.name, tuple(sorted(features.items())))


@given(target_ids(), st.randoms())
def test_parsing_undoes_writing_in_any_order(target: TargetID, random: object) -> None:
    processor, *features = str(target).split(":")
    random.shuffle(features)  # type: ignore[attr-defined]
    assert parse(":".join([processor, *features])) == target


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("gfx90A", "'gfx90A' is not a gfx target", "Did you mean gfx90a?"),
        ("90a", "is not a gfx target", "Did you mean gfx90a?"),
        ("1100", "is not a gfx target", "Did you mean gfx1100?"),
        ("MI300X", "is not a gfx target", "whose target is gfx942 (Instinct MI300A, MI300X, MI325X)."),
        ("mi300", "is not a gfx target", "whose target is gfx942"),
        ("MI250", "is not a gfx target", "whose target is gfx90a"),
        ("RX 7900 XTX", "is not a gfx target", "whose target is gfx1100"),
        ("rx6700xt", "is not a gfx target", "whose target is gfx1031"),
        ("780M", "is not a gfx target", "whose target is gfx1103"),
        ("x1234", "is not a gfx target", "Did you mean"),
        ("gfx9Oa", "is not a gfx target", "gfx90a"),
        ("sm_80", "is not a gfx target", "NVIDIA"),
        ("compute_90", "is not a gfx target", "NVIDIA"),
        ("banana", "is not a gfx target", "look like gfx90a"),
        ("gfx90a:xnack", "needs a sign", "Write xnack+ or xnack-."),
        ("gfx90a:", "needs a sign", ""),
        ("gfx90a:xnak+", "unknown feature 'xnak'", "Did you mean xnack+?"),
        ("gfx90a:wavefront+", "unknown feature 'wavefront'", "sramecc and xnack"),
        ("gfx90a:xnack+:xnack-", "sets a feature twice", ""),
        ("gfx1030:xnack+", "gfx1030 has no feature 'xnack'", "takes no features"),
        ("gfx900:sramecc+", "gfx900 has no feature 'sramecc'", "gfx900 has xnack."),
    ],
)
def test_wrong_target_ids_get_advice(text: str, message: str, advice: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse(text)
    assert advice in str(caught.value.hint)


@given(st.text(max_size=20))
def test_any_text_is_a_target_or_one_error(text: str) -> None:
    try:
        target = parse(text)
    except UsageError as error:
        assert error.hint
    else:
        assert target.isa_version > 0
        assert parse(str(target)) == target


def test_a_processor_newer_than_the_table_is_left_to_the_compiler() -> None:
    assert parse("gfx1399:xnack+").isa_version == 13909


def test_lists_keep_order_and_drop_doubles() -> None:
    targets = parse_list(["gfx1100, gfx90a:xnack+", "gfx90a:xnack+,gfx90a:xnack-"])
    assert [str(target) for target in targets] == ["gfx1100", "gfx90a:xnack+", "gfx90a:xnack-"]


@pytest.mark.parametrize("texts", [["gfx90a,gfx90a:xnack+"], ["gfx90a:sramecc+", "gfx90a:xnack+"]])
def test_one_processor_with_and_without_a_feature_is_refused(texts: list[str]) -> None:
    with pytest.raises(UsageError, match="cannot be in one fat binary"):
        parse_list(texts)


@pytest.mark.parametrize("texts", [[], [""], [" , "]])
def test_no_target_is_an_error(texts: list[str]) -> None:
    with pytest.raises(UsageError, match="no target named"):
        parse_list(texts)


def test_every_feature_of_the_table_can_be_written() -> None:
    assert {feature for row in TARGETS.values() for feature in row.features} == set(FEATURES)
