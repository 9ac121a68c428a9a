from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hipport.errors import HipportError, UsageError
from hipport.mappings import cache, loader, packing
from hipport.mappings import compile as compiling
from hipport.mappings.choice import Flavour, NameChoice, Origin, Releases
from hipport.mappings.loader import load
from hipport.mappings.overlays import Overlays

TABLE = "library: made\nfunctions:\n  cudaA: {hip: hipA 6.0.0, roc: rocA, args: [{append: x}]}\n  cudaB: hipB\n"


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hipport"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one small table."""
    folder = tmp_path / "mappings"
    folder.mkdir()
    (folder / "made.yaml").write_text(TABLE)
    (folder / "releases.yaml").write_text("cuda: [11.2, 13.0]\nrocm: [5.2, 7.2]\n")
    monkeypatch.setattr(loader, "tables_folder", lambda: folder)
    return folder


def test_the_second_load_reads_no_yaml(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load()

    def fail(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(compiling, "compile_tables", fail)
    assert dict(load().names) == dict(first.names)


def test_a_changed_table_is_compiled_again(made: Path) -> None:
    assert "cudaC" not in load().known
    (made / "made.yaml").write_text(TABLE + "  cudaC: hipC\n")
    assert load().names["cudaC"].hip is not None


def test_releases_and_flavours_have_their_own_cache(made: Path, cache_folder: Path) -> None:
    old, roc = load(rocm="5.2"), load(flavour="roc")
    assert old.names["cudaA"].hip is None
    assert old.releases == Releases("5.2", Origin.ASKED)
    assert roc.releases == Releases("7.2", Origin.NEWEST)
    assert roc.names["cudaA"].hip is not None
    assert roc.names["cudaA"].hip.name == "rocA"
    assert len(list(cache_folder.iterdir())) == 2


def test_a_damaged_cache_is_made_anew(made: Path, cache_folder: Path) -> None:
    load()
    (path,) = cache_folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert "cudaA" in load().known
    assert path.read_bytes() == whole


def test_without_a_cache_folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: None)
    assert load().known == {"cudaA", "cudaB"}


@pytest.mark.parametrize("rocm", ["", "six", "6.x", "-1"])
def test_a_bad_release_is_wrong_use(rocm: str) -> None:
    with pytest.raises(UsageError, match="ROCm release"):
        load(rocm=rocm)


def test_a_bad_flavour_is_wrong_use() -> None:
    flavour: Flavour = "cuda"  # type: ignore[assignment]
    with pytest.raises(UsageError, match="not a flavor"):
        load(flavour=flavour)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("releases.yaml", b"cuda: [13.0]\n", "releases.yaml:1: the key 'rocm' is missing"),
        ("releases.yaml", b"cuda: [13.0]\nrocm: [new]\n", "releases.yaml:2: rocm[0]: 'new' is not a version"),
        ("releases.yaml", b"cuda: [13.0, 12.9]\nrocm: [7.2]\n", "releases.yaml:1: cuda: expected releases"),
        ("made.yaml", b"library: \xff\n", "made.yaml: not UTF-8 at byte 9"),
        ("made.yaml", b"library: made\nfunctions:\n  cudaA: hipA x\n", "made.yaml:3: functions.cudaA"),
    ],
)
def test_a_mistake_in_a_table_is_reported(made: Path, name: str, data: bytes, message: str) -> None:
    (made / name).write_bytes(data)
    with pytest.raises(HipportError) as caught:
        load()
    assert str(caught.value).startswith(message)


def test_without_releases(made: Path) -> None:
    (made / "releases.yaml").unlink()
    with pytest.raises(HipportError, match=r"releases\.yaml"):
        load()


@pytest.mark.parametrize(("rocm", "flavour"), [(None, "hip"), ("5.2.3", "hip"), ("6.2", "roc")])
def test_packing_loses_nothing(rocm: str | None, flavour: Flavour) -> None:
    sources = {path.name: path.read_bytes() for path in loader.tables_folder().glob("*.yaml")}
    choice = NameChoice(rocm=rocm, cuda=None if rocm else "12.9", flavour=flavour)
    tables = compiling.compile_tables(sources, choice, Overlays())
    unpacked = packing.unpack(packing.pack(tables))
    assert dict(unpacked.names) == dict(tables.names)
    assert dict(unpacked.namespaces) == dict(tables.namespaces)
    assert dict(unpacked.headers.all()) == dict(tables.headers.all())
    assert unpacked.members == tables.members
    assert (unpacked.known, unpacked.active) == (tables.known, tables.active)
    assert (unpacked.hip_names, unpacked.hip_headers) == (tables.hip_names, tables.hip_headers)
    assert (unpacked.releases, unpacked.own) == (tables.releases, tables.own)


def test_a_warm_load_imports_neither_yaml_nor_the_compiler() -> None:
    code = (
        "import sys; from hipport.mappings.loader import load; load();"
        "print([m for m in ('yaml', 'hipport.mappings.schema', 'hipport.mappings.resolve') if m in sys.modules])"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[0].stdout.strip() != "[]", "the first load has no cache yet"
    assert runs[1].stdout.strip() == "[]"
