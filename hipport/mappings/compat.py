"""Read `mappings/support/compat.yaml`; `docs/compat.md` describes the notation."""

from __future__ import annotations

from collections.abc import Iterable

from hipport.errors import HipportError
from hipport.mappings.choice import Flavour
from hipport.mappings.document import Value, read
from hipport.mappings.life import release
from hipport.mappings.provided import Provided, Provider
from hipport.mappings.tables import PROVIDED

_FOLDER = "hipport/compat/"
_KEYS = frozenset({"names", "includes", "members", "overrides", "libs", "data", "since", "empty", "c", "calls"})
_ALWAYS: tuple[int, ...] = (1 << 30,)


def parse_provided(text: str, rocm: str, flavour: Flavour = "hip") -> Provided:
    """Return the file's contents for a ROCm release; HipportError names the place of the first error."""
    headers = read(text, PROVIDED).members().items()
    providers = [_provider(name, value) for name, value in headers if _is_for(value, flavour, rocm)]
    names = {name: (each, spelled) for each in providers for name, spelled in each.names}
    members = {name: (each, spelled) for each in providers for name, spelled in each.members}
    data = {name: (each, spelled) for each in providers for name, spelled in each.data}
    includes = {include: each for each in providers for include in each.includes}
    calls = {call: (each, spelled) for each in providers for call, spelled in each.calls}
    _check_once(name for each in providers for name, _ in (*each.names, *each.members, *each.data, *each.calls))
    _check_once(include for each in providers for include in each.includes)
    plain = {_FOLDER + name: value for name, value in headers if "c" in value.members(_KEYS)}
    in_c = {each for each in providers if each.header in plain}
    only = {each for each in in_c if plain[each.header].members(_KEYS)["c"].says("only")}
    return Provided(
        names,
        {include: each for include, each in includes.items() if each not in only},
        members,
        data,
        release(rocm),
        frozenset(each.header for each in in_c),
        {include: each.header for include, each in includes.items() if each in only},
        calls,
    )


def _provider(header: str, value: Value) -> Provider:
    parts = value.members(_KEYS)
    keys = ("names", "includes", "members", "data", "empty", "calls")
    names, includes, members, data, empty, calls = (_words(parts[key]) if key in parts else () for key in keys)
    overrides = _overrides(parts["overrides"]) if "overrides" in parts else ()
    of_structs = _pairs(members), _pairs(data), empty
    return Provider(_FOLDER + header, _pairs(names), includes, overrides, *of_structs, _pairs(calls))


def _is_for(value: Value, flavour: Flavour, rocm: str) -> bool:
    """Return whether a header applies: its `libs`, if given, must name the flavor, and the release not be too old."""
    parts = value.members(_KEYS)
    libs, since = parts.get("libs"), parts.get("since")
    if since is not None and release(rocm) < since.parsed(release):
        return False
    return libs is None or libs.text() == flavour


def _pairs(words: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Split words into the CUDA name and ours: `__vadd2`, where both are the same, or `__reduce_add_sync=ours`."""
    return tuple((name, own or name) for name, _, own in (word.partition("=") for word in words))


def _words(value: Value) -> tuple[str, ...]:
    """Return the words of a list, whose elements may each have several: `__vadd2 __vadd4`."""
    return tuple(word for item in value.items() for word in item.text().split())


def _overrides(value: Value) -> tuple[int, ...]:
    """Parse `always` or `before 6.2.0`."""
    if value.says("always"):
        return _ALWAYS
    word, _, version = value.text().partition(" ")
    if word != "before":
        value.fail("expected 'always', or 'before' and a ROCm release")
    return value.parsed(lambda _: release(version))


def _check_once(words: Iterable[str]) -> None:
    """Raise HipportError if two headers have the same name."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise HipportError(f"{PROVIDED}: {word} is given twice")
        seen.add(word)
