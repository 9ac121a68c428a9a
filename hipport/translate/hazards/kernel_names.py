"""HP236: kernels whose name is another one in device code than in host code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind, question
from hipport.source import Span
from hipport.translate.dataflow.constant_definitions import BASES, WORD, Definitions, definitions, visible
from hipport.translate.dataflow.function import Function, parameter_nodes
from hipport.translate.syntax.brackets import skip_blanks, split_arguments, template_close
from hipport.translate.syntax.calls import Launch, launches
from hipport.translate.syntax.compilations import DEVICE_ONLY, Compilations, compilations, differs
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.templates import template_parameters
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = frozenset({"__global__", "template", "include"})
_LAST_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:<.*)?\Z", re.DOTALL)
_MOST_ROUNDS = 5
_ADVICE = (
    "Choose it by a macro that the build defines for both, or by the device's properties at run time; a struct that "
    "derives from the choice has one name in both."
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report kernels whose signature or template arguments depend on macros that only device code has."""
    told = bool(work.told(Kind.DIFFERS))
    if told or DEVICE_ONLY.search(work.unit.code):
        names = KernelNames(work)
        yield from {(each.line, each.column): each for each in names.findings()}.values()


def facts(work: Work) -> Iterator[str]:
    """Yield what files that include this one need to know: names that differ between host and device."""
    if DEVICE_ONLY.search(work.unit.code):
        names = KernelNames(work)
        macros = {*names.compilations.differing_macros()}
        yield from macros
        yield from (str(differs(name)) for name in names.exported() if name not in work.unit.macros)


def asked(work: Work) -> Iterator[str]:
    """Yield what a file wants to be told about: names that its kernels' names, and its conditions, may depend on."""
    unit = work.unit
    if ("__global__" in unit.words or unit.launches) and any(each.quoted for each in includes(unit)):
        yield from (question(Kind.DIFFERS, name) for name in KernelNames(work).asked())


class KernelNames(Struct, frozen=True, dict=True):
    """The names of a file that mean something else in device code than in host code."""

    work: Work

    @cached_property
    def compilations(self) -> Compilations:
        return compilations(self.work.unit, self.work.told(Kind.DIFFERS))

    @cached_property
    def definitions(self) -> Definitions:
        return definitions(self.work.flow)

    @cached_property
    def told(self) -> frozenset[str]:
        return frozenset(fact.subject for fact in self.work.facts(Kind.DIFFERS))

    def exported(self) -> Iterator[str]:
        """Yield the names outside functions that differ."""
        for name in self.definitions:
            if any(each.scope is None for each in self.definitions[name]) and self.root(name, 0, frozenset()):
                yield name.removesuffix(BASES)

    def root(self, name: str, offset: int, known: frozenset[str]) -> str:
        """Return the name by which what a name stands for differs, itself or one behind it; empty if none does."""
        waiting, seen = [(name, offset)], set(known)
        while waiting:
            word, at = waiting.pop()
            found = visible(self.definitions, word, at) if word not in seen else ()
            if word in self.told and word not in seen and not found:
                return word
            seen.add(word)
            places = [each.text for each in found]
            if places and any(self.compilations.texts(places)):
                return word.removesuffix(BASES)
            waiting += [(each, place.start) for place in places for each, _ in self.words(place)]
        return ""

    def words(self, span: Span) -> Iterator[tuple[str, int]]:
        """Yield the names in a range that are not members of objects; a class in front of `::` brings its bases."""
        code = self.work.unit.code
        for match in WORD.finditer(code, span.start, span.end):
            if code[match.start() - 1 : match.start()] != "." and code[match.start() - 2 : match.start()] != "->":
                yield match[0], match.start()
                if code.startswith("::", skip_blanks(code, match.end())):
                    yield match[0] + BASES, match.start()

    def differing(self, span: Span, known: frozenset[str] = frozenset()) -> str:
        """Return a name by which the text of a range differs; empty if it does not."""
        found = (self.root(word, at, known) for word, at in self.words(span) if word not in known)
        return next(filter(None, found), "") or self._macro(span)

    def _macro(self, span: Span) -> str:
        """Return the compiler's own macro in a range."""
        match = DEVICE_ONLY.search(self.work.unit.code, span.start, span.end)
        return match[0] if match is not None else ""

    @cached_property
    def kernels(self) -> tuple[Function, ...]:
        return tuple(each for each in self.work.flow.device_functions if each.kernel and each.name)

    @cached_property
    def launched(self) -> tuple[Launch, ...]:
        return tuple(each for each in launches(self.work.unit) if isinstance(each, Launch))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the kernels that the file defines or launches."""
        texts = (self.work.unit.code[each.kernel.start : each.kernel.end] for each in self.launched)
        matches = (_LAST_NAME.search(text) for text in texts)
        return frozenset((*(match[1] for match in matches if match), *(kernel.name for kernel in self.kernels)))

    def asked(self) -> set[str]:
        """Return the names that names of kernels and conditions may depend on and that the file does not define."""
        unit = self.work.unit
        places = [line.body for line in unit.directives if line.kind is DirectiveKind.CONDITION]
        places += [span for kernel in self.kernels for span in _types(kernel)]
        places += [span for name, at in unit.occurrences(self.names) if (span := self._arguments(at + len(name)))]
        places += [launch.brackets.arguments for launch in self.launched]
        found: set[str] = set()
        waiting = [word for span in places for word in self.words(span)]
        while waiting:
            name, at = waiting.pop()
            if name not in found:
                found.add(name)
                texts = (each.text for each in visible(self.definitions, name, at))
                waiting += [word for text in texts for word in self.words(text)]
        return {name for name in found if name not in self.definitions and not name.endswith(BASES)}

    def findings(self) -> Iterator[Diagnostic]:
        """Yield the findings of the file."""
        for kernel in self.kernels:
            yield from self._signature(kernel)
            yield from self._host_only(kernel)
        yield from self._instances(set(self.names))
        for launch in self.launched:
            yield from self._deduced(launch)

    def _host_only(self, kernel: Function) -> Iterator[Diagnostic]:
        """Report a kernel that no device compilation sees."""
        unit, both = self.work.unit, self.compilations
        alike = [unit.branch_at(each.node.start_byte) for each in self.kernels if each.name == kernel.name]
        seen = any(device.sees(branch) for device in both.devices for branch in alike)
        if not seen and both.host.sees(unit.branch_at(kernel.node.start_byte)):
            message = f"'{kernel.name}' is compiled for the host only: launching it fails, as no code object has it"
            advice = "Compile the kernel for the device, too; what differs belongs into its body."
            yield self.work.report(
                Span(kernel.node.start_byte, kernel.body.start_byte), "HP236", Severity.ERROR, message, advice
            )

    def _signature(self, kernel: Function) -> Iterator[Diagnostic]:
        unit, both = self.work.unit, self.compilations
        if not both.host.sees(unit.branch_at(kernel.node.start_byte)):
            return
        head = Span(kernel.node.start_byte, kernel.body.start_byte)
        if unit.directives_in(head) and any(both.texts((_parameters(kernel) or head,))):
            yield self._report(head, kernel.name, "the parameters")
            return
        known = template_parameters(self.work.unit, kernel.node)
        for span in (*_types(kernel), *_defaults(self.work, kernel.node)):
            if root := self.differing(span, known):
                yield self._report(span, kernel.name, root)
                return

    def _instances(self, names: set[str]) -> Iterator[Diagnostic]:
        """Report kernels, and templates of the host that launch them, with arguments that differ."""
        unit, done = self.work.unit, set[str]()
        for _ in range(_MOST_ROUNDS):
            fresh, names = names - done, set()
            done |= fresh
            for name, offset in unit.occurrences(frozenset(fresh)):
                span = self._arguments(offset + len(name))
                if span is None or not self._on_host(offset):
                    continue
                known = template_parameters(self.work.unit, unit.node_at(Span(offset, offset + len(name))))
                if root := self.differing(span, known):
                    yield self._report(span, name, root)
                elif any(word in known for word, _ in self.words(span)):
                    names |= self._owners(offset)

    def _arguments(self, position: int) -> Span | None:
        code = self.work.unit.code
        opening = skip_blanks(code, position)
        close = template_close(code, opening, len(code)) if code[opening : opening + 1] == "<" else None
        return Span(opening + 1, close) if close is not None and code[opening : opening + 2] != "<<" else None

    def _on_host(self, offset: int) -> bool:
        function = self.work.flow.function_at(offset)
        on_host = function is None or function.host
        return on_host and self.compilations.host.sees(self.work.unit.branch_at(offset))

    def _owners(self, offset: int) -> set[str]:
        """Return the names of the function and of the classes around a place."""
        function, unit = self.work.flow.function_at(offset), self.work.unit
        names = {function.name} if function is not None and not function.kernel else set()
        node = unit.node_at(Span(offset, offset + 1))
        while node is not None:
            name = node.child_by_field_name("name") if node.type in ("class_specifier", "struct_specifier") else None
            names |= {name.text.decode()} if name is not None and name.text else set()
            node = unit.parent(node)
        return names - {""}

    def _deduced(self, launch: Launch) -> Iterator[Diagnostic]:
        """Report arguments from which a kernel's template arguments are deduced and whose type differs."""
        unit = self.work.unit
        match = _LAST_NAME.search(unit.code, launch.kernel.start, launch.kernel.end)
        templates = {each.name for each in self.kernels if template_parameters(self.work.unit, each.node)}
        function = self.work.flow.function_at(launch.kernel.start)
        if match is None or match[1] not in templates or not self._on_host(launch.kernel.start):
            return
        known = template_parameters(self.work.unit, unit.node_at(launch.kernel))
        for word, at in self.words(launch.brackets.arguments):
            variable = function.variable(word, at) if function is not None else None
            is_type = any(each.is_type for each in visible(self.definitions, word, at)) and not word.endswith(BASES)
            root = self.differing(variable.type_place, known) if variable is not None else ""
            if root or (is_type and (root := self.root(word, at, known))):
                yield self._report(Span(at, at + len(word)), match[1], root)
                return

    def _report(self, span: Span, kernel: str, root: str) -> Diagnostic:
        places = [each.at for each in self.definitions.get(root, ())]
        line = f" (line {self.work.unit.source.position(places[0])[0]})" if places else ""
        what = f"{root}{line} depends" if root != "the parameters" else f"{root} depend"
        message = (
            f"host and device compile '{kernel}' under different names: {what} on a macro that only device code has"
        )
        return self.work.report(span, "HP236", Severity.ERROR, message, _ADVICE)


def _defaults(work: Work, node: Node) -> Iterator[Span]:
    """Yield the default arguments of a kernel's template parameters."""
    around = work.unit.parent(node)
    head = around.child_by_field_name("parameters") if around is not None else None
    if around is not None and around.type == "template_declaration" and head is not None:
        for part in split_arguments(work.unit.code, head.start_byte + 1, head.end_byte - 1):
            equals = work.unit.code.find("=", part.start, part.end)
            if equals >= 0:
                yield Span(equals + 1, part.end)


def _parameters(kernel: Function) -> Span | None:
    nodes = parameter_nodes(kernel.node)
    return Span(nodes[0].start_byte, kernel.body.start_byte) if nodes else None


def _types(kernel: Function) -> Iterable[Span]:
    """Yield the ranges of the types of a kernel's parameters."""
    for node in parameter_nodes(kernel.node):
        kind = node.child_by_field_name("type")
        if kind is not None:
            yield Span(kind.start_byte, kind.end_byte)
