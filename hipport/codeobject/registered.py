"""Find the kernels that the host part of a program registers and that are missing from its code objects.

clang registers a kernel by the name that the host compile gives it. From LLVM 13 on there are two symbols for each
kernel in the host's object: the handle, an object of pointer size with the kernel's own name (`_Z4axpyPf`), and the
function that launches it (`_Z19__device_stub__axpyPf`). Both exist exactly if the kernel is registered. So symbols
show what is registered, in objects and in what is linked from them, on every host, without disassembly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from hipport.codeobject.elf import Elf, Symbol
from hipport.codeobject.model import Bundle, BundleEntry, HostPart, MissingKernel

_REGISTERS = "__hipRegisterFunction"
_CONSTRUCTORS = ("__hip_module_ctor", ".hip.fatbin_reg")  # of clang, and of clang-linker-wrapper
_STUB = "__device_stub__"
_POINTER = 8
_OLDEST_METADATA = 3  # metadata of older code objects is YAML, which is not read
_MOST_INSTEAD, _COMPARED = 3, 100
_DIGITS = 5  # digits in the length of an identifier
_STUB_DEPTH = 8  # nested kernel names in the name of a kernel
_LENGTH = re.compile(rf"\d{{1,{_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class _Registered:
    """Names of registered kernels; `constructors` counts the functions that register them, 0 if they are stripped."""

    names: tuple[str, ...]
    constructors: int
    handles: bool


def read_host_part(header: Elf, bundles: Sequence[Bundle]) -> HostPart | None:
    """Compare what the host code of an ELF file registers with the code objects in it.

    Return None for a file that registers no kernels.
    """
    found = _registered(header.symbols())
    if found is None:
        return None
    images = [image for image in map(_image, bundles) if image is not None]
    if not images:
        return HostPart(found.names, (), "the file holds no code objects")
    return HostPart(found.names, tuple(_missing(found.names, images)), _unknown(found, images))


def _unknown(found: _Registered, images: Sequence[_Image]) -> str:
    """Return why symbols may not show all registered kernels, or an empty string."""
    if not found.handles:
        return "it was compiled with a clang older than 13, whose objects do not name registered kernels"
    if found.constructors < len(images):
        return "it is stripped: names of static functions are not in its symbol table"
    if any(image.unreadable for image in images):
        return "it contains device code that is not machine code yet"
    return ""


def _registered(symbols: Iterable[Symbol]) -> _Registered | None:
    """Return the kernels that have both symbols; None if nothing calls the function that registers them."""
    registers, constructors = False, 0
    stubs: dict[str, None] = {}
    objects: set[str] = set()
    for symbol in symbols:
        if symbol.is_object and symbol.size == _POINTER:
            objects.add(_base(symbol.name))
        elif symbol.is_function and _STUB in symbol.name:
            stubs[_base(symbol.name)] = None
        constructors += symbol.is_function and symbol.name.startswith(_CONSTRUCTORS)
        registers |= symbol.name.startswith(_REGISTERS)
    handles = [next((name for name in _kernels(stub) if name in objects), None) for stub in stubs]
    names = dict.fromkeys(name for name in handles if name is not None)
    return _Registered(tuple(names), constructors, None not in handles) if registers else None


def _base(name: str) -> str:
    """Strip the suffixes that compilers add: `.llvm.123`, or `.intern.123` of a static kernel with -fgpu-rdc."""
    return name.split(".", 1)[0] or name


def _kernels(stub: str) -> Iterator[str]:
    """Yield possible kernel names for a stub: in mangled names, each identifier is preceded by its length."""
    for found in islice(re.finditer(rf"(\d{{,{_DIGITS}}}){_STUB}", stub), _STUB_DEPTH):
        before, after = stub[: found.end(1)], stub[found.end() :]
        if not before:
            yield after
        for count in range(1, len(found[1]) + 1):
            length = int(before[-count:]) - len(_STUB)
            if 0 < length <= len(after):
                yield f"{before[:-count]}{length}{after}"


@dataclass(frozen=True, slots=True)
class _Image:
    """A bundle: the kernels of each code object by target ID; `unreadable` if it holds other device code."""

    kernels: tuple[tuple[str, frozenset[str]], ...]
    unreadable: bool

    def whole(self) -> frozenset[str]:
        """Return the kernels that all code objects have."""
        return frozenset.intersection(*(names for _, names in self.kernels)) if self.kernels else frozenset()

    def identifiers(self) -> frozenset[str]:
        """Return the identifiers of all kernels."""
        return frozenset(_identifier(name) for _, kernels in self.kernels for name in kernels)


def _image(bundle: Bundle) -> _Image | None:
    device = [entry for entry in bundle.entries if entry.kind != "host" and entry.content != "empty"]
    readable = [entry for entry in device if _is_readable(entry)]
    if not device:
        return None
    return _Image(tuple((entry.target_id, _names(entry)) for entry in readable), len(readable) < len(device))


def _is_readable(entry: BundleEntry) -> bool:
    return entry.content == "code object" and (entry.code_object_version or 0) >= _OLDEST_METADATA


def _names(entry: BundleEntry) -> frozenset[str]:
    return frozenset(_base(kernel.symbol.removesuffix(".kd")) for kernel in entry.kernels)


def _missing(names: Sequence[str], images: Sequence[_Image]) -> Iterator[MissingKernel]:
    """Find kernels that no bundle has for all targets.

    A linked file does not show which bundle a kernel is registered from.
    """
    if not all(image.kernels for image in images):
        return  # it may be in a bundle that cannot be read
    whole = frozenset[str]().union(*(image.whole() for image in images))
    lacking = [name for name in names if name not in whole]
    if not lacking:
        return
    identifiers = [image.identifiers() for image in images]
    unregistered = [_unregistered(image, names) for image in images]
    for name in lacking:
        # Its bundle is one that has it for some target, or has its template with other arguments.
        has = [sum(name in kernels for _, kernels in image.kernels) for image in images]
        own = max(range(len(images)), key=lambda i: (has[i], _identifier(name) in identifiers[i]))
        beside = frozenset[str]().union(*(kernels for _, kernels in images[own].kernels if name in kernels))
        for target, kernels in images[own].kernels:
            if name not in kernels:
                instead = _instead(name, unregistered[own][target], beside)
                yield MissingKernel(name, target, any(has), instead)


def _unregistered(image: _Image, names: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Return the kernels that the host does not register, by target ID and identifier."""
    found: dict[str, dict[str, list[str]]] = {}
    for target, kernels in image.kernels:
        of_target = found.setdefault(target, {})
        for name in sorted(kernels.difference(names)):
            of_target.setdefault(_identifier(name), []).append(name)
    return found


def _instead(name: str, unregistered: dict[str, list[str]], beside: frozenset[str]) -> tuple[str, ...]:
    """Return unregistered kernels that may be meant instead, of the same identifier if possible, most similar first.

    Kernels in code objects that have the missing one too (`beside`) are excluded: device compiles also instantiate
    templates that only unused inline functions launch, and host compiles do not.
    """
    found = {key: [other for other in names if other not in beside] for key, names in unregistered.items()}
    alike = found.get(_identifier(name)) or [names[0] for names in found.values() if names]
    return tuple(sorted(alike[:_COMPARED], key=lambda other: -_shared(name, other))[:_MOST_INSTEAD])


def _shared(name: str, other: str) -> int:
    """Return how many characters two names have in common, from both ends."""
    return _same(name, other) + _same(name[::-1], other[::-1])


def _same(name: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, other, strict=False)))


def _identifier(name: str) -> str:
    """Return the namespaces and identifier of a mangled name, up to its template arguments; C names are unchanged."""
    start = re.match(r"_ZN?[rVK]*L?(?:St)?", name)
    at = start.end() if start else len(name)
    while digits := _LENGTH.match(name, at):
        at = digits.end() + int(digits[0])
    return name[:at]
