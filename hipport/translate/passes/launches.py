"""Kernel launches: `k<<<g, b>>>(x)` becomes `hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, x)`.

`hipLaunchKernelGGL` is a macro that expands to a statement. Where a launch is (part of) an expression, or the
configuration is a macro that expands to several arguments, HIP's own `<<<>>>` is kept. HIP's compilers take no pack
there: `k<<<xs...>>>(x)` becomes a lambda with the arguments of a configuration, which is called with `xs...`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.syntax.brackets import has_bare_comma, matching_close
from hipport.translate.syntax.calls import Launch, in_device_code, launches, may_split
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_DIM3 = re.compile(r"dim3\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED_MACRO = re.compile(r"[A-Z][A-Z0-9_]+\s*\(.*\)", re.DOTALL)
"""Matches what looks like the call of a macro, maybe of another file."""
_REST = re.compile(r"(?:([A-Za-z_]\w*)\s*|[(,]\s*)\.\.\.")
"""Matches the last parameter of a macro that takes any number of arguments: `...` or `rest...`."""
_BRACED = re.compile(r"(?:dim3\s*)?\{")
_INNER_BLANKS = re.compile(r"(?<=\S)[ \t]+(?=\S)|(?<=\S)[ \t]{2,}\Z")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rewrite every launch of the unit in the style set by the options."""
    for launch in launches(work.unit):
        if not isinstance(launch, Launch):
            yield work.report(
                launch.open,
                "HP105",
                Severity.WARNING,
                "no kernel recognized before this <<<; the launch is left unchanged",
                "HIP accepts <<<>>>. If the launch does not compile, rewrite it by hand.",
            )
        elif launch.in_kernel:
            yield _by_device(work, launch.kernel)
        elif any(work.unit.code[each.start : each.end].endswith("...") for each in launch.configuration):
            yield from _of_pack(work, launch)
        elif work.context.options.launch == "chevron" or not _fits_macro(work.unit, launch):
            yield from _in_expression(work.unit, launch)
        else:
            yield from _call(work.unit, launch)
    if work.unit.launches and work.unit.shadow.device_words:
        yield from _by_macros(work)


def _in_expression(unit: Unit, launch: Launch) -> Iterator[Edit]:
    """Yield the edits to a launch that keeps its brackets."""
    if not unit.words.isdisjoint({"noexcept", "decltype"}):
        from hipport.translate.passes import launch_operands

        yield from launch_operands.edits(unit, launch)
        if launch_operands.becomes_call(unit, launch):
            return
    yield from _joined_brackets(launch)


def _by_device(work: Work, span: Span) -> Diagnostic:
    message = "HIP cannot launch a kernel from device code (dynamic parallelism)"
    advice = "Launch it from the host, or make the kernel a device function that the parent calls in a loop."
    return work.report(span, "HP103", Severity.ERROR, message, advice)


def _by_macros(work: Work) -> Iterator[Diagnostic]:
    """Report macros that launch kernels, or use such a macro, where device code uses them."""
    unit = work.unit
    lines = [line for line in unit.directives if line.kind is DirectiveKind.DEFINE]
    found = {line.name for launch in unit.launches if (line := unit.directive_at(launch.open.start)) in lines and line}
    while found:
        bodies = ((line.name, _NAME.findall(unit.code, line.body.start, line.body.end)) for line in lines)
        more = {name for name, words in bodies if name not in found and not found.isdisjoint(words)}
        if not more:
            break
        found |= more
    for name, offset in unit.occurrences(found):
        span = Span(offset, offset + len(name))
        if unit.directive_at(offset) is None and in_device_code(unit, span):
            yield _by_device(work, span)


def _fits_macro(unit: Unit, launch: Launch) -> bool:
    """Return whether a launch can become the macro: a statement, 2 to 4 arguments, no preprocessor lines inside."""
    if not launch.statement or not 2 <= len(launch.configuration) <= 4:
        return False
    block = launch.configuration[1]
    if unit.code[block.start : block.end] == "0" or any(_may_be_several(unit, each) for each in launch.configuration):
        return False  # 0 threads: what stands in front of them is grid and block
    return not unit.has_directive(Span(launch.kernel.start, launch.brackets.arguments.end))


def _may_be_several(unit: Unit, value: Span) -> bool:
    """Return whether a macro may expand to several arguments, such as grid and block: `GRID(n, 64)`."""
    text = unit.code[value.start : value.end]
    name = _NAME.match(text)
    if _takes_rest(unit, value) or name is None:
        return _takes_rest(unit, value)
    bodies = _bodies(unit, name[0])
    if bodies:
        return any(has_bare_comma(unit.code, body) for body in bodies)
    return _CALLED_MACRO.fullmatch(text) is not None


def _bodies(unit: Unit, name: str) -> list[Span]:
    """Return what a macro stands for in the file, by other macros, too: `#define SIZES PAIR`."""
    found, names = list[Span](), [name]
    for each in names:
        bodies = unit.macros.get(each, ())
        found.extend(bodies)
        inner = (unit.code[body.start : body.end].strip() for body in bodies)
        names.extend(word for word in inner if word in unit.macros and word not in names)
    return found


def _takes_rest(unit: Unit, value: Span) -> bool:
    """Return whether a value in a macro has the macro's rest of arguments, `##__VA_ARGS__`, outside a `dim3(...)`."""
    line = unit.directive_at(value.start)
    if line is None or line.kind is not DirectiveKind.DEFINE:
        return False
    rest = _REST.search(unit.code, line.span.start, line.body.start)
    text = unit.code[value.start : value.end]
    if rest is None or not {rest[1] or "__VA_ARGS__", "__VA_OPT__"} & {*_NAME.findall(text)}:
        return False
    opening = _DIM3.match(text) or _BRACED.match(text)
    return opening is None or matching_close(text, opening.end() - 1) != len(text) - 1


def _joined_brackets(launch: Launch) -> Iterator[Edit]:
    """Join `<< <` and `>> >`, as split by formatters, since compilers do not accept them."""
    for span, brackets in ((launch.brackets.open, "<<<"), (launch.brackets.close, ">>>")):
        if span.end - span.start != len(brackets):
            yield Replace(span.start, span.end, brackets)


_PARAMETERS = "dim3 hip_grid, dim3 hip_block, size_t hip_shared = 0, hipStream_t hip_stream = nullptr"
_VALUES = "hip_grid, hip_block, hip_shared, hip_stream"


def _of_pack(work: Work, launch: Launch) -> Iterator[Edit | Diagnostic]:
    """Write a lambda that launches, and call it with the configuration."""
    unit, brackets = work.unit, launch.brackets
    configuration = Span(brackets.open.end, brackets.close.start)
    used = any(configuration.start <= each.span.start < configuration.end for each in work.references.found)
    if used or unit.has_directive(Span(launch.kernel.start, brackets.arguments.end)):
        message = "HIP's compilers accept no parameter pack as a launch configuration; the launch is left unchanged"
        advice = "Name the grid, the block, the shared memory and the stream in the launch."
        yield work.report(brackets.open, "HP105", Severity.ERROR, message, advice)
        return
    ggl = work.context.options.launch != "chevron"
    opening, closing = brackets.arguments.start, brackets.arguments.end
    call = "hipLaunchKernelGGL(" if ggl else ""
    yield Wrap(
        launch.kernel.start, closing, f"[&]({_PARAMETERS}) {{ {call}", f"; }}({unit.original(configuration).strip()})"
    )
    if ggl and may_split(unit, launch.kernel):
        yield Wrap(launch.kernel.start, launch.kernel.end, "HIP_KERNEL_NAME(", ")")
    inner = f", {_VALUES}{', ' if launch.has_arguments else ''}" if ggl else f"<<<{_VALUES}>>>("
    yield Replace(launch.kernel.end, opening + 1, inner, whole=True)


def _call(unit: Unit, launch: Launch) -> Iterator[Edit]:
    kernel, configuration = launch.kernel, launch.configuration
    yield Replace(kernel.start, kernel.start, "hipLaunchKernelGGL(")
    if may_split(unit, kernel):
        yield Wrap(kernel.start, kernel.end, "HIP_KERNEL_NAME(", ")")
    yield from _punctuate(unit, kernel.end, ",", (launch.brackets.open,))
    for dimension in configuration[:2]:
        yield from _dim3(unit.code, dimension)
    for value in configuration[2:]:
        if has_bare_comma(unit.code, value):
            yield Wrap(value.start, value.end, "(", ")")
    opening = launch.brackets.arguments.start
    defaults = ", 0" * (4 - len(configuration)) + ("," if launch.has_arguments else "")
    yield from _punctuate(unit, configuration[-1].end, defaults, (launch.brackets.close, Span(opening, opening + 1)))


def _punctuate(unit: Unit, end: int, text: str, brackets: tuple[Span, ...]) -> Iterator[Edit]:
    """Insert `text` right after `end` and remove the brackets; comments and line ends are kept."""
    source = unit.source.text
    rest, position = "", end
    for bracket in brackets:
        rest += source[position : bracket.start].decode("utf-8", "surrogateescape")
        position = _skip_spaces(source, bracket.end)
    rest = _INNER_BLANKS.sub(" ", rest)
    if source[position : position + 1] in (b"\r", b"\n", b")"):
        rest = rest.rstrip(" \t")
    elif not rest[-1:].isspace():
        rest += " "
    if rest and not rest[0].isspace():
        rest = " " + rest
    yield Replace(end, position, text + rest)


def _skip_spaces(source: bytes, position: int) -> int:
    while source[position : position + 1] in (b" ", b"\t"):
        position += 1
    return position


def _dim3(code: str, value: Span) -> Iterator[Edit]:
    """Turn `8` into `dim3(8)`, `{8, 4}` and `dim3{8, 4}` into `dim3(8, 4)`; keep `dim3(8)`."""
    text = code[value.start : value.end]
    if match := _DIM3.match(text):
        if matching_close(text, match.end() - 1) == len(text) - 1:
            return
    elif (match := _BRACED.match(text)) and matching_close(text, match.end() - 1) == len(text) - 1:
        yield Replace(value.start, value.start + match.end(), "dim3(")
        yield Replace(value.end - 1, value.end, ")")
        return
    yield Wrap(value.start, value.end, "dim3(", ")")
