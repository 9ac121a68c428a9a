from __future__ import annotations

import re

import pytest

from hipport.errors import HipportError, UsageError
from hipport.mappings.choice import NameChoice, Origin
from hipport.mappings.releases import Known, chosen

KNOWN = Known(cuda=("11.8", "12.0"), rocm=("5.2", "6.0", "6.2"))


@pytest.mark.parametrize("asked", ["5.2", "5.2.3", "6", "6.0", "6.0.0", "6.2.41133"])
def test_a_known_release_is_taken_as_it_is_spelled(asked: str) -> None:
    releases = chosen(KNOWN, NameChoice(rocm=asked, installed="5.2.1"))
    assert (releases.rocm, releases.origin) == (asked, Origin.ASKED)


@pytest.mark.parametrize(
    ("product", "asked", "message"),
    [
        ("rocm", "6.1", "ROCm 6.1 is not in the mapping tables"),
        ("rocm", "9", "ROCm 9 is not in the mapping tables"),
        ("rocm", "six", "ROCm release: 'six' is not a version such as 6.2 or 5.2.3"),
        ("rocm", "", "ROCm release: '' is not a version such as 6.2 or 5.2.3"),
        ("cuda", "10.2", "CUDA 10.2 is not in the mapping tables"),
    ],
)
def test_an_unknown_release_lists_the_known_ones(product: str, asked: str, message: str) -> None:
    choice = NameChoice(rocm=asked) if product == "rocm" else NameChoice(cuda=asked)
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        chosen(KNOWN, choice)
    assert caught.value.hint == {
        "rocm": "known ROCm releases: 5.2, 6.0, 6.2",
        "cuda": "known CUDA releases: 11.8, 12.0",
    }.get(product)


@pytest.mark.parametrize(
    ("installed", "rocm"), [("5.2.21153", "5.2"), ("6.1.40091", "6.0"), ("9.0.0", "6.2"), ("4.5.0", "5.2")]
)
def test_the_installed_release_or_the_one_before_it(installed: str, rocm: str) -> None:
    releases = chosen(KNOWN, NameChoice(installed=installed))
    assert (releases.rocm, releases.origin) == (rocm, Origin.INSTALLED)


def test_the_newest_known_without_any() -> None:
    releases = chosen(KNOWN, NameChoice(cuda="12.0"))
    assert (releases.rocm, releases.origin, releases.cuda) == ("6.2", Origin.NEWEST, "12.0")


def test_an_installed_release_that_is_none() -> None:
    with pytest.raises(HipportError, match="reports the release 'git'"):
        chosen(KNOWN, NameChoice(installed="git"))
