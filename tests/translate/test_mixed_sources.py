"""Sources made of parts of all fixtures: no pass meets another one's edits, and what is translated stays.

A hundred sources of each kind; three hundred with HIPPORT_TEST_ALL=1.
"""

from __future__ import annotations

import heapq
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest

from hipport.mappings.loader import load
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source, convert_source
from tests.shared import EVERYTHING

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOURCES = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in (".cu", ".cuh", ".h", ".cpp")]
CALL = re.compile(r"\b[A-Za-z_][\w:]*\((?:[^()]|\([^()]*\))*\)")
ARGUMENT = re.compile(r"[(,]\s*([^(),;{}\"]+)(?=[,)])")
CONDITION = re.compile(r"^\s*#\s*(?:if|el|endif|error)", re.MULTILINE)
COUNT = 300 if EVERYTHING else 100
FRAMES = (
    "__global__ void kernel{}(float* p, int n) {{\n  {}\n}}\n",
    "void host{}(float* p, int n) {{\n  {}\n}}\n",
    "template <typename T> __device__ T of_any{}(T x, T* p) {{\n  for (int i = 0; i < 4; ++i) {}\n}}\n",
    "#define STEP{}(a, b) do {{ {} }} while (0)\n",
    "__device__ inline int lambda{}(int x) {{\n  auto f = [=](int i) {{ {} return i; }};\n  return f(x);\n}}\n",
    "void checked{}(int x) {{\n  if (x) {} else abort();\n}}\n",
)


def parts(text: str) -> Iterator[str]:
    """Yield the declarations and preprocessor lines of a file outside braces, each as a whole."""
    lines: list[str] = []
    depth = 0
    for line in text.splitlines():
        lines.append(line)
        code = re.sub(r'"(\\.|[^"\\])*"|//.*', "", line).rstrip()
        depth += code.count("{") - code.count("}")
        ends = code.endswith((";", "}")) or (line.startswith("#") and not code.endswith("\\"))
        if depth <= 0 and (ends or not code):
            yield "\n".join(lines) + "\n"
            lines, depth = [], 0


def statements(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if re.fullmatch(r"\s+\S.*;", line) and line.count("(") == line.count(")") and not {"{", "}"} & set(line):
            yield line.strip()


TEXTS = [path.read_text(encoding="utf-8", errors="replace") for path in SOURCES if path.stat().st_size < 20_000]
PARTS = sorted({part for text in TEXTS for part in parts(text) if part.strip()})
STATEMENTS = sorted({statement for text in TEXTS for statement in statements(text)})
CALLS = sorted({call for text in TEXTS for call in CALL.findall(text)})


def drawn(items: Sequence[str], number: int, count: int) -> list[str]:
    """Return `count` items for a sample, chosen by a hash: a new fixture changes few samples, not all of them."""
    return heapq.nsmallest(count, items, key=lambda item: zlib.crc32(f"{number} {item}".encode("utf-8", "replace")))


def nested(random_: random.Random, statement: str, call: str) -> str:
    """Put a call of any fixture in the place of an argument."""
    places = list(ARGUMENT.finditer(statement))
    if not places or random_.random() < 0.5:
        return statement
    place = random_.choice(places)
    return statement[: place.start(1)] + call + statement[place.end(1) :]


def mixed(number: int) -> bytes:
    random_, pieces = random.Random(number), drawn(PARTS, number, 2)
    bodies = [
        nested(random_, *both) for both in zip(drawn(STATEMENTS, number, 8), drawn(CALLS, number, 8), strict=True)
    ]
    for frame in range(4):
        pieces.append(random_.choice(FRAMES).format(frame, " ".join(bodies[2 * frame : 2 * frame + 2])))
    random_.shuffle(pieces)
    return source(pieces)


def source(pieces: Iterable[str]) -> bytes:
    return ("#include <cuda_runtime.h>\n" + "".join(pieces)).encode("utf-8", "surrogateescape")


@pytest.mark.slow
@pytest.mark.parametrize("options", [Options(), Options("chevron", 32, fix=True)], ids=["usual", "fix"])
def test_edits_never_overlap(options: Options) -> None:
    context, changed = Context(load(), options), 0
    for number in range(COUNT):
        data = mixed(number)
        name = ("x.cu", "x.cuh", "x.h", "x.cpp")[number % 4]
        changed += convert_source(data, name, context).data != data
        check_source(data, name, context)
    assert changed > COUNT * 0.96


@pytest.mark.slow
@pytest.mark.parametrize("launch", ["ggl", "chevron"])
def test_what_is_translated_stays(launch: Literal["ggl", "chevron"]) -> None:
    """Conditions are left out: a part of them has no end."""
    context, changed = Context(load(), Options(launch)), 0
    whole = [part for part in PARTS if not CONDITION.search(part) and part.count("{") == part.count("}")]
    for number in range(COUNT):
        data = source(drawn(whole, number, 6))
        once = convert_source(data, "x.cu", context).data
        changed += once != data
        assert convert_source(once, "x.cu", context).data == once, data.decode()
    assert changed > COUNT * 2 / 3
