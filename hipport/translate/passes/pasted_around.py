"""Names that macros paste around a parameter: `__shfl_##kind##_sync`, `library##Handle_t`.

What is given for a parameter in front is replaced; other names of HIP cannot be made this way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Span
from hipport.translate.passes import cross_lane, pasted_fronts
from hipport.translate.syntax.lexer import Directive, DirectiveKind, parameters
from hipport.translate.syntax.macro_uses import uses
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_CHAIN = re.compile(r"(?<!#)\b\w+(?:\s*##\s*\w+)+(?!\s*##)")
_BEGINNING = re.compile(r"(?:cu|CU|nccl|nvrtc|nvml)(?!\w*_t\b)")
"""Matches how names begin that are translated by their beginning."""
_ARGUMENTS = frozenset(["cuda", "cu", "cublas", "cufft", "curand", "cusparse", "cusolver", "cusolverDn", "cudnn"])
"""Beginnings that are translated where they are arguments: `CAT(cuda, Malloc)`."""
_LIBRARIES = _ARGUMENTS - {"cuda", "cu", "cudnn"}
_LIBRARY = re.compile(r"\b([A-Z][A-Z0-9_]*)\s*\(\s*(cublas|cufft|curand|cusparse|cusolver(?:Dn)?)\s*\)")
_PARTS = re.compile(r"\w+")
_BUILT_IN = "__nv_is_"
"""How traits of the compiler begin, which no macro makes: `NAME##_type` is no such name."""
_FEWEST = 5
"""Characters that a macro must give by itself, if no use of it is in the file."""
_ADVICE = "Pass whole names to the macro."


def run_on_macros(work: Work) -> Iterator[Edit | Diagnostic]:
    """Replace arguments that are the beginnings of names, and report other names that the translation would change."""
    if cross_lane.is_hip(work):
        return
    done: dict[int, Edit] = {}
    for line in work.unit.directives:
        if line.kind is DirectiveKind.DEFINE and platform_at(work.unit, line.span.start) is not Platform.NVIDIA:
            for found in _defined(work, line):
                if isinstance(found, Diagnostic):
                    yield found
                else:
                    yield from _once(work, line, found, done)
    yield from _of_other_files(work)


def _once(work: Work, line: Directive, edit: Edit, done: dict[int, Edit]) -> Iterator[Edit | Diagnostic]:
    """Yield an edit unless another definition of the macro needs the same; report it if that needs another one."""
    if edit.start not in done:
        done[edit.start] = edit
        yield edit
    elif done[edit.start] != edit:
        message = f"the definitions of {line.name} make names that begin differently in HIP"
        yield work.report(Span(edit.start, edit.end), "HP112", Severity.ERROR, message, _ADVICE)


def _defined(work: Work, line: Directive) -> Iterator[Edit | Diagnostic]:
    named = parameters(work.unit.code[line.span.start : line.body.start])
    chains = list[tuple[re.Match[str], list[str]]]()
    for match in _CHAIN.finditer(work.unit.code, line.body.start, line.body.end):
        parts = _PARTS.findall(match[0])
        if not _BEGINNING.match(parts[0]) and any(part in named for part in parts):
            chains.append((match, parts))
    given = [*uses(work.unit, line, named)] if chains else []
    fronts = pasted_fronts.of_macro(work, line, named, [parts for _, parts in chains], given)
    for front in fronts:
        yield from front.edits
    for match, parts in chains:
        yield from _chain(work, line, match, parts, named, given, {(each.parameter, each.word) for each in fronts})


def _chain(
    work: Work,
    line: Directive,
    match: re.Match[str],
    parts: list[str],
    named: list[str],
    given: list[dict[str, str]],
    translated: set[tuple[str, str]],
) -> Iterator[Diagnostic]:
    """Report the names that a chain makes and that are not translated."""
    pasted = [
        [words.get(part, part) for part in parts]
        for words in given
        if (parts[0], words.get(parts[0], "")) not in translated
    ]
    whole = work.unit.code[line.body.start : line.body.end].strip() == match[0]
    made = {"".join(words) for words in pasted if not _is_argument(work, named, words, whole=whole)}
    lost = sorted(name for name in made if _is_changed(work, name))
    if not given:
        lost = _fitting(work, [part if part not in named else "" for part in parts])
    if lost:
        message = f"{line.name} makes {', '.join(lost[:3])} of parts, which are not translated"
        yield work.report(Span(*match.span()), "HP112", Severity.ERROR, message, _ADVICE)


def _is_argument(work: Work, named: list[str], words: list[str], *, whole: bool) -> bool:
    """Return whether a name is made as in `CAT(cuda, Malloc)`, whose first argument is translated, or right as it is.

    `whole`: the macro does nothing but paste these words.
    """
    if _is_same(work, words):
        return True
    if len(named) != 2 or len(words) != 2 or "".join(words) not in work.context.tables.names:
        return False
    if words[0] in _ARGUMENTS:
        return True
    given = whole and words[0].startswith("cu")
    return given and re.search(rf"\w\s*\(\s*{words[0]}\s*,", work.unit.code) is not None


def _is_same(work: Work, words: list[str]) -> bool:
    """Return whether the parts make HIP's name after the words among them that are names were translated."""
    entry = work.context.tables.names.get("".join(words))
    if entry is None or entry.hip is None:
        return False
    return "".join(pasted_fronts.translated(work, word) for word in words) == entry.hip.name


def _of_other_files(work: Work) -> Iterator[Diagnostic]:
    """Report libraries that are arguments of macros of other files: `HANDLE(cublas)`."""
    macros = {line.name for line in work.unit.directives if line.kind is DirectiveKind.DEFINE}
    for match in _LIBRARY.finditer(work.unit.code) if not work.unit.words.isdisjoint(_LIBRARIES) else ():
        if match[1] not in macros and work.unit.directive_at(match.start()) is None:
            message = f"{match[1]} of another file may make names of {match[2]}, which are not translated"
            yield work.report(Span(*match.span(2)), "HP112", Severity.WARNING, message, _ADVICE)


def _is_changed(work: Work, name: str) -> bool:
    """Return whether a name of CUDA has another one in HIP, or none."""
    entry = work.context.tables.names.get(name)
    if entry is None or entry.ordinary or name in work.own_names:
        return False
    return entry.hip is None or entry.hip.name != name or name in cross_lane.JUDGED


def _fitting(work: Work, fixed: list[str]) -> list[str]:
    """Return names that a macro can make, if all that it can make change; used by other files."""
    if len("".join(fixed)) < _FEWEST:
        return []
    texts = ["".join(run) for _, run in itertools.groupby(fixed, bool)]
    pattern = re.build("".join(text or r"\w+" for text in texts))
    known = work.context.tables.containing(max(texts, key=len))
    fits = [name for name in known if pattern.fullmatch(name) and not name.startswith(_BUILT_IN)]
    return sorted(fits) if fits and all(_is_changed(work, name) for name in fits) else []
