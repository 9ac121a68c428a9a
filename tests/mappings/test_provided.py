"""Names and headers that hipport's own headers provide: when they apply, and errors in the file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.diagnostics import Severity
from hipport.errors import HipportError
from hipport.mappings.choice import Flavour, NameChoice
from hipport.mappings.compat import parse_provided
from hipport.mappings.entry import HipName, Life
from hipport.mappings.loader import load, load_choice, tables_folder
from hipport.mappings.tables import PROVIDED as FILE
from hipport.mappings.tables import Tables
from hipport.support import closure
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

MADE_BY_MACROS = frozenset(
    {
        *(
            "bf16.h",
            "bf16_integers.h",
            "conversions.h",
            "dpx.h",
            "fp8.h",
            "half.h",
            "half_tanh.h",
            "half_comparisons.h",
            "host_math.h",
            "integer_limits.h",
            "libdevice.h",
        ),
        *("integer_limits.h", "nv_atomic.h", "rounding.h", "simd.h"),
    }
)
"""Headers whose names are pasted; tests/values compiles a call of each function."""
PASTED = re.compile(r"\bcudnn\w+(?:##\w+##\w+)+")
"""Matches names that a macro makes of a given part."""


def counterpart(tables: Tables, name: str) -> tuple[str, str]:
    entry = tables.names[name]
    assert entry.hip is not None
    return entry.hip.name, entry.support


def test_a_gap_is_filled_as_long_as_there_is_one() -> None:
    old, new = load(rocm="6.4"), load(rocm="7.0")
    assert counterpart(old, "__syncwarp") == ("__syncwarp", "hipport/compat/syncwarp.h")
    assert counterpart(new, "__syncwarp") == ("__syncwarp", "")
    assert old.names["__syncwarp"].args == () != new.names["__syncwarp"].args


def test_what_hip_has_otherwise_is_passed_over() -> None:
    for tables in (load(rocm="5.2"), load(rocm="7.2")):
        assert counterpart(tables, "__reduce_or_sync") == ("hipport::warp32::reduce_or", "hipport/compat/reduce.h")
        assert counterpart(tables, "min") == ("min", "hipport/compat/minmax.h") and "min" in tables.active


def test_names_that_no_table_has() -> None:
    assert counterpart(load(), "__vcmpleu2") == ("__vcmpleu2", "hipport/compat/simd.h")
    assert "__vcmpleu2" in load().known


def test_a_cache_keeps_it(tables: Tables) -> None:
    """The fixture's tables were written to the cache before, or come from it."""
    assert counterpart(tables, "__vadd2") == counterpart(load(), "__vadd2") == ("__vadd2", "hipport/compat/simd.h")


def test_an_overlay_decides(tmp_path: Path) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text("functions:\n  __vadd2: my_vadd2\n")
    assert counterpart(load_choice(NameChoice(overlays=(str(overlay),))), "__vadd2") == ("my_vadd2", "")


def test_a_release_of_cuda_without_the_name() -> None:
    assert load_choice(NameChoice(cuda="10.2")).names["__reduce_add_sync"].hip is None


def test_a_part_that_needs_a_release() -> None:
    assert load(rocm="5.7").names["cudnnRNNForward"].hip is None
    assert counterpart(load(rocm="6.0"), "cudnnRNNForward") == ("cudnnRNNForward", "hipport/compat/cudnn/rnn.h")


@pytest.mark.parametrize("flavour", ["hip", "roc"])
def test_cudnn_is_provided_for_both_kinds_of_libraries(flavour: Flavour) -> None:
    tables = load_choice(NameChoice(flavour=flavour))
    assert counterpart(tables, "cudnnSetTensor4dDescriptor")[1] == "hipport/compat/cudnn.h"
    assert tables.names["cudnnBackendExecute"].hip is None


def test_every_header_has_what_the_file_says() -> None:
    """Checks the words in the header, its includes, and macros that generate names; compile tests call them all.

    A header that only includes others has none: its names are those that the tables have for a later release.
    """
    text = (tables_folder() / FILE).read_text()
    later = load(rocm="6.4").names
    provided = parse_provided(text, "5.2")
    for provider in {each for each, _ in provided.names.values()} | set(provided.includes.values()):
        header = b"".join(closure([provider.header]).values()).decode()
        made = provider.header.rpartition("/")[2] in MADE_BY_MACROS
        pasted = re.compile("|".join(re.sub(r"##\w+##", r"\\w+", each) for each in PASTED.findall(header)) or r"\Z.")
        for name, spelled in provider.names:
            word = spelled.rpartition("::")[2] if spelled != "*" else name
            made = made or spelled == "*"  # an overload of HIP's function: tests/audit/signatures calls them
            found = re.search(rf"\b{word}\b", header) or pasted.fullmatch(word)
            included = name in later and later[name].hip == HipName(spelled, Life(added="5.4.0"))
            assert made or found or (included and "#include <hipcub/" in header), (provider.header, word)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x.h:\n  name: [a]\n", "support/compat.yaml:2: x.h.name: unknown key; did you mean 'names'?"),
        ("x.h:\n  names: [a b]\ny.h:\n  names: [b]\n", "support/compat.yaml: b is given twice"),
        ("x.h:\n  includes: [a.h a.h]\n", "support/compat.yaml: a.h is given twice"),
        (
            "x.h:\n  overrides: sometimes\n",
            "support/compat.yaml:2: x.h.overrides: expected 'always', or 'before' and a ROCm",
        ),
        ("x.h:\n  overrides: before long\n", "support/compat.yaml:2: x.h.overrides: 'long' is not a version"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(HipportError) as caught:
        parse_provided(text, "6.2")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("rocm", ["5.2", "6.4"])
def test_all_of_cudnn_is_provided_or_reported(rocm: str) -> None:
    tables = load(rocm=rocm)
    names = sorted(name for name, entry in tables.names.items() if entry.library == "cudnn" and name.isidentifier())
    provided = {name for name in names if tables.names[name].support.startswith("hipport/compat/cudnn")}
    assert len(provided) > 300 and len(names) - len(provided) > 500
    text = "#include <cudnn.h>\n" + "".join(f"auto v{number} = {name};\n" for number, name in enumerate(names))
    found = convert_source(text.encode(), "all.cpp", Context(tables)).diagnostics
    told = {names[each.line - 2] for each in found if each.severity is Severity.ERROR}
    assert set(names) - provided - told == set()
