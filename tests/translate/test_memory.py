"""Second translations, with what other files tell: what is not done again would come out the same.

Passes and checks are asked again only where a file is told facts of a kind that they asked for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.mappings.loader import Tables
from hipport.source import SourceFile, Span
from hipport.translate import hazards, passes
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.memory import Memory
from hipport.translate.passes import Step, run
from hipport.translate.references import resolve
from hipport.translate.syntax.unit import parse
from hipport.translate.work import Work
from tests.test_pairs import CASES, PAIRS

HOST = b"""#include <cuda_runtime.h>
#include <algorithm>
#include "own.h"
int f(int a, int b) { return std::min(a, b); }
void g(int* p) { cudaFree(p); own::cudaFree(p); cudaMalloc(&p, 4); }
__global__ void k(int* p) { p[threadIdx.x] = min(p[0], blockDim.x); atomicAdd(p, __shfl(*p, 0)); }
#define CALL(x) cuda##x
"""
PLAIN = HOST.replace(b"#define CALL(x) cuda##x\n", b"")


def _both(data: bytes, tables: Tables, *facts: str, name: str = "a.cu") -> tuple[Conversion, Conversion]:
    """Return a second translation after a first one, and the same without it."""
    context = Context(tables, memory=Memory())
    convert_source(data, name, context)
    told = replace(context, foreign=frozenset(facts))
    return convert_source(data, name, told), convert_source(data, name, replace(told, memory=None))


@pytest.mark.parametrize("data", [HOST, PLAIN])
@pytest.mark.parametrize(
    "facts",
    [
        ("cudaFree",),
        ("cudaFree@own",),
        ("cudaFree@elsewhere", "cudaMemcpy"),
        ("cudaFree@=own",),
        ("min",),
        ("threadIdx",),
        ("__shfl",),
        ("atomicAdd",),
        ("WARP=32",),
        ("#in-code",),
        ("f()=32:exchanges:f:b.cuh:1",),
        ("vector=has",),
        ("my_cudaFree=pasted:my_hipFree",),
        ("vector=lacks", "cublasOperation_t=numbered:type.cublasOperation_t"),
    ],
)
def test_a_second_translation_is_the_same_with_and_without_the_first(
    data: bytes, facts: tuple[str, ...], tables: Tables
) -> None:
    second, alone = _both(data, tables, *facts)
    assert (second.data, second.diagnostics, second.support) == (alone.data, alone.diagnostics, alone.support)


_VALUES = {
    Kind.CONSTANT: "32",
    Kind.DECISION: "11000=1",
    Kind.VERSION: "device:1:1:0",
    Kind.SIGN: "32:exchanges:f:b.cuh:1",
    Kind.SHAPE: "class:mask unsigned",
    Kind.DIFFERS: "4:8",
    Kind.SIDES: "f,,int;__device__",
    Kind.OBJECT: "surface",
    Kind.STD_NAME: "type",
    Kind.NUMBERED: "type.cublasOperation_t",
    Kind.RESPELLED: "a.h b.h",
}
"""Values that the kind of a fact asks for; `own` fits the others."""


def _facts(data: bytes, choose: random.Random) -> list[str]:
    """Return facts of several kinds about words of a file."""
    words = sorted(set(re.findall(r"[A-Za-z_]\w*", data.decode("latin-1"))) or {"f"})
    # Of what is PASTED only names of CUDA are told: other words get edits of several passes.
    kinds = choose.sample(sorted({*Kind} - {Kind.PASTED}, key=lambda kind: kind.name), 3)
    return [str(Fact(kind, choose.choice(words), _VALUES.get(kind, "own"))) for kind in kinds for _ in range(3)]


@pytest.mark.parametrize(
    "folder", sorted(path for path in PAIRS.iterdir() if path.is_dir()), ids=lambda path: path.name
)
def test_second_translations_of_the_golden_cases_are_the_same_with_and_without_the_first(
    folder: Path, tables: Tables
) -> None:
    cases = [path for path in CASES if folder in path.parents]
    for case in random.Random(folder.name).sample(cases, min(40, len(cases))):
        data = case.read_bytes()
        facts = _facts(data, random.Random(case.name))
        second, alone = _both(data, tables, *facts, name=case.name)
        assert second.diagnostics == alone.diagnostics, (case, facts)
        assert (second.data, second.support, second.unknown) == (alone.data, alone.support, alone.unknown), (
            case,
            facts,
        )


def _ask(work: Work) -> Iterator[Diagnostic]:
    work.told(Kind.HAS)
    yield work.report(Span(0, 1), "HP199", Severity.NOTE, "asked")


def _follow(work: Work) -> Iterator[Diagnostic]:
    yield work.report(Span(0, 1), "HP199", Severity.NOTE, f"{len(list(work.conventions.graph.functions))} functions")


def _name(work: Work) -> Iterator[Diagnostic]:
    yield work.report(Span(0, 1), "HP199", Severity.NOTE, f"{len(work.own_names)} names")


@pytest.mark.parametrize(
    ("step", "facts", "again"),
    [
        (_ask, {"vector=has"}, True),
        (_ask, {"vector=lacks", "WARP=32", "cudaFree"}, False),
        (_follow, {"WARP=32"}, True),
        (_follow, {"sum()@"}, True),
        (_follow, {"vector=has"}, False),
        (_name, {"cudaFree@=own"}, True),
        (_name, {"vector=has"}, False),
    ],
)
def test_a_step_is_run_again_if_it_asked_for_what_is_told(
    step: Step, facts: set[str], again: bool, tables: Tables
) -> None:
    unit = parse(SourceFile.decode(PLAIN, "a.cu"))
    context = Context(tables)
    first = run([step], Work(unit, resolve(unit, tables, frozenset()), context), {})
    told = replace(context, foreign=frozenset(facts))
    second = run([step], Work(unit, resolve(unit, tables, told.foreign), told), first)
    assert [second[name] is not first[name] for name in first] == [again]


def test_passes_and_checks_ask_the_work_for_what_other_files_tell() -> None:
    folders = (Path(passes.__file__).parent, Path(hazards.__file__).parent)
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(sources) > 100
    # What these give is not noted, so that a second translation would take what the first one said.
    unnoted = re.compile(r"\bcontext\.foreign\b|\breferences\.exported\b")
    assert [path.name for path in sources if unnoted.search(path.read_text(encoding="utf-8"))] == []


def test_other_bytes_are_not_the_same_file(tables: Tables) -> None:
    context = Context(tables, memory=Memory())
    convert_source(PLAIN, "a.cu", context)
    told = replace(context, foreign=frozenset({"cudaMemcpy"}))
    assert convert_source(b"cudaError_t e;\n", "a.cu", told).data.endswith(b"hipError_t e;\n")
