"""The limits of `hipport.files.documents`: deep documents are rejected before a parser sees them, others are read."""

from __future__ import annotations

import ast
import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.builds.project_file import _linked, read_targets
from hipport.errors import HipportError
from hipport.files.documents import DEEPEST, compose_yaml, parse_json, parse_toml, read_bounded

ROOT = Path(__file__).parents[2]
VALUES = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\,:\n\u00e9a'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='[]{}"\\a'), inner),
)


@given(VALUES)
def test_json_is_read_as_ever(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert parse_json(text, "f") == parse_json(text.encode(), "f") == value


@given(st.lists(st.sampled_from(["[", "{"]), min_size=DEEPEST - 2, max_size=DEEPEST + 2), st.text(alphabet='"\\[]a'))
def test_the_depth_of_json_is_exact(levels: list[str], text: str) -> None:
    value: object = text
    for one in levels:
        value = [text, value] if one == "[" else {text: value}
    if len(levels) <= DEEPEST:
        assert parse_json(json.dumps(value), "f") == value
    else:
        with pytest.raises(HipportError, match="f: nested more than 100 levels"):
            parse_json(json.dumps(value), "f")


def test_toml_within_the_limits() -> None:
    text = 'a.b = [1.5, 2.5, "[[[.", """[\n[""", \'{\'] # [[[[\n[c.d]\nx = {y = [{z = 1.0}]}\n' + "[[e]]\n" * 200
    content = parse_toml(text + "f = [" + "1.5, " * 300 + "]", "f")
    assert content["a"] == {"b": [1.5, 2.5, "[[[.", "[\n[", "{"]}
    assert len(content["e"]) == 200 and len(content["e"][-1]["f"]) == 300


def test_yaml_within_the_limits() -> None:
    node = compose_yaml("a: &x {b: [1, 2]}\nc: [*x, *x]\n", "f")
    assert node is not None
    assert compose_yaml("", "f") is None


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: &b [1], c: *b}", "- &a x\n- [" + "*a, " * 2000 + "]"])
def test_aliases_that_could_grow_are_refused(text: str) -> None:
    with pytest.raises(HipportError, match=r"f:\d: too many aliases, or nested ones"):
        compose_yaml(text, "f")


def test_only_regular_files_of_bounded_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        read_bounded(tmp_path / "pipe", 10)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(HipportError, match="larger than the limit of 1 MiB"):
        read_bounded(tmp_path / "sparse", 1 << 20)
    for name in ("a\0b", "\ud800"):
        with pytest.raises(HipportError, match="is not a valid path"):
            read_bounded(name, 10)


PARSERS = {("json", "loads"), ("json", "load"), ("tomllib", "loads"), ("yaml", "compose"), ("yaml", "load"),
    ("yaml", "safe_load"), ("pickle", "loads"), ("pickle", "load"), ("marshal", "load")}  # fmt: skip
ELSEWHERE = {
    "hipport/files/documents.py",
    "hipport/bench/p2p/measure.py",
    "hipport/emulate/tools.py",
    "hipport/llm/workers/loop.py",
    "hipport/llm/workers/process.py",
}
"""The others read what hipport's own programs print."""


def test_nothing_else_parses_documents() -> None:
    found = set()
    for path in (ROOT / "hipport").rglob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Attribute)]
        if any(isinstance(node.value, ast.Name) and (node.value.id, node.attr) in PARSERS for node in nodes):
            found.add(path.relative_to(ROOT).as_posix())
    assert found - ELSEWHERE == set()


def test_targets_with_exponentially_many_paths(tmp_path: Path) -> None:
    lines = []
    for level in range(40):
        below = f'libraries = ["a{level + 1}", "b{level + 1}"]\n' if level < 39 else ""
        lines += [f'[targets.{one}{level}]\nkind = "static"\nsources = ["x.cu"]\n{below}' for one in "ab"]
    (tmp_path / "x.cu").touch()
    (tmp_path / "hipport.toml").write_text("".join(lines))
    started = time.process_time()
    targets = read_targets(tmp_path)
    top = next(one for one in targets if one.name == "a0")
    assert [one.name for one in _linked(top, targets)] == [f"{one}{level}" for level in range(1, 40) for one in "ab"]
    assert time.process_time() - started < 5
