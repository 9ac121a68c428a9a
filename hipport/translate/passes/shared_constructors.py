"""HP136: shared variables of classes whose default constructor nvcc does not call, which Clang rejects.

The constructor initializes, or is a host function. Such a variable becomes a reference to shared bytes: nothing is
constructed, as in CUDA. A constructor whose parameters all have defaults is a default constructor. Names of types are
followed through aliases, those of included files too, and so are macros that stand for `__shared__`: these are often
empty for other compilers, which keep the declaration.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = (frozenset({"__shared__", "__CUDACC__", "__NVCC__"}),)
"""Macros for `__shared__` are for files that several compilers take."""
_SHARED = "__shared__"
_SHARED_MACRO = re.compile(
    r"#[ \t]*define[ \t]+(?P<name>[A-Z][A-Z\d_]*)[ \t]+(?:static[ \t]+)?__shared__[ \t]*$", re.MULTILINE
)
_CLASS = re.compile(
    r"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?(?P<name>[A-Za-z_]\w*)\s*(?:<[^<>{};]*>\s*)?(?:final\s*)?[:{]"
)
_OPENING = re.compile(r"[({]")
_VALUE = re.compile(
    r"[;{}:]\s*(?!(?:static|constexpr|using|typedef|friend|enum|struct|class|union|template|public|private|protected)\b)"
    r"(?:[A-Za-z_][\w:]*(?:<[^;{}()=]*>)?[\s*&]+)+(?!operator\b)[A-Za-z_]\w*\s*(?:\[[^][]*\]\s*)*(?:=[^;]*|\{[^{}]*\}\s*);"
)
"""Matches a member with an initializer in a class without what is in inner braces."""
_MEMBER = re.compile(
    r"[;{}:]\s*(?P<static>static\s+)?(?:const\s+)?(?P<type>[A-Za-z_]\w*)(?:<[^;{}()=]*>)?\s+[A-Za-z_]\w*(?=\s*[\[;,])"
)
_CALLED = re.compile(r"\s*\(")
_INITIALIZING = re.compile(r"\s*(?:noexcept\s*)?(?::(?!:)|\{\s*[^\s}])")
_EMPTY = re.compile(r"\s*(?:noexcept\s*)?\{\s*\}")
_IN_CLASS = re.compile(r"[;{}:]\s*(?:inline\s+)?\Z")
"""Matches in front of a constructor without `__device__`, `constexpr` and macros."""
_DECLARING = re.compile(r"\s*(?:noexcept\s*)?;")
_QUALIFIER = r"(?:(?:[A-Za-z_]\w*)?\s*::\s*)*"
_ARGUMENTS = r"(?:<[^;{}()]*>)?"
_TYPE = rf"(?P<scope>{_QUALIFIER})(?P<type>[A-Za-z_]\w*)\s*{_ARGUMENTS}"
_VARIABLE = re.compile(
    r"\b(?P<shared>__shared__|[A-Z][A-Z\d_]+)\s+(?P<more>extern\s+)?(?:(?:__align__|alignas)\s*\([^()]*\)\s*|static\s+|volatile\s+)*"
    rf"{_TYPE}\s+(?P<name>[A-Za-z_]\w*)\s*(?=[\[;,])"
)
_SIZES = re.compile(r"(?P<sizes>(?:\s*\[[^][;{}]*\])*)\s*;")
_EIGEN = re.compile(r"\s*(?:::\s*)?Eigen\s*::")
_EIGEN_CLASSES = re.compile(
    r"Eigen_(?:Matrix|Array|(?:Row)?Vector|Quaternion|AngleAxis|Translation|Transform|Affine|Isometry|Rotation)\w*"
)
"""Matches Eigen's classes, with their namespace in front: their constructors have statements and initializers."""
_USES_EIGEN = re.compile(r"\busing\s+namespace\s+Eigen\s*;")
_USING = re.compile(rf"\busing\s+(?P<name>[A-Za-z_]\w*)\s*=\s*(?:typename\s+)?{_TYPE}\s*;")
_TYPEDEF = re.compile(rf"\btypedef\s+(?:struct\s+|class\s+)?{_TYPE}\s+(?P<name>[A-Za-z_]\w*)\s*;")
_MACRO = re.compile(
    r"#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]+"
    rf"(?P<scope>{_QUALIFIER})(?P<type>[A-Za-z_]\w*)\s*<[^;{{}}()\n]*>[ \t]*$",
    re.MULTILINE,
)
_BUILT_IN = re.compile(r"auto|bool|char|double|float|int|long|short|(?:un)?signed|void|size_t|u?int\d+_t")
_NOT_OF_PROJECT = re.compile(r"\s*(?:::\s*)?(?:thrust|cuda|cub|hip|hipcub|std)\s*::")
"""Matches the scopes of libraries: the default constructor of `thrust::complex<double>` is trivial."""
_BEFORE = 200
"""Characters in front of a place in which is looked for what it belongs to."""
_IS_EXTERN = re.compile(r"\bextern\s+\Z")
_IN_USE = re.compile(
    r"(?:[-+*/.>~=,(?&|!<]|\b(?:new|return|throw|case|else)|(?P<access>\b(?:public|private|protected)\s*)?:)\s*\Z"
)
"""Matches what stands in front of a call of a constructor, in front of a destructor's name, or an access specifier."""
_ADVICE = "Make the default constructor trivial (Zq() = default;), or declare bytes and use them as the type."


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Declare such variables as bytes, or report the declarations where that is not possible."""
    words = {_SHARED, *_shared_macros(work.unit)}
    words |= {fact.subject for fact in work.facts(Kind.ALIAS) if fact.value == _SHARED}
    if is_hip(work) or words.isdisjoint(work.unit.words):
        return
    known = {fact.subject for fact in work.facts(Kind.INITIALIZES)} | _classes(work.unit)
    aliases = {fact.subject: fact.value for fact in work.facts(Kind.ALIAS)} | dict(_aliases(work.unit))
    for match in _VARIABLE.finditer(work.unit.code):
        if match["shared"] not in words:
            continue
        name = _meant(_named(work.unit, match["scope"], match["type"]), aliases)
        is_extern = match["more"] or _IS_EXTERN.search(work.unit.code, max(0, match.start() - 64), match.start())
        if is_extern or (name not in known and not _EIGEN_CLASSES.fullmatch(name)):
            continue
        if not _NOT_OF_PROJECT.match(match["scope"]) and platform_at(work.unit, match.start()) is not Platform.NVIDIA:
            yield from _declared(work, match, name)


def _declared(work: Work, match: re.Match[str], name: str) -> Iterator[Edit | Diagnostic]:
    """Yield the edit for a declaration, and the finding."""
    type_, span = match["type"], Span(match.start("type"), match.end("type"))
    full = name.replace("Eigen_", "Eigen::")
    what = f"the default constructor of {type_ if full.endswith(type_) else f'{type_}, which is {full},'}"
    edit = _as_bytes(work, match)
    if edit is None:
        message = f"{what} initializes or is a host function, which Clang rejects for shared variables"
        yield work.report(span, "HP136", Severity.ERROR, message, _ADVICE)
    else:
        yield edit
        message = f"{what} initializes or is a host function, which nvcc ignores: {match['name']} is declared as bytes"
        yield work.report(span, "HP136", Severity.NOTE, message, "Nothing initializes shared memory.")


def _as_bytes(work: Work, match: re.Match[str]) -> Replace | None:
    """Return the edit that declares bytes and a reference to them; None if there are more variables or CUDA's names."""
    code, name = work.unit.code, match["name"]
    rest = _SIZES.match(code, match.end("name"))
    if rest is None or work.unit.has_directive(Span(match.start(), rest.end())):
        return None
    span = Span(match.start("scope"), rest.end())
    if any(span.start <= found.span.start < span.end for found in work.references.found):
        return None
    type_, sizes = code[match.start("scope") : match.start("name")].strip(), rest["sizes"].strip()
    whole = f"{type_}{sizes}"
    reference = f"{type_}(&{name}){sizes}" if sizes else f"{type_}& {name}"
    cast = f"reinterpret_cast<{type_}(&){sizes}>" if sizes else f"reinterpret_cast<{type_}&>"
    aligned = "" if "align" in code[match.start() : match.start("scope")] else f"__align__(alignof({type_})) "
    text = f"{aligned}unsigned char {name}_bytes[sizeof({whole})]; {reference} = {cast}({name}_bytes);"
    if match["shared"] == _SHARED:
        return Replace(span.start, span.end, text)
    kept, newline = code[match.start() : rest.end()], work.unit.source.newline
    lines = ["", "#ifdef __HIPCC__", f"{match['shared']} {text}", "#else", kept, "#endif", ""]
    return Replace(match.start(), rest.end(), newline.join(lines))


def _named(unit: Unit, scope: str, name: str) -> str:
    """Return the name of a class; one of Eigen's has `Eigen_` in front."""
    in_eigen = _EIGEN.match(scope) or (not scope.strip() and _USES_EIGEN.search(unit.code))
    return f"Eigen_{name}" if in_eigen and _EIGEN_CLASSES.fullmatch(f"Eigen_{name}") else name


def facts(work: Work) -> Iterator[str]:
    """Yield the classes whose default constructor initializes something."""
    yield from (str(Fact(Kind.INITIALIZES, name)) for name in _classes(work.unit))


def alias_facts(work: Work) -> Iterator[str]:
    """Yield the aliases of classes at the scope of the file or of a namespace, and macros for `__shared__`."""
    yield from (str(Fact(Kind.ALIAS, *each)) for each in _aliases(work.unit))
    yield from (str(Fact(Kind.ALIAS, name, _SHARED)) for name in _shared_macros(work.unit))


def asked(work: Work) -> Iterator[str]:
    """Yield the types of shared variables, their aliases, and words that may stand for `__shared__`."""
    aliases = dict(_aliases(work.unit))
    found = [*_VARIABLE.finditer(work.unit.code)]
    yield from (question(Kind.ALIAS, word) for word in {match["shared"] for match in found} - {_SHARED})
    for name in {_named(work.unit, match["scope"], match["type"]) for match in found}:
        for each in (name, _meant(name, aliases)):
            yield each
            yield question(Kind.ALIAS, each)


def _shared_macros(unit: Unit) -> Iterator[str]:
    """Yield the macros of the file that stand for `__shared__`."""
    if _SHARED in unit.words:
        yield from (match["name"] for match in _SHARED_MACRO.finditer(unit.code))


def _meant(name: str, aliases: dict[str, str]) -> str:
    """Return the type that a name stands for through all aliases."""
    seen: set[str] = set()
    while name in aliases and name not in seen:
        seen.add(name)
        name = aliases[name]
    return name


def _aliases(unit: Unit) -> Iterator[tuple[str, str]]:
    """Yield the names of aliases outside of classes, and the last names of the types."""
    for match in (found for pattern in (_USING, _TYPEDEF, _MACRO) for found in pattern.finditer(unit.code)):
        name, whole = match["name"], match["scope"]
        target = _named(unit, whole, match["type"])
        if (
            name == target
            or _BUILT_IN.fullmatch(target)
            or _NOT_OF_PROJECT.match(whole)
            or _is_in_class(unit, match.start())
        ):
            continue
        yield name, target


_OPENS_NAMESPACE = re.compile(r"\bnamespace\b[^;{}()]*\Z|\bextern\s*\"[^\"]*\"\s*\Z")


def _is_in_class(unit: Unit, offset: int) -> bool:
    around = unit.braces.around(Span(offset, offset + 1))
    return (
        around is not None
        and unit.code[around.start] == "{"
        and not _OPENS_NAMESPACE.search(unit.code, max(0, around.start - _BEFORE), around.start)
    )


def _classes(unit: Unit) -> frozenset[str]:
    """Return the classes whose default construction initializes something: by a constructor, a member or a base."""
    bodies = {match["name"]: _body(unit.code, match) for match in _CLASS.finditer(unit.code)}
    found = {name for name, body in bodies.items() if _VALUE.search(body)}
    found |= _initializing(unit, bodies.keys() - found)
    while more := {name for name in bodies.keys() - found if _consists_of(bodies[name], found)}:
        found |= more
    return frozenset(found)


def _body(code: str, match: re.Match[str]) -> str:
    """Return a class from its bases on, with nothing inside of inner braces and parentheses."""
    opening = code.find("{", match.end() - 1)
    close = matching_close(code, opening) if opening >= 0 else None
    if close is None:
        return ""
    parts, position = [code[match.end() - 1 : opening + 1]], opening + 1
    for inner in _OPENING.finditer(code, opening + 1, close):
        if inner.start() >= position:
            parts.append(code[position : inner.end()])
            position = matching_close(code, inner.start()) or close
    return "".join((*parts, code[position:close]))


def _consists_of(body: str, known: set[str]) -> bool:
    """Return whether a class has one of some others as a base or as a member."""
    bases, _, members = body.partition("{")
    if not known.isdisjoint(re.findall(r"[A-Za-z_]\w*", bases)):
        return True
    return any(match["type"] in known and not match["static"] for match in _MEMBER.finditer(f"{{{members}"))


def _initializing(unit: Unit, names: Set[str]) -> set[str]:
    """Return the classes that have such a constructor in their bodies, or declare one that is defined behind it."""
    found: set[str] = set()
    counts: dict[str, set[int]] = {}
    for name, offset in unit.occurrences(names):
        called = None if name in found else _CALLED.match(unit.code, offset + len(name))
        if called is not None and _is_initializing(unit.code, offset, called.end() - 1, counts.setdefault(name, set())):
            found.add(name)
    return found


def _is_initializing(code: str, offset: int, opening: int, counts: set[int]) -> bool:
    """Return whether the constructor that may be at an offset initializes.

    `counts` are the numbers of parameters of the default constructors that are declared before it; one is added.
    """
    close = matching_close(code, opening)
    if close is None:
        return False
    name = code[offset:opening].rstrip()
    parameters = [code[each.start : each.end].strip() for each in split_arguments(code, opening + 1, close)]
    parameters = [] if parameters in ([""], ["void"]) else parameters
    outside = _OUTSIDE.search(code, max(0, offset - _BEFORE), offset)
    if outside is not None and outside["name"] == name and len(parameters) in counts:
        return _INITIALIZING.match(code, close + 1) is not None
    if not all("=" in each for each in parameters) or _is_use(code, offset):
        return False
    if _DECLARING.match(code, close + 1):
        counts.add(len(parameters))
    return _INITIALIZING.match(code, close + 1) is not None or _is_for_host(code, offset, close)


def _is_for_host(code: str, offset: int, close: int) -> bool:
    """Return whether a constructor with an empty body is a host function, which HIP's compilers cannot call."""
    front = _IN_CLASS.search(code, max(0, offset - _BEFORE), offset)
    return front is not None and _EMPTY.match(code, close + 1) is not None


def _is_use(code: str, offset: int) -> bool:
    before = _IN_USE.search(code, max(0, offset - _BEFORE), offset)
    return before is not None and before["access"] is None


_OUTSIDE = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*(?:<[^;{}()]*>)?\s*::\s*\Z")
