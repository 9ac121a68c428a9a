"""Targets of the mapping tables against the headers of HIP's libraries (scripts/undeclared_targets.py).

Newer headers than those installed are checked with HIPPORT_TEST_HIP_LIBRARIES=INCLUDE.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from hipport.mappings.loader import load
from scripts.undeclared_targets import HEADERS, targets, undeclared
from tests.cpu.test_device_libraries import FOLDER, with_libraries

COMPILER = shutil.which("hipcc") or ""
pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(not COMPILER, reason="hipcc is not installed"),
]


@pytest.fixture(autouse=True)
def for_amd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIP_PLATFORM", "amd")


def release_of(folder: Path) -> str:
    """Return the ROCm release of hipCUB's headers: hipCUB 3.1 belongs to ROCm 6.1, 2.13.1 to 5.7."""
    text = (folder / "hipcub/hipcub_version.hpp").read_text()
    major, minor = (int(part) for part in re.findall(r"define HIPCUB_VERSION_M(?:AJOR|INOR) (\d+)", text))
    return f"{major + 3}.{minor}" if major > 2 else "5.7"


@pytest.mark.slow
@with_libraries
@pytest.mark.parametrize("library", HEADERS)
def test_all_targets_are_declared(library: str) -> None:
    folder = Path(FOLDER)
    if not any(any(folder.glob(pattern)) for pattern in HEADERS[library]):
        pytest.skip(f"the headers for the table of {library} are not beside hipCUB's")
    wanted = targets(load(rocm=release_of(folder)), library)
    assert len(wanted) > 100
    assert undeclared(wanted, library, [folder], COMPILER) == []


def test_the_scope_of_a_name_counts(tmp_path: Path) -> None:
    """All kinds of names are found; names of inner namespaces and scoped enumerations are missing."""
    header = tmp_path / "hipcub/hipcub.hpp"
    header.parent.mkdir()
    header.write_text("""
        #ifdef CONDITION
        #endif
        #define MACRO(a) a
        namespace hipcub {
        namespace detail { struct Hidden {}; void Overload(); }
        enum Kind { ENUMERATOR };
        enum class Scoped { VALUE };
        template <typename T> struct Template {};
        template <typename T> T function(T value) { return value; }
        struct Device { static void Run(); };
        }
    """)
    declared = ["Kind", "ENUMERATOR", "Scoped", "Template", "function", "Device", "Device::Run", "detail"]
    found = {"CONDITION", "MACRO", *(f"hipcub::{name}" for name in declared)}
    missing = {"OTHER", *(f"hipcub::{name}" for name in ("Hidden", "Overload", "Device::Gone", "VALUE"))}
    assert undeclared(found | missing, "cub", [tmp_path], COMPILER) == sorted(missing)


def test_missing_headers_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no headers for the table of cub"):
        undeclared({"hipcub::Sum"}, "cub", [tmp_path], COMPILER)
