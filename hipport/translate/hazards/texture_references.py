"""HP214: texture and surface references."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks, skip_blanks_back, template_close
from hipport.translate.work import Work

WORDS = frozenset({"texture", "surface", "textureReference", "surfaceReference"})
_TEMPLATES = frozenset({"texture", "surface"})
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*[;=,({]")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report `texture<float, 2> name;` and `surface<void, 2> name;`, each name once: parameters repeat it."""
    code = work.unit.code
    done: set[str] = set()
    for name, offset in work.unit.occurrences(WORDS & _TEMPLATES):
        start = offset + len(name)
        opening = skip_blanks(code, start)
        if not code.startswith("<", opening):
            continue
        close = template_close(code, opening, len(code))
        match = _NAME.match(code, close + 1) if close is not None else None
        if match is None or match[1] in done:
            continue
        if not code.endswith(("::", "class", "struct"), 0, skip_blanks_back(code, offset)):
            done.add(match[1])
            yield _report(work, name, Span(offset, start), match[1])


def _report(work: Work, kind: str, span: Span, variable: str) -> Diagnostic:
    message = f"'{variable}' is a {kind} reference, which CUDA 12 removed and HIP deprecates or lacks"
    advice = f"Use a {kind} object (cudaCreate{kind.capitalize()}Object) and pass it to the kernel."
    severity = Severity.WARNING if kind == "texture" else Severity.ERROR
    return work.report(span, "HP214", severity, message, advice)
