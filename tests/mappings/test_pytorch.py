"""The table of PyTorch's names: what PyTorch's own hipify does, for the release that is asked for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from hipport.errors import UsageError
from hipport.mappings.choice import NameChoice, Origin
from hipport.mappings.loader import load_choice
from hipport.mappings.tables import Tables
from hipport.toolchain.pytorch import installed_version
from scripts.learn_pytorch import cuda_headers, hipified

_TORCH = importlib.util.find_spec("torch")


def tables(torch: str | None = None, **others: str) -> Tables:
    return load_choice(NameChoice(rocm="6.4", torch=torch, **others))


@pytest.mark.parametrize(
    ("torch", "header", "name"),
    [
        ("2.6", "ATen/hip/impl/HIPStreamMasqueradingAsCUDA.h", "getCurrentHIPStreamMasqueradingAsCUDA"),
        ("2.12.1", "ATen/hip/impl/HIPStreamMasqueradingAsCUDA.h", "getCurrentHIPStreamMasqueradingAsCUDA"),
        ("2.13", "c10/hip/HIPStream.h", "getCurrentCUDAStream"),
        ("3.0", "c10/hip/HIPStream.h", "getCurrentCUDAStream"),
    ],
)
def test_release_decides(torch: str, header: str, name: str) -> None:
    found = tables(torch)
    stream = found.headers.get("c10/cuda/CUDAStream.h")
    counterpart = found.names["getCurrentCUDAStream"].hip
    assert stream is not None and stream.hip == header
    assert counterpart is not None and counterpart.name == name
    assert (found.releases.torch, found.releases.torch_origin) == (torch, Origin.ASKED)


def test_release_is_the_installed_one_or_else_the_newest() -> None:
    installed = tables(installed_torch="2.6.0").releases
    assert (installed.torch, installed.torch_origin) == ("2.6.0", Origin.INSTALLED)
    assert tables(installed_torch="nightly").releases.torch_origin is Origin.NEWEST
    assert tables().releases.torch == "2.13"
    with pytest.raises(UsageError, match="PyTorch release: 'new'"):
        tables("new")


@pytest.mark.skipif(_TORCH is None, reason="torch is not installed")
def test_table_agrees_with_the_installed_hipify() -> None:
    assert _TORCH is not None and _TORCH.origin is not None
    folder = Path(_TORCH.origin).parent
    found = tables(installed_version([str(folder.parent)], {}))
    headers = cuda_headers(folder)
    removed = ("THC", "AT_CHECK")  # of which its hipify knows nothing any more
    names = [name for name, entry in found.names.items() if entry.library == "pytorch" and not name.startswith(removed)]
    expected = hipified(folder, headers, names)
    known = {header: found.headers.get(header) for header in headers}
    assert {header: entry.hip if entry else header for header, entry in known.items()} == {
        h: expected[h] for h in headers
    }
    written = {name: entry.hip.name for name in names if (entry := found.names[name]).hip is not None}
    assert written == {name: expected[name] for name in names}
