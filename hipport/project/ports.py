"""Files of a tree that are HIP already, by the project's own port: they are left as they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hipport.buildfiles.build_systems import is_about_cuda, kind_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.files import sources
from hipport.files.include_lines import IncludeLine, include_lines
from hipport.files.includes import by_name, reached, resolve_include
from hipport.files.sources import Read
from hipport.mappings.tables import Tables
from hipport.project.task import Action, Task

if TYPE_CHECKING:
    from hipport.translate.port_facts import PortFacts

_ADVICE = "To translate it all the same, use --convert-ported."


class Ports(Struct, frozen=True):
    """The sources to leave alone, with findings; `whole`: the tree as a whole is a port, build files included."""

    left: frozenset[str] = frozenset()
    whole: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


def without_ports(
    tasks: Sequence[Task], tables: Tables, read: Read | None = None
) -> tuple[list[Task], tuple[Diagnostic, ...]]:
    """Return the tasks with those files copied that are HIP already, and a finding for each of them.

    `read` returns the bytes of a file instead of the disk.
    """
    ports = find_ports(tasks, tables, read)
    kept = [replace(task, ported=True) if _is_hip(task) else task for task in tasks]
    if not ports.left:
        return kept, ()
    kept = [_left_alone(task) if _stays(task, ports) else task for task in kept]
    return kept, ports.diagnostics


def _is_hip(task: Task) -> bool:
    """Return whether a file is HIP by its name."""
    return task.action is Action.COPY and task.source.endswith(".hip")


def _left_alone(task: Task) -> Task:
    return replace(task, action=Action.COPY, ported=kind_of(task.source) is None)


def _stays(task: Task, ports: Ports) -> bool:
    if task.action is not Action.TRANSLATE:
        return False
    return task.real in ports.left or (ports.whole and kind_of(task.source) is not None)


def find_ports(tasks: Sequence[Task], tables: Tables, read: Read | None = None) -> Ports:
    """Find the sources that a HIP compiler takes as they are."""
    files = {task.real: task for task in tasks if task.action is Action.TRANSLATE and kind_of(task.source) is None}
    texts = dict(_read(files, read))
    first = _first_facts(texts, tables)
    if not any(facts.runs for facts in first.values()):
        return Ports()
    texts |= _read(_included_copies(tasks, texts))
    tree = _Tree.of(texts, first, tables)
    ready, units = tree.ready(), tree.units()
    whole = _is_whole(units, ready)
    left = frozenset(files) if whole else frozenset(files.keys() & tree.apart(ready))
    found = [*_findings(files, tree, ready & left, units, whole=whole)]
    if whole:
        found += _selecting(files, tree)
        found += _about_build_files(tasks)
    return Ports(left, whole, tuple(found))


def ported_files(texts: Mapping[str, bytes], tables: Tables) -> frozenset[str]:
    """Return the paths of those files that a HIP compiler takes as they are, of the units of a build and their headers.

    A unit of a tree that is mostly ported need not be one of them.
    """
    first = _first_facts(texts, tables)
    if not any(facts.runs for facts in first.values()):
        return frozenset()
    tree = _Tree.of(texts, first, tables)
    ready = tree.ready()
    return frozenset(ready if _is_whole(tree.units(), ready) else tree.apart(ready))


def _facts(path: str, data: bytes, tables: Tables, undefined: frozenset[str] = frozenset()) -> PortFacts:
    from hipport.translate.port_facts import port_facts  # few trees mention HIP

    return port_facts(data, path, tables, undefined)


def _first_facts(texts: Mapping[str, bytes], tables: Tables) -> dict[str, PortFacts]:
    """Return the facts of the files that mention HIP, found without knowledge of other files."""
    return {path: _facts(path, data, tables) for path, data in texts.items() if mentions_hip(data)}


def mentions_hip(data: bytes) -> bool:
    """Return whether a file has anything to do with HIP."""
    return b"hip" in data or b"HIP" in data or b"ROCM" in data


def _is_whole(units: set[str], ready: set[str]) -> bool:
    """Return whether a tree is a port as a whole: at least half of its units are."""
    return 2 * len(units & ready) >= len(units) > 0


def _read(files: Iterable[str], read: Read | None = None) -> Iterator[tuple[str, bytes]]:
    for path in files:
        try:
            yield path, (read or sources.read)(path)
        except OSError:
            continue  # reported by the translation


def _included_copies(tasks: Iterable[Task], texts: Mapping[str, bytes]) -> Iterator[str]:
    """Yield files of other suffixes that the sources include."""
    asked = {os.path.basename(line.operand) for data in texts.values() for line in include_lines(data)}
    yield from (task.real for task in tasks if task.action is Action.COPY and os.path.basename(task.real) in asked)


class _Tree(Struct, frozen=True, dict=True):
    """The files of a tree: what each includes at any depth, and the facts of those that have to do with HIP."""

    texts: Mapping[str, bytes]
    facts: dict[str, PortFacts]
    closures: Mapping[str, frozenset[str]]
    roots: Mapping[str, frozenset[str]]
    """The files that no other includes, with what each of them reaches."""
    includers: Mapping[str, tuple[str, ...]]
    """The roots that reach each file."""
    tables: Tables
    undefined: frozenset[str]
    """Macros that are defined only for nvcc."""

    @classmethod
    def of(cls, texts: Mapping[str, bytes], first: Mapping[str, PortFacts], tables: Tables) -> _Tree:
        """Read the includes of all files, and the facts of those that reach a file that brings HIP.

        `first` are the facts of the files that mention HIP, found without knowledge of other files.
        """
        hidden = frozenset().union(*(facts.hidden for facts in first.values()))
        undefined = hidden.difference(*(facts.defined for facts in first.values()))
        mentioning = {path for path, data in texts.items() if mentions_hip(data)}
        brings = {path: _facts_again(path, texts[path], first.get(path), tables, undefined) for path in mentioning}
        named = by_name(texts)
        edges = {path: _included(path, data, brings.get(path), named) for path, data in texts.items()}
        closures = {path: frozenset(reached(path, edges)) for path in texts}
        included = {path for paths in edges.values() for path in paths}
        roots = {path: closures[path] for path in texts if path not in included}
        includers: dict[str, tuple[str, ...]] = {}
        for root, paths in roots.items():
            for path in paths:
                includers[path] = (*includers.get(path, ()), root)
        tree = cls(texts, dict(brings), closures, roots, includers, tables, undefined)
        for path in texts:
            if path not in tree.facts and any(facts.runs for facts in tree.environment(path)):
                tree.facts[path] = _facts(path, texts[path], tables, undefined)
        return tree

    def units(self) -> set[str]:
        """Return the CUDA sources that no other file includes."""
        return {path for path in self.roots if sources.renamed(path) != path}

    def facts_of(self, path: str) -> PortFacts:
        """Return the facts of a file, read now if it has nothing to do with HIP."""
        return self.facts.get(path) or _facts(path, self.texts[path], self.tables, self.undefined)

    def environment(self, path: str) -> list[PortFacts]:
        """Return the facts of the files that it, or every unit with it, includes."""
        roots = [self.closures[root] for root in self.includers.get(path, ())]
        shared = frozenset.intersection(*roots) if roots else frozenset()
        return [self.facts[each] for each in self.closures[path] | shared if each in self.facts]

    def lacking(self, path: str) -> list[str]:
        """Return the CUDA names and headers in a file that nothing that comes with it gives a meaning in HIP."""
        around = self.environment(path)
        provided = frozenset().union(*(facts.provides for facts in around))
        own = by_name(self.texts)
        return sorted(
            {
                name
                for name, callee in self.facts_of(path).needs
                if not (provided & {name, callee} or ("." in name and resolve_include(name, path, own)))
            }
        )

    def ready(self) -> set[str]:
        """Return the files that a HIP compiler takes as they are, with all that they include."""
        complete = {path for path, facts in self.facts.items() if not facts.needs or not self.lacking(path)}
        whole = {path for path in complete if self.closures[path] & self.facts.keys() <= complete}
        cuda = self._with_headers_of_cuda() if whole else frozenset()
        return {path for path in whole if self.closures[path].isdisjoint(cuda) and self.concerns_hip(path)}

    def _with_headers_of_cuda(self) -> frozenset[str]:
        """Return the files without facts that a HIP compiler cannot read, because of headers that only CUDA has."""
        others = {path: data for path, data in self.texts.items() if path not in self.facts}
        asking = (path for path, data in others.items() if any(map(self._is_cudas, include_lines(data))))
        return frozenset(path for path in asking if any("." in name for name in self.lacking(path)))

    def _is_cudas(self, line: IncludeLine) -> bool:
        return line.operand in self.tables.headers and line.operand not in self.tables.hip_headers

    def apart(self, ready: set[str]) -> set[str]:
        """Return the ready files that are HIP for any build: by macros of compilers, and in units that are ready."""
        asking = {path for path, facts in self.facts.items() if facts.asks}
        return {
            path
            for path in ready
            if ready.issuperset(self.includers.get(path, ())) and asking.isdisjoint(self.closures[path])
        }

    def concerns_hip(self, path: str) -> bool:
        """Return whether a file comes with HIP's headers, or has branches for HIP."""
        facts = self.facts[path]
        return (facts.branches and not facts.device) or any(each.runs for each in self.environment(path))

    def selecting(self, path: str) -> list[str]:
        """Return the macros by which a file, with all that it includes, is HIP."""
        found = (self.facts[each].selecting for each in self.closures[path] if each in self.facts)
        return sorted({name for each in found for name, _ in each})

    def source_of(self, path: str) -> str:
        """Return the name of the file that includes HIP's headers for a file."""
        for each in (path, *sorted(self.closures[path])):
            if each in self.facts and self.facts[each].runs:
                return os.path.basename(each)
        return ""


def _facts_again(
    path: str, data: bytes, first: PortFacts | None, tables: Tables, undefined: frozenset[str]
) -> PortFacts:
    """Return the facts of a file now that macros are known to be `undefined`; most files mention none of them."""
    if first is not None and not any(name.encode() in data for name in undefined):
        return first
    return _facts(path, data, tables, undefined)


def _included(path: str, data: bytes, facts: PortFacts | None, named: Mapping[str, list[str]]) -> set[str]:
    """Return the files that a file includes where it is compiled as HIP."""
    operands = facts.includes if facts is not None else (line.operand for line in include_lines(data))
    found = (resolve_include(operand, path, named) for operand in operands)
    return {each for each in found if each is not None}


def _findings(
    files: Mapping[str, Task], tree: _Tree, ready: set[str], units: set[str], *, whole: bool
) -> Iterator[Diagnostic]:
    for path, task in files.items():
        facts = tree.facts.get(path)
        if path in ready and facts is not None and (path in units or facts.branches):
            brought = tree.source_of(path)
            how = "by its own branches" if brought in ("", os.path.basename(path)) else f"by {brought}"
            yield _finding(
                task, Severity.NOTE, f"left alone: it is HIP already, {how}{_condition(tree.selecting(path))}"
            )
        elif whole and path in units and (tree.facts_of(path).device or tree.facts_of(path).needs):
            lacking = ", ".join(tree.lacking(path)[:3]) or "HIP's headers"
            message = f"left alone: most units of this tree are HIP already, but this one is not; it lacks {lacking}"
            yield _finding(task, Severity.WARNING, message)


def _condition(macros: Sequence[str]) -> str:
    return f", where {' and '.join(macros)} {'is' if len(macros) == 1 else 'are'} defined" if macros else ""


def _selecting(files: Mapping[str, Task], tree: _Tree) -> Iterator[Diagnostic]:
    """Yield a warning for each macro that a build must define, where most units test it."""
    places: dict[str, list[tuple[int, str, int]]] = {}
    for path, facts in tree.facts.items():
        for name, line in facts.selecting if path in files else ():
            places.setdefault(name, []).append((-len(tree.includers.get(path, ())), path, line))
    for name, found in sorted(places.items()):
        _, path, line = min(found)
        message = f"HIP is selected only where {name} is defined"
        advice = f"Compile with -D{name}; hipport build does. To translate the branch for CUDA, use --convert-ported."
        yield Diagnostic(files[path].source, line, 1, "HP118", Severity.WARNING, message, advice)


def _about_build_files(tasks: Iterable[Task]) -> Iterator[Diagnostic]:
    for task in tasks:
        builds = task.action is Action.TRANSLATE and kind_of(task.source) is not None
        if builds and any(is_about_cuda(data) for _, data in _read([task.source])):
            yield _finding(task, Severity.NOTE, "left alone: most units of this tree are HIP already")


def _finding(task: Task, severity: Severity, message: str) -> Diagnostic:
    return Diagnostic(task.source, 1, 1, "HP118", severity, message, _ADVICE)
