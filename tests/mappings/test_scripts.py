"""The scripts that maintain the tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings import loader
from scripts import headers, import_facts, learn_cuda, learn_hip, tablefile
from scripts.tablefile import TableFile

HEADER = """\
#define API_VERSION 3  /* not an enumerator */
#define apiOld apiNew
enum apiKind { API_A, API_B = (1 << 2), /* API_HIDDEN */ API_C };
typedef enum apiKind_enum { API_D = 0x1 } apiKind_t;
struct apiPlain { int member; };
typedef struct apiOpaque_st *apiOpaque;
typedef void (*apiCallback)(int status);
extern apiKind API_CALL apiMake(int *out,
                                apiOpaque o);
template <class T> static inline int apiGet(T x) { return call(x); }
"""


def fact(**fields: str) -> dict[str, str]:
    columns = {f"{side}_{event}": "" for side in ("cuda", "hip", "roc") for event in import_facts.EVENTS}
    return {"roc": "", "hip_experimental": "", "roc_experimental": "", "section": "", **columns, **fields}


@pytest.mark.parametrize("path", sorted(loader.tables_folder().glob("*.yaml")), ids=lambda path: path.stem)
def test_tables_are_in_their_canonical_form(path: Path) -> None:
    if path.name != "releases.yaml":
        assert tablefile.dump(tablefile.load(path)) == path.read_text()


def test_comments_survive(tmp_path: Path) -> None:
    text = """\
# The head.
library: made

functions:
  # About A.
  cudaA: hipA
  cudaB: {hip: hipB, note: "a: b, c"}

groups:
  # Why.
  - match: "*"
    reason: none
    alternative: none
"""
    path = tmp_path / "made.yaml"
    path.write_text(text)
    written = tablefile.dump(tablefile.load(path))
    assert written.startswith("# The head.\nlibrary: made\n")
    assert "  # About A.\n  cudaA: hipA\n" in written
    assert 'note: "a: b, c"' in written


def test_declarations_of_a_header(tmp_path: Path) -> None:
    (tmp_path / "api.h").write_text(HEADER)
    kinds = headers.kinds(headers.under(tmp_path))
    expected = {
        "macros": {"API_VERSION", "apiOld"},
        "enumerators": {"API_A", "API_B", "API_C", "API_D"},
        "types": {"apiKind", "apiKind_enum", "apiKind_t", "apiPlain", "apiOpaque", "apiCallback"},
        "functions": {"apiMake", "apiGet"},
    }
    for section, names in expected.items():
        assert {name for name, kind in kinds.items() if kind == section} >= names
    assert "API_HIDDEN" not in kinds


def test_facts_fill_in_and_never_overwrite() -> None:
    spec = {"cuda": "9.0", "hip": "hipA 5.2.0", "note": "kept"}
    facts = import_facts.facts_of(
        fact(cuda="cudaA", hip="hipA", hip_added="1.0", hip_deprecated="6.0", cuda_removed="12.0", roc="rocA")
    )
    assert import_facts.merge(spec, facts) == []
    assert spec == {"cuda": "9.0 removed 12.0", "hip": "hipA 5.2.0 deprecated 6.0", "roc": "rocA", "note": "kept"}


def test_a_contradiction_is_told() -> None:
    spec = {"hip": "hipMine"}
    assert import_facts.merge(spec, import_facts.facts_of(fact(cuda="cudaA", hip="hipTheirs")))
    assert spec == {"hip": "hipMine"}


def test_a_reason_of_its_own_stays() -> None:
    spec = {"reason": "no release has it", "alternative": "x"}
    assert import_facts.merge(spec, import_facts.facts_of(fact(cuda="cudaA", hip="hipA")))
    assert "hip" not in spec


def test_what_is_no_name_is_not_imported() -> None:
    assert import_facts.facts_of(fact(cuda="cudaA", hip="void*")) == {}


@pytest.mark.parametrize(
    ("row", "section"),
    [
        (fact(cuda="cudaMalloc", hip="", library="runtime", section="Memory Management"), "functions"),
        (fact(cuda="CU_A_B", hip="", library="driver", section="Data Types"), "enumerators"),
        (fact(cuda="cudaThing_t", hip="", library="runtime", section="Data types"), "types"),
        (fact(cuda="CUB_MAX", hip="", library="cub", section="CUB Data types"), "macros"),
        (fact(cuda="cudaKnown", hip="", library="runtime", section="Data types"), "macros"),
        (fact(cuda="cudaOther", hip="hipKnown", library="runtime", section="Data types"), "types"),
    ],
)
def test_the_section_of_a_new_name(row: dict[str, str], section: str) -> None:
    assert import_facts.section_of(row, {"cudaKnown": "macros", "hipKnown": "types"}) == section


def release(version: str, *names: str, **arity: int) -> learn_hip.Release:
    return learn_hip.Release(version, frozenset(names) | frozenset(arity), arity)


def test_learning_from_hip_releases() -> None:
    functions = {
        "cudaGone": {"hip": "hipGone 1.0"},
        "cudaTried": {"hip": "hipTried 6.3.0 experimental"},
        "cudaNew": {},
        "cudaShort": {},
        "cudaNever": {"reason": "it differs", "alternative": "x"},
        "cudaAbsent": {"hip": "hipAbsent 1.0"},
    }
    table = TableFile("made", sections={"functions": functions})
    releases = [
        release("6.4.0", "hipGone", "hipTried"),
        release("7.0.0", "hipTried", hipNew=2, hipShort=3, hipNever=1),
    ]
    sentences = list(learn_hip.learn(table, releases, {"cudaNew": 2, "cudaShort": 2, "cudaNever": 1}))
    assert functions["cudaGone"]["hip"] == "hipGone 1.0 removed 7.0.0"
    assert functions["cudaTried"]["hip"] == "hipTried 6.3.0"
    assert functions["cudaNew"] == {"hip": "hipNew 7.0.0"}
    assert functions["cudaShort"] == {}, "another number of parameters"
    assert "hip" not in functions["cudaNever"]
    assert functions["cudaAbsent"] == {"hip": "hipAbsent 1.0"}, "headers that never had it prove nothing"
    assert len(sentences) == 3
    assert list(learn_hip.learn(table, releases, {"cudaShort": 2})) == []


def test_learning_from_cuda_releases() -> None:
    functions = {"cudaStays": {"cuda": "9.0"}, "cudaGoes": {"cuda": "9.0"}, "cudaUnseen": {}}
    table = TableFile("made", sections={"functions": functions})
    releases = [
        learn_cuda.Release("12.9", {"cudaStays": "functions"}, frozenset({"cudaStays", "cudaGoes"})),
        learn_cuda.Release("13.0", {"cudaNew": "types", "cudaOwn": "types"}, frozenset({"cudaStays", "cudaNew"})),
    ]
    list(learn_cuda.learn(table, releases, taken={"cudaOwn"}))
    assert functions == {"cudaStays": {"cuda": "9.0"}, "cudaGoes": {"cuda": "9.0 removed 13.0"}, "cudaUnseen": {}}
    assert table.sections["types"] == {"cudaNew": {"cuda": "13.0"}}


def test_a_release_between_two_tells_more() -> None:
    types = {"cudaNew": {"cuda": "13.5 deprecated 13.5"}, "cudaOld": {"cuda": "13.5"}, "cudaFact": {"cuda": "12.3"}}
    table = TableFile("made", sections={"types": types})
    kinds = [{"cudaOld": "types"}, {"cudaNew": "types", "cudaFact": "types"}, {"cudaNew": "types"}]
    versions = ("12.9", "13.1", "13.5")
    words = frozenset({"cudaNew", "cudaOld", "cudaFact"})
    releases = [learn_cuda.Release(*pair, words) for pair in zip(versions, kinds, strict=True)]
    assert list(learn_cuda.learn(table, releases, taken=set())) == ["cudaNew: new in 13.1"]
    assert types["cudaNew"] == {"cuda": "13.1 deprecated 13.5"}
    assert types["cudaOld"] == {"cuda": "13.5"}, "the first release of a list tells nothing of when a name came"
    assert types["cudaFact"] == {"cuda": "12.3"}
