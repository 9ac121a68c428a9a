"""Builds translate in several processes, and recall what an earlier build of the same folder translated."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.ingest import Ingested, Translator, ingest
from hipport.builds.prepare import write_if_changed
from hipport.builds.translations import Translations
from hipport.diagnostics import Diagnostic, Severity
from hipport.errors import HipportError
from hipport.mappings.loader import load
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion

CONTEXT = Context(load())
INCLUDE = re.compile(r'#include "(.+)"')
LOG = Path("log")


def convert(data: bytes, name: str, context: Context) -> Conversion:
    """Renames cudaX to hipX unless foreign, and logs the process and the file."""
    with LOG.open("a") as log:
        log.write(f"{os.getpid()} {name}\n")
    text = data.decode()
    words = frozenset(re.findall(r"cuda\w+", text))
    own = frozenset(re.findall(r"define (cuda\w+)", text))
    made = re.sub(r"cuda(\w+)", lambda m: m[0] if m[0] in own | context.foreign else f"hip{m[1]}", text)
    found = [Diagnostic(name, 1, 1, "HP101", Severity.ERROR, "text", "advice")] if "REPORT" in text else []
    return Conversion(made.encode(), tuple(found), own, words, tuple(INCLUDE.findall(text)))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text('#include "k.h"\ncudaX cudaMine REPORT\n')
    Path("k.h").write_text('#include "l.h"\n')
    Path("l.h").write_text("define cudaMine\n")
    Path("b.cpp").write_text("int b;\n")


def run(key: str = "key", jobs: int | None = 1, sources: tuple[str, ...] = ("a.cu", "b.cpp")) -> Ingested:
    """Translate as a build does, and write the cache."""
    LOG.write_text("")
    found = ingest(sources, (), "b/t", Translator(convert, CONTEXT, jobs, Translations(Path("cache"), key)))
    for path, data in found.fresh.items():
        write_if_changed(path, data)
    return found


def translated() -> set[str]:
    return {line.split()[1] for line in LOG.read_text().splitlines()}


def test_what_is_unchanged_is_recalled() -> None:
    first = run()
    assert translated() == {"a.cu", "k.h", "l.h", "b.cpp"} and len(first.fresh) == 4
    second = run()
    assert translated() == set() and second.fresh == {}
    assert replace(second, fresh=first.fresh) == first
    assert dict(first.files)["b/t/a.cu"].endswith(b"hipX cudaMine REPORT\n")
    assert [found.code for found in second.diagnostics] == ["HP101"]


def test_a_changed_header_is_translated_and_who_depends_on_its_definitions() -> None:
    run()
    Path("l.h").write_text("define cudaOther\n")
    assert dict(run().files)["b/t/a.cu"].endswith(b"hipX hipMine REPORT\n")
    assert translated() == {"l.h", "a.cu"}
    Path("k.h").write_text("\n")
    run()
    assert translated() == {"k.h"}
    run()
    assert translated() == set()


def test_another_translator_recalls_nothing() -> None:
    run()
    run(key="other")
    assert translated() == {"a.cu", "k.h", "l.h", "b.cpp"}


@pytest.mark.parametrize("damage", [b"", b"\xc1", b"\x93\xa3key", b"\x93\xa3key\x90\x01", b"\x80", bytes(100)])
def test_damaged_entries_are_translated_again(damage: bytes) -> None:
    first = run()
    for path in first.entries:
        path.write_bytes(damage)
    assert run() == first


def test_files_that_fail_are_not_stored() -> None:
    Path("a.cu").chmod(0)
    if os.access("a.cu", os.R_OK):
        Path("a.cu").unlink()
    with pytest.raises(HipportError, match=r"cannot read a\.cu"):
        run()


def test_large_builds_use_several_processes() -> None:
    names = tuple(f"{index}.cu" for index in range(8))
    for name in names:
        Path(name).write_text("cudaX\n" * 20_000)
    run(jobs=2, sources=names)
    assert len({line.split()[0] for line in LOG.read_text().splitlines()}) == 2
    assert str(os.getpid()) not in LOG.read_text()
