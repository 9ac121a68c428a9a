"""Find which modules of hipport import each other, from their syntax; imports inside functions count, too."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]

Graph = dict[str, set[str]]
"""The modules or parts that each one imports."""


def module_imports(root: Path = ROOT) -> Graph:
    """Return the modules of the package hipport that each module imports; a package stands for its `__init__`."""
    modules = {_module(path, root): path for path in (root / "hipport").rglob("*.py")}
    return {name: set(_imported(path, modules)) - {name} for name, path in modules.items()}


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in modules else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def part_imports(imports: Graph, package: str) -> Graph:
    """Return the imports between the parts of a package, its own `__init__` left out."""
    parts: Graph = {}
    for module, imported in imports.items():
        part = _part(module, package)
        if part is not None:
            found = {_part(other, package) for other in imported} - {part, None}
            parts.setdefault(part, set()).update(name for name in found if name is not None)
    return parts


def _part(module: str, package: str) -> str | None:
    return module[len(package) + 1 :].partition(".")[0] if module.startswith(f"{package}.") else None


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return modules that form an import cycle; empty if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def levels(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the level of each part: 1 for those that import nothing, else one above the highest that it imports."""
    found: dict[str, int] = {}
    for part in graphlib.TopologicalSorter(graph).static_order():
        found[part] = 1 + max((found[other] for other in graph.get(part, ())), default=0)
    return found


def direct(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports that no longer path stands for (the transitive reduction)."""
    above = {part: set().union(*(reachable(graph, other) for other in graph[part])) for part in graph}
    return {part: graph[part] - above[part] for part in graph}


def reachable(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return what a part imports at any depth."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = graph.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found
