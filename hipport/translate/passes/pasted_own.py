"""A project's names that macros paste around CUDA's: `my_##f` where a list gives `cudaMalloc`.

The list then gives `hipMalloc`, so that the macro makes `my_hipMalloc`: what spells the name, `my_cudaMalloc`, or
pastes it of other parts, `my_cuda##f`, is renamed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.pasted_fronts import translated
from hipport.translate.syntax.lexer import Directive, DirectiveKind, parameters
from hipport.translate.syntax.macro_uses import uses
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_CHAIN = re.compile(r"(?<!#)\b\w+(?:\s*##\s*\w+)+(?!\s*##)")
_PARTS = re.compile(r"\w+")
_BEGINNING = re.compile("cu|CU")
_UNDERSCORE = re.compile("_")
_Chain = tuple[Directive, Span, list[str], list[dict[str, str]]]
_ADVICE = "Pass whole names to the macro."


def run_on_macros(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rename what is spelled, in this file or where another one pastes it, and report what cannot be renamed."""
    chains = [*_chains(work)] if "##" in work.unit.code else []
    for line, span, parts, given in chains:
        scoped = sorted(name for name in _made(work, parts, given).values() if "::" in name)
        if scoped:
            message = f"{line.name} pastes {scoped[0]} of parts, which is no name"
            yield work.report(span, "HP112", Severity.ERROR, message, _ADVICE)
    renamed = {each.subject: each.value for each in work.facts(Kind.PASTED)} | _renamed(work, chains)
    if not renamed:
        return
    for name, offset in work.unit.occurrences(frozenset(renamed)):
        yield Replace(offset, offset + len(name), renamed[name])
    for line, span, parts, given in chains:
        yield from _of_other_parts(work, line, span, parts, given, renamed)


def facts(work: Work) -> Iterator[str]:
    """Yield the names of the project that macros of the file make, with what they make after the translation."""
    if "##" in work.unit.code and not is_hip(work):
        renamed = _renamed(work, [*_chains(work)])
        yield from (str(Fact(Kind.PASTED, old, new)) for old, new in renamed.items())


def asked(work: Work) -> Iterator[str]:
    """Yield the words of a file that a macro of another one may make around a name of CUDA."""
    names = work.context.tables.names
    for word in work.unit.words:
        if "cu" in word.lower() and word not in names and any(part in names for part in _within(word)):
            yield question(Kind.PASTED, word)


def _within(word: str) -> Iterator[str]:
    """Yield the endings of a word that may be a name of CUDA, and the beginnings in front of an underscore."""
    for match in _BEGINNING.finditer(word, 1):
        yield word[match.start() :]
    for match in _UNDERSCORE.finditer(word, 1):
        yield word[: match.start()]


def _renamed(work: Work, chains: list[_Chain]) -> dict[str, str]:
    made = (_made(work, parts, given) for _, _, parts, given in chains)
    return {old: new for names in made for old, new in names.items() if "::" not in new}


def _chains(work: Work) -> Iterator[_Chain]:
    """Yield what each macro pastes: its line, the place, the parts and what the uses of the macro give for them."""
    unit = work.unit
    for line in unit.directives:
        if line.kind is not DirectiveKind.DEFINE or platform_at(unit, line.span.start) is Platform.NVIDIA:
            continue
        named = parameters(unit.code[line.span.start : line.body.start])
        found = [*_CHAIN.finditer(unit.code, line.body.start, line.body.end)] if named else []
        given = [*uses(unit, line, named)] if found else []
        for match in found:
            parts = _PARTS.findall(match[0])
            if any(part in named for part in parts):
                yield line, Span(*match.span()), parts, given


def _made(work: Work, parts: list[str], given: list[dict[str, str]]) -> dict[str, str]:
    """Return the names of the project that a macro makes, each with what it makes after the translation."""
    found = dict[str, str]()
    for words in given:
        old = [words.get(part, part) for part in parts]
        new = [translated(work, words[part]) if part in words else part for part in parts]
        name = "".join(old)
        if old != new and name not in work.context.tables.names:
            found[name] = "".join(new)
    return found


def _of_other_parts(
    work: Work, line: Directive, span: Span, parts: list[str], given: list[dict[str, str]], renamed: Mapping[str, str]
) -> Iterator[Edit | Diagnostic]:
    """Rename the part in front of a macro that makes renamed names of parts which stay as they are."""
    made = ["".join(words.get(part, part) for part in parts) for words in given]
    kept = ["".join(translated(work, words[p]) if p in words else p for p in parts) for words in given]
    lost = {name for name, new in zip(made, kept, strict=True) if renamed.get(name, new) != new}
    if not lost:
        return
    rests = ["".join(words.get(part, part) for part in parts[1:]) for words in given]
    fronts = {
        renamed[name].removesuffix(rest) if renamed.get(name, "").endswith(rest) else ""
        for name, rest in zip(made, rests, strict=True)
    }
    if len(fronts) == 1 and "" not in fronts and not any(parts[0] in words for words in given):
        yield Replace(span.start, span.start + len(parts[0]), fronts.pop())
        return
    message = f"{line.name} makes {min(lost)} of parts, which is {renamed[min(lost)]} after the translation"
    yield work.report(span, "HP112", Severity.ERROR, message, _ADVICE)
