"""Find names in hipport's modules that nothing in hipport uses."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = {path: path.read_text(encoding="utf-8") for path in (Path(__file__).parents[1] / "hipport").rglob("*.py")}
CALLED_BY_OTHERS = {"__getattr__", "__all__"}


def defined(tree: ast.Module) -> Iterator[str]:
    """Yield the functions, classes and variables of a module."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def unused(texts: dict[Path, str]) -> set[str]:
    """Return private names that occur once in their module, and other names that occur once in all modules."""
    words = {path: Counter(re.findall(r"\w+", text)) for path, text in texts.items()}
    everywhere = sum(words.values(), Counter[str]())
    return {
        f"{path.name}: {name}"
        for path, text in texts.items()
        for name in defined(ast.parse(text))
        if (words[path] if re.match("_[^_]", name) else everywhere)[name] == 1 and name not in CALLED_BY_OTHERS
    }


def test_every_name_is_used() -> None:
    assert len(SOURCES) > 400
    assert unused(SOURCES) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("_A = 1\n", {"a.py: _A"}),
        ("def f(): pass\n", {"a.py: f"}),
        ("class C: pass\n", {"a.py: C"}),
        ("A: int = 1\nB, D = 1, 2\nprint(B)\n", {"a.py: A", "a.py: D"}),
        ("_A = 1\ndef g(): return _A\n", set()),
    ],
)
def test_what_is_unused(text: str, found: set[str]) -> None:
    assert unused({Path("a.py"): text, Path("b.py"): "from a import g\n_A, _A\n"}) == found


VALUES = (ast.JoinedStr, ast.BinOp, ast.Compare, ast.Tuple, ast.List, ast.Dict)


def test_no_statement_is_only_a_value() -> None:
    """Such as the second line of a text that lacks its parentheses."""
    found = [
        f"{path.name}:{node.lineno}"
        for path, text in SOURCES.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, VALUES)
    ]
    assert found == []
