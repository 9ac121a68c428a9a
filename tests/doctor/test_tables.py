"""The tables of releases and libraries: every row can be read, has a source, and is used."""

from __future__ import annotations

import re

import pytest

from hipport.doctor import releases
from hipport.doctor.releases import load_releases, release_of, releases_for
from hipport.errors import HipportError
from hipport.mappings.life import release
from hipport.mappings.loader import load
from hipport.toolchain.libraries import load_libraries
from hipport.toolchain.targets import TARGETS


def test_every_row_has_a_source_with_address_and_date() -> None:
    for row in load_releases().values():
        assert row.sources, row.name
        for source in row.sources:
            assert source.url.startswith("https://")
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", source.date)


def test_rows_stand_in_order_and_name_what_exists() -> None:
    names = list(load_releases())
    assert names == sorted(names, key=release)
    for row in load_releases().values():
        assert set(row.gpus) <= set(TARGETS), row.name
        assert not row.user_space or row.name in row.user_space, "a driver goes with its own release"
        assert all(re.fullmatch(r"[a-z]+ \d+(\.\d+)?", system) for system in row.systems)
        for tested in row.frameworks.values():
            assert list(tested) == sorted(tested, key=release), row.name


def test_a_version_finds_its_row() -> None:
    found = release_of("6.3.42131-fa1d")
    assert found is not None and (found.name, found.clang) == ("6.3", "18")
    assert release_of("4.5.0") is None
    assert releases_for("gfx942")[0] == "6.0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sources: {}\nreleases: {6.0: {clang: 17}}\n", "releases.6.0: the key 'source' is missing"),
        ("sources: {}\nreleases: {6.0: {source: nowhere}}\n", "unknown source 'nowhere'"),
        ("sources: {a: {url: u, date: d}}\nreleases: {6.0: {source: a, clamg: 1}}\n", "did you mean 'clang'"),
    ],
)
def test_mistakes_are_named(text: str, said: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "doctor").mkdir()
    (folder / "doctor/releases.yaml").write_text(text)
    monkeypatch.setattr(releases, "tables_folder", lambda: folder)
    with pytest.raises(HipportError, match=re.escape(said)):
        load_releases.__wrapped__()


def test_the_headers_of_the_tables_belong_to_known_libraries() -> None:
    """The counterpart of every CUDA header belongs to HIP, hipport, C++ or a library in the table."""
    known = {*load_libraries(), "hip", "hipport", "rocprofiler-sdk", "rocprofiler", "hipDNN", "rocrand", "ATen", "c10"}
    headers = load().headers
    targets = {header.hip for name in headers if (header := headers.get(name.replace("*", "x"))) and header.hip}
    folders = {target.partition("/")[0] for target in targets if "/" in target}
    assert folders - known == set()
