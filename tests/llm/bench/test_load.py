"""`hipport llm load`: its definitions, and a server with the fake engine under load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.errors import UsageError
from hipport.llm.bench.latencies import Served, load_result, table
from hipport.llm.bench.load_client import Load, planned, server_at
from hipport.llm.serving.app import Settings
from tests.llm.serving.conftest import StartSite
from tests.llm.serving.conftest import start_site as start_site


def test_measures_are_those_of_vllm() -> None:
    served = [
        Served(10, 3, 0.0, (0.1, 0.2, 0.4), 0.4),
        Served(20, 1, 1.0, (1.3,), 2.0),
        Served(5, 4, 0.5, (0.6, 0.9), 1.0),  # two tokens came together
        Served(9, 0, 0.0, (), 0.1, "refused"),
    ]
    result = load_result(served)
    assert (result.requests, result.failed, result.seconds) == (3, 1, 2.0)
    assert (result.prompt_tokens, result.tokens) == (35, 8)
    assert (result.request_throughput, result.token_throughput, result.total_token_throughput) == (1.5, 4.0, 21.5)
    assert result.latencies["ttft"].mean == pytest.approx((100 + 300 + 100) / 3)
    assert result.latencies["tpot"].mean == pytest.approx((150 + 100) / 2)
    assert result.latencies["itl"].percentiles["p50"] == pytest.approx(200)
    assert result.latencies["e2el"].percentiles["p50"] == pytest.approx(500)
    assert "failed: refused" in list(table(result))
    assert load_result([]).requests == 0


def test_requests_are_random_and_repeatable() -> None:
    load = Load(200, 100, 40, 0.5, 10.0, 0, seed=3)
    requests = planned(load)
    assert requests == planned(load)
    lengths = [len(each.prompt) for each in requests]
    assert min(lengths) >= 50
    assert max(lengths) <= 150
    assert len(set(lengths)) > 50
    assert {each.tokens for each in requests} <= set(range(20, 61))
    assert requests[-1].after == pytest.approx(20, rel=0.3)
    assert {each.after for each in planned(Load(9, 1, 1, 1.0, float("inf"), 0, 0))} == {0.0}


@pytest.mark.parametrize("url", ["https://localhost", "localhost:8000", "http://", "http://h:x"])
def test_wrong_urls(url: str) -> None:
    with pytest.raises(UsageError, match="URL"):
        server_at(url, None, "")


def load(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "llm", "load", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_a_server_under_load(start_site: StartSite, tmp_path: Path) -> None:
    site, path = start_site(Settings(key="secret")), tmp_path / "load.json"
    lengths = ("--requests", "12", "--concurrency", "4", "--prompt-tokens", "60", "--tokens", "9", "--json", str(path))
    done = load(site.url, *lengths, "--api-key", "secret", "--rate", "200")
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text())
    wanted = planned(Load(12, 60, 9, 0.5, 200.0, 4, 0))
    assert (found["requests"], found["failed"]) == (12, 0)
    assert found["prompt_tokens"] == sum(len(each.prompt) for each in wanted)
    assert found["tokens"] == sum(each.tokens for each in wanted)
    assert 0 < found["latencies"]["ttft"]["mean"] <= found["latencies"]["e2el"]["mean"]
    assert "12 requests in" in done.stdout
    refused = load(site.url, "--requests", "2", "--api-key", "wrong")
    assert refused.returncode == 1
    assert "2 of 2 requests failed: status 401" in refused.stderr


def test_no_server() -> None:
    done = load("http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "hipport: error: no server at 127.0.0.1:9: Connection refused",
        "  Start one, such as: hipport llm serve MODEL",
    ]
