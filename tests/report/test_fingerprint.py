from __future__ import annotations

from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic
from hipport.mappings.choice import ANY
from hipport.mappings.loader import load_choice
from hipport.report.fingerprint import fingerprints
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source

SOURCE = """void f(cudaGraph_t g) {
  int a = cudaGraphNoSuch(g);
  int p[2] = {cudaCtxResetPersistingL2Cache(), 0};
  cudaCtxResetPersistingL2Cache();
  cudaCtxResetPersistingL2Cache();
}
"""


def found(text: str, name: str = "a.cu") -> tuple[Diagnostic, ...]:
    return check_source(text.encode(), name, Context(load_choice(ANY), Options())).diagnostics


def test_each_finding_has_its_own() -> None:
    prints = fingerprints(found(SOURCE))
    assert len(prints) >= 3 and len(set(prints)) == len(prints)


@pytest.mark.parametrize(
    "moved",
    [
        "// new\n\n" + SOURCE,
        SOURCE.replace("  ", "\t"),
        SOURCE.replace("\n", "\r\n"),
        SOURCE.replace("  int a", "  int other = 1;\n  int a"),
    ],
)
def test_they_stay_when_lines_move(moved: str) -> None:
    assert fingerprints(found(moved)) == fingerprints(found(SOURCE))


def test_they_go_with_the_line_and_the_path() -> None:
    before = set(fingerprints(found(SOURCE)))
    assert before - set(fingerprints(found(SOURCE.replace("p[2]", "p[9]"))))
    assert not before & set(fingerprints(found(SOURCE, "b.cu")))


def test_a_path_counts_as_seen_from_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    same = ("a.cu", "./a.cu", f"{tmp_path}/a.cu")
    assert len({tuple(fingerprints(found(SOURCE, name))) for name in same}) == 1
    assert len({tuple(fingerprints(found(SOURCE, name))) for name in ("../a.cu", str(tmp_path.parent / "a.cu"))}) == 1
