"""Every name that tables and rules know, in every place where a name can be: two rules must not edit the same text.

Names that tables only rename, or only say to be missing, are all treated alike, so that a part of them is enough;
all that are missing with HIPPORT_TEST_ALL=1.
"""

from __future__ import annotations

import random
import re

import pytest

from hipport.mappings.entry import Entry
from hipport.mappings.loader import Tables
from hipport.source import OverlappingEdits
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.hazards.words import WORDS as HAZARDS
from hipport.translate.passes.words_of import WORDS as PASSES
from tests.shared import EVERYTHING

HEAD = "#include <cuda_runtime.h>\n"
PLACES = {
    "argument": "void w%d() { use({0}); }\n",
    "attribute of a function": "{0} int f%d(int);\n",
    "attribute of a struct": "struct {0} S%d { int a; };\n",
    "attribute behind another": "extern __device__ {0} float f%d(float);\n",
    "type": "{0} x%d;\n",
    "pointer": "void g%d({0}* x) { *x = {0}(); }\n",
    "call in a kernel": "__global__ void k%d(int* a) { a[0] = {0}(a[0], 1); }\n",
    "call": "void h%d(int* a) { {0}(a, 1, 2); }\n",
    "call without arguments": "int h%d() { return {0}(); }\n",
    "macro": "#define M%d {0}\n",
    "macro of a call": "#define N%d(x) {0}(x)\n",
    "test": "#ifdef {0}\nint d%d;\n#endif\n",
    "comparison": "#if {0} >= 9\nint e%d;\n#endif\n",
    "member": "void m%d(S s) { s.{0} = 1; s->{0}(2); }\n",
    "scoped": "auto z%d = a::{0};\n",
    "global": "auto y%d = ::{0};\n",
    "template argument": "A<{0}> b%d;\nB<{0}<int>> c%d;\n",
    "case": "int s%d(int x) { switch (x) { case {0}: return 1; } return x == {0}; }\n",
    "using declaration": "namespace n%d { using ::{0}; }\n",
    "header": "#include <{0}.h>\n",
    "own macro": "#define {0} 1\n",
    "own function": "int {0}(int);\n",
    "own struct": "struct {0} { int a; };\n",
    "text": 'const char* s%d = "{0}";\n',
    "initializer": "int q%d[] = {{0}, {0}};\n",
    "kernel": "void l%d() { {0}<<<1, 2>>>({0}); }\n",
    "typedef": "typedef {0} T%d;\n",
    "parameter": "void p%d(int {0}) { {0} = 1; }\n",
    "own variable": "void r%d() { int {0} = 1; use({0}); }\n",
}
_AT_ONCE = 400
_OF_RENAMED = 0.04
_OF_MISSING = 1 if EVERYTHING else 0.08


def _part(entry: Entry) -> float:
    """Return which part of the names with entries like this one are enough."""
    if entry.drop or entry.args:
        return 1
    return _OF_MISSING if entry.hip is None else _OF_RENAMED


def names(tables: Tables) -> list[str]:
    """Return the names that rules have words for, those with rules in tables, and a part of the others."""
    found = {word for words in HAZARDS.values() for word in words}
    found |= {word for groups in PASSES.values() for words in groups for word in words}
    chance = random.Random(19)
    for name, entry in sorted(tables.names.items()):
        if chance.random() < _part(entry):
            found.add(name)
    return sorted(name for name in found if re.fullmatch(r"[A-Za-z_]\w*", name))


def _wrong(place: str, some: list[str], tables: Tables) -> list[str]:
    """Return names for which two edits meet, or whose line is lost; look for them by halves."""
    lines = [PLACES[place].replace("{0}", name).replace("%d", str(number)) for number, name in enumerate(some)]
    begun = PLACES[place].partition("{0}")[0].partition(" {")[0]
    try:
        text = convert_source((HEAD + "".join(lines)).encode(), "x.cu", Context(tables)).data.decode()
    except OverlappingEdits as error:
        half = len(some) // 2
        if half == 0:
            return [f"{some[0]}: {error}"]
        return _wrong(place, some[:half], tables) + _wrong(place, some[half:], tables)
    if "%d" not in begun:
        return []
    return [name for number, name in enumerate(some) if f"\n{begun.replace('%d', str(number))}" not in text]


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_no_two_rules_edit_the_same_text(place: str, tables: Tables) -> None:
    every = names(tables)
    assert len(every) > 2000
    parts = (every[first : first + _AT_ONCE] for first in range(0, len(every), _AT_ONCE))
    assert [wrong for part in parts for wrong in _wrong(place, part, tables)] == []
