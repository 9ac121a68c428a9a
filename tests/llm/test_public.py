"""`hipport.llm` as programs import it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hipport.llm


def test_all_names_are_there() -> None:
    for name in hipport.llm.__all__:
        assert getattr(hipport.llm, name).__doc__
    assert set(hipport.llm._MODULES) == set(hipport.llm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Engin'"):
        hipport.llm.Engin  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    start = "import sys, hipport.llm, hipport.cli.llm.serve, hipport.cli.llm.chat; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True).stdout
    assert "'hipport.llm'" in loaded
    for name in ("numpy", "jinja2", "starlette", "uvicorn", "pydantic", "prometheus_client", "tokenizers", "rich"):
        assert f"'{name}'" not in loaded
