from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from hipport.files.workers import in_processes


def work(item: int) -> tuple[int, int]:
    if item < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item, os.getpid()


def died(item: int) -> tuple[int, int]:
    return item, 0


def test_all_results_from_several_processes() -> None:
    results = dict(in_processes(work, range(50), 2, died))
    assert [results[index][0] for index in range(50)] == [item * item for item in range(50)]
    assert os.getpid() not in {pid for _, pid in results.values()}


@pytest.mark.parametrize("items", [[-1, 2, 3, 4, 5], [1, -2, -3, -4, 5, 6], [-1], [-1, -2, -3]])
def test_a_killed_worker_costs_its_item_only(items: list[int]) -> None:
    results = dict(in_processes(work, items, 2, died))
    assert [results[index][0] for index in range(len(items))] == [item if item < 0 else item * item for item in items]


def test_no_items() -> None:
    assert list(in_processes(work, [], 4, died)) == []


def test_stopping_early_ends_the_processes() -> None:
    with contextlib.closing(in_processes(work, range(50), 3, died)) as results:
        next(results)
        assert multiprocessing.active_children()
    assert not multiprocessing.active_children()


def imports(item: int) -> int:
    importlib.import_module("slowly_imported")
    return item


def test_no_process_inherits_a_lock_that_another_thread_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = tmp_path / "begun"
    source = f"import pathlib, time\npathlib.Path({str(begun)!r}).touch()\ntime.sleep(0.5)\n"
    (tmp_path / "slowly_imported.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slowly_imported", raising=False)
    thread = threading.Thread(target=imports, args=(0,))
    thread.start()
    while not begun.exists():
        time.sleep(0.01)
    assert dict(in_processes(imports, [1, 2], 2, lambda item: -1)) == {0: 1, 1: 2}
    thread.join()


def big(item: int) -> bytes:
    return b"x" * item


def test_results_larger_than_a_pipe_holds() -> None:
    results = dict(in_processes(big, [3 << 20, 1, 5 << 20], 2, lambda item: b""))
    assert {index: len(result) for index, result in results.items()} == {0: 3 << 20, 1: 1, 2: 5 << 20}
