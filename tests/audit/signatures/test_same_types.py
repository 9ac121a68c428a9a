"""Names for one type in CUDA are names for one type in HIP: code assigns from one to the other."""

from __future__ import annotations

from collections import defaultdict

from hipport.audit.signatures import data
from hipport.mappings.loader import NameChoice, load_choice

_TAGS = {"curandState": "curandStateXORWOW", "curandState_t": "curandStateXORWOW"}
"""Typedefs of types that no signature in CUDA's table names."""
_NUMBERS = frozenset({"int", "unsigned long long"})
"""Types of CUDA handles that are HIP pointers: HP139 and `hazards/number_handles.py` report code that needs numbers."""


def test_typedefs_of_one_type_are_one_type_in_hip() -> None:
    tables, hip = load_choice(NameChoice(rocm="6.4", cuda="13.0")), data.shipped("rocm")["6.4"].typedefs
    of_cuda: dict[str, set[str]] = defaultdict(set)
    for name, canonical in {**data.shipped("cuda")["13.0"].typedefs, **_TAGS}.items():
        of_cuda[canonical] |= {name, canonical}
    assert len(of_cuda) > 150
    for canonical, names in of_cuda.items():
        own = {entry.hip.name for name in names if (entry := tables.names.get(name)) is not None and entry.hip}
        found = {hip.get(name, name) for name in own if name in hip or name in hip.values()}
        assert len(found) < 2 or canonical in _NUMBERS, (canonical, found)
