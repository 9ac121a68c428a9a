"""Resolution of CUDA names: which occurrences mean the CUDA entity."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, facts_of
from hipport.mappings.entry import Entry
from hipport.mappings.loader import Tables
from hipport.source import Span
from hipport.translate.meanings import NOTHING_KNOWN, Meanings
from hipport.translate.own_names import Substitute, own_definitions
from hipport.translate.syntax.argument_lookup import counts_of, finds_own, has_other_count
from hipport.translate.syntax.brackets import ends_template_head, skip_blanks, skip_blanks_back
from hipport.translate.syntax.definitions import Definition
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.named_scopes import is_brought_in, owner_of
from hipport.translate.syntax.nesting import Nested
from hipport.translate.syntax.trailing import is_trailing_return
from hipport.translate.syntax.unit import Unit

KINDS = frozenset({Kind.NAME, Kind.SCOPED, Kind.OPENS, Kind.BROUGHT, Kind.WITHOUT_CUDA})
"""The kinds of facts of other files on which references depend."""


class Reference(Struct, frozen=True):
    """A place where a CUDA name means the CUDA entity."""

    entry: Entry
    span: Span


class References(Struct, frozen=True):
    """A unit's references to the CUDA names in the tables.

    `used`: those names as they occur in the code, whatever they mean there; `exported`: those that the unit itself
    defines visibly to its includers: `NAME`, `NAME@SCOPE` in a namespace or class, `NAME@=SCOPE` where that only
    brings in the CUDA entity. `substitutes` are the places where the unit defines a name for builds without CUDA's.
    """

    found: tuple[Reference, ...]
    used: frozenset[str]
    exported: frozenset[str]
    substitutes: tuple[Reference, ...] = ()

    def mean_the_same(self, others: References) -> bool:
        """Return whether both find the same uses of CUDA's names, whatever the unit exports."""
        return (self.found, self.used, self.substitutes) == (others.found, others.used, others.substitutes)


def resolve(unit: Unit, tables: Tables, foreign: frozenset[str], meanings: Meanings = NOTHING_KNOWN) -> References:
    """Find the references of a unit to CUDA names.

    `foreign` are names that files included by this one define themselves. `meanings` is what libclang knows; syntax
    decides where libclang has no answer.
    """
    places = unit.occurrences(tables.active)
    brought = _brought_in(unit, places) | {str(each) for each in facts_of(foreign, Kind.BROUGHT, Kind.SAYS)}
    candidates = [place for place in places if may_mean_cuda(unit, place[0], place[1], tables, brought)]
    own, substitutes = own_definitions(unit, candidates, tables, foreign | brought)
    renamed = (each for each in substitutes if each.owner and each.is_renamed)
    if scoped := {_brought(each.entry.name, each.owner) for each in renamed} - brought:
        brought |= scoped
        candidates = [place for place in places if may_mean_cuda(unit, place[0], place[1], tables, brought)]
    by_syntax = _by_syntax(unit, places, candidates, own, foreign)
    kept = _kept(unit, substitutes)
    found = tuple(
        Reference(tables.names[name], Span(offset, offset + len(name)))
        for name, offset in places
        if offset not in kept and _means_cuda(name, offset, meanings, tables, foreign, by_syntax=offset in by_syntax)
    )
    used = frozenset(name for name, _ in places)
    exported = frozenset(_exported(own)) | brought - foreign
    return References(found, used, exported, tuple(Reference(each.entry, each.span) for each in substitutes))


def _by_syntax(
    unit: Unit,
    places: Sequence[tuple[str, int]],
    candidates: Sequence[tuple[str, int]],
    own: Mapping[str, Sequence[Definition]],
    foreign: frozenset[str],
) -> set[int]:
    """Return the places among the candidates where a name means CUDA's entity as far as syntax tells.

    Those are outside the scopes of the unit's own definitions, or in their bodies where these call CUDA's function.
    """
    scopes = {name: _scopes(definitions) for name, definitions in own.items()}
    owners = {name: frozenset(each.owner for each in definitions) - {""} for name, definitions in own.items()}
    inside = {name: _overload_bodies(unit, name, places) for name in own}
    told = foreign | {each.subject for each in facts_of(foreign, Kind.SCOPED)}
    counts = {name: counts_of(unit, name, definitions) for name, definitions in own.items() if name not in told}
    return {
        offset
        for name, offset in candidates
        if (
            name not in foreign
            and not _is_hidden(unit, scopes.get(name), offset)
            and not (owners.get(name) and finds_own(unit, name, offset, owners[name]))
        )
        or any(offset in body for body in inside.get(name, ()))
        or has_other_count(unit, name, offset, counts.get(name, frozenset()))
        or (name in own and _is_in_its_macro(unit, name, offset))
    }


def _kept(unit: Unit, substitutes: Sequence[Substitute]) -> set[int]:
    """Return the places of names that are defined for other builds and keep their names there, tests included."""
    adapted = frozenset(each.entry.name for each in substitutes if not each.is_renamed)
    kept = {each.span.start for each in substitutes if not each.is_renamed}
    for _, offset in unit.occurrences(adapted) if adapted else ():
        line = unit.directive_at(offset)
        if line is not None and line.kind in (DirectiveKind.CONDITION, DirectiveKind.OTHER):
            kept.add(offset)
    return kept


def _exported(own: Mapping[str, Sequence[Definition]]) -> Iterator[str]:
    for name, definitions in own.items():
        if any(each.exported for each in definitions):
            yield name
        yield from (str(Fact(Kind.SCOPED, name, each.owner)) for each in definitions if each.owner)


def _brought_in(unit: Unit, places: Sequence[tuple[str, int]]) -> frozenset[str]:
    """Return `NAME@=SCOPE` for each `using ::NAME;` in a namespace or class."""
    if "using" not in unit.words:
        return frozenset()
    found = [place for place in places if is_brought_in(unit.code, *place)]
    owners = [(name, owner_of(unit, unit.node_at(Span(at, at + len(name))))) for name, at in found]
    return frozenset(_brought(name, owner) for name, owner in owners if owner)


def _brought(name: str, scope: str) -> str:
    return str(Fact(Kind.BROUGHT, name, scope))


def _means_cuda(
    name: str, offset: int, meanings: Meanings, tables: Tables, foreign: frozenset[str], *, by_syntax: bool
) -> bool:
    """Return libclang's answer, or `by_syntax` if it has none or may have missed a definition in another file."""
    if name in tables.own or (offset not in meanings.cuda and offset not in meanings.own):
        return by_syntax
    if offset in meanings.own:
        return False
    return by_syntax or meanings.sure or name not in foreign


_OVERLOAD = re.compile(r"\s*\([^()]*\b(?!std\b|cuda\b)[A-Za-z_]\w*\s*::\s*\w[^()]*\)\s*(?=\{)")
"""Matches parameters with a type in a namespace (`at::Half`), which no function of CUDA's C interface has."""


def _overload_bodies(unit: Unit, name: str, places: Sequence[tuple[str, int]]) -> tuple[range, ...]:
    """Return the bodies of functions that overload a CUDA function for a type of their own: they call CUDA's by it."""
    code = unit.code
    found = (_OVERLOAD.match(code, offset + len(name)) for each, offset in places if each == name)
    return tuple(range(match.end(), code.find("}", match.end())) for match in found if match)


def _is_in_its_macro(unit: Unit, name: str, offset: int) -> bool:
    """Return whether a place is in the body of the macro of that name, `#define cudaFree(p) counted(cudaFree(p))`.

    The preprocessor does not expand the name there, so that it means CUDA's.
    """
    line = unit.directive_at(offset)
    return line is not None and line.kind is DirectiveKind.DEFINE and line.name == name and offset >= line.body.start


class _Scopes(Struct, frozen=True):
    """The scopes of a name's definitions: those visible in the whole file, and all."""

    exported: Nested[None]
    all: Nested[None]

    def hold(self, offset: int, *, exported: bool) -> bool:
        return (self.exported if exported else self.all).has(Span(offset, offset + 1))


def _scopes(definitions: Sequence[Definition]) -> _Scopes:
    return _Scopes(
        Nested.of((definition.scope, None) for definition in definitions if definition.exported),
        Nested.of((definition.scope, None) for definition in definitions),
    )


def _is_hidden(unit: Unit, scopes: _Scopes | None, offset: int) -> bool:
    """Return whether a definition hides the CUDA name here; `::name` sees only definitions of the whole file."""
    if scopes is None:
        return False
    is_global = unit.code[skip_blanks_back(unit.code, offset) - 2 : offset].startswith("::")
    return scopes.hold(offset, exported=is_global)


def may_mean_cuda(unit: Unit, name: str, offset: int, tables: Tables, brought: frozenset[str] = frozenset()) -> bool:
    """Return whether the tokens around a name allow CUDA's: no member access, other namespace or `##`.

    `brought` are the names that `using` brings into namespaces, as `NAME@=SCOPE`, and what headers say of namespaces.
    """
    code = unit.code
    end = skip_blanks_back(code, offset)
    before = code[max(0, end - 2) : end]
    if before == "->":
        return is_trailing_return(code, end - 2)
    if before == "##" or (before[-1:] == "." and before != ".."):
        return False
    if before == "::" and name not in tables.own:
        scope = _LAST.search(code, max(0, end - 66), end - 2) if brought else None
        if scope is not None and any(_brought(name, each) in brought for each in (scope[1], _target(unit, scope[1]))):
            return True
        return _is_cuda_scope(unit, end - 2, tables, brought)
    after = skip_blanks(code, offset + len(name))
    return code[after : after + 2] != "##"


_KEYWORD = re.compile(
    r"return|else|do|case|throw|using|typename|new|delete|sizeof|const|volatile|mutable|static|extern"
    r"|inline|virtual|explicit|friend|constexpr|consteval|constinit|thread_local|register|typedef|operator"
    r"|goto|co_return|co_yield|co_await|and|or|not|xor|bitand|bitor|compl|and_eq|or_eq|not_eq|xor_eq|public"
    r"|private|protected|noexcept"
)
"""Matches keywords: none of them is a scope, so `::` behind one begins a name."""
_MACRO = re.compile(r"[A-Z][A-Z\d_]+|__\w*")
"""Matches words for sides and other specifiers: with a blank in front of `::` they are no scope."""
_LAST = re.compile(r"([A-Za-z_]\w*)\s*\Z")
_QUALIFIER = re.compile(r"(?:([A-Za-z_$][\w$]*)\s*::\s*)?([A-Za-z_$][\w$]*)\s*$")


def _is_cuda_scope(unit: Unit, end: int, tables: Tables, told: frozenset[str]) -> bool:
    """Return True for `::cudaFree`, `cudaError::cudaSuccess`, `cg::invoke_one`, `thrust::system::cuda_category`.

    False for `mine::cudaFree`.
    """
    code = unit.code
    joint, end = end, skip_blanks_back(code, end)
    if _begins_code(unit, end, joint):
        return True
    match = _QUALIFIER.search(code, max(0, end - 256), end)
    if match is None:
        return code[end - 1 : end] != ">" or code[end - 2 : end] == "->" or ends_template_head(code, end)
    outer, name = match.groups()
    if outer in tables.namespaces or name in tables.known or name in tables.namespaces or _KEYWORD.fullmatch(name):
        return True
    if end < joint and _MACRO.fullmatch(name):
        return True
    return _is_alias(unit, name, tables, told)


def _begins_code(unit: Unit, end: int, joint: int) -> bool:
    """Return whether `::` at `joint` is the first behind a preprocessor line, or of a macro's body."""
    if not end or unit.directive_at(end - 1) is None:
        return False
    own = unit.directive_at(joint)
    return own is None or (own.kind is DirectiveKind.DEFINE and end <= own.body.start)


def _is_alias(unit: Unit, name: str, tables: Tables, told: frozenset[str]) -> bool:
    """Return whether the file or a header aliases a CUDA namespace to this name: `namespace cg = cuda`."""
    if (target := _aliases(unit.code).get(name)) is None and told:
        from hipport.translate.syntax.visible_names import visible_names

        target = _aliases(visible_names(told, unit.words)).get(name)
    return target in tables.namespaces


def _target(unit: Unit, alias: str) -> str:
    """Return the last name of what a namespace alias stands for."""
    return _aliases(unit.code).get(alias, "").rpartition("::")[2]


_ALIAS = re.compile(r"namespace(?<!\wnamespace)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:::)?\s*([\w:]+)")


@functools.lru_cache(maxsize=4)
def _aliases(code: str) -> dict[str, str]:
    """Return the targets of namespace aliases by name; the first declaration of a name is used."""
    return {match[1]: match[2] for match in reversed([*_ALIAS.finditer(code)])}
