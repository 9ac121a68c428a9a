"""The releases that the tables know, and the choice of the one for a run."""

from __future__ import annotations

from msgspec import Struct

from hipport.errors import HipportError, UsageError
from hipport.mappings.choice import NameChoice, Origin, Releases
from hipport.mappings.document import Value, read
from hipport.mappings.life import VERSION, release

FILE = "releases.yaml"


class Known(Struct, frozen=True):
    """The releases that the tables know, oldest first, as `major.minor`."""

    cuda: tuple[str, ...]
    rocm: tuple[str, ...]
    torch: tuple[str, ...] = ()


def parse_known(text: str) -> Known:
    """Parse `releases.yaml`."""
    root = read(text, FILE)
    parts = root.members({"cuda", "rocm", "torch"})
    for key in ("cuda", "rocm"):
        if key not in parts:
            root.fail(f"the key {key!r} is missing")
    torch = _ascending(parts["torch"]) if "torch" in parts else ()
    return Known(_ascending(parts["cuda"]), _ascending(parts["rocm"]), torch)


def chosen(known: Known, choice: NameChoice) -> Releases:
    """Return the releases of a run; UsageError for one that is invalid or that the tables do not know."""
    cuda = _checked("CUDA", choice.cuda, known.cuda) if choice.cuda is not None else None
    torch = _torch(known.torch, choice)
    if choice.rocm is not None:
        return Releases(_checked("ROCm", choice.rocm, known.rocm), Origin.ASKED, cuda, *torch)
    if choice.installed:
        return Releases(_nearest(choice.installed, known.rocm), Origin.INSTALLED, cuda, *torch)
    return Releases(known.rocm[-1], Origin.NEWEST, cuda, *torch)


def _torch(known: tuple[str, ...], choice: NameChoice) -> tuple[str | None, Origin]:
    """Return the release of PyTorch: any that is asked for or installed, as the tables' changes are few."""
    if choice.torch is not None:
        try:
            release(choice.torch)
        except ValueError as error:
            raise UsageError(f"PyTorch release: {error}", hint="such as 2.6 or 2.13") from None
        return choice.torch, Origin.ASKED
    if choice.installed_torch and VERSION.match(choice.installed_torch):
        return choice.installed_torch, Origin.INSTALLED
    return (known[-1] if known else None), Origin.NEWEST


def _ascending(value: Value) -> tuple[str, ...]:
    items = list(value.items())
    versions = [item.parsed(release) for item in items]
    if not versions or versions != sorted(set(versions)):
        value.fail("expected releases, oldest first, each once")
    return tuple(item.text() for item in items)


def _checked(product: str, asked: str, known: tuple[str, ...]) -> str:
    """Return `asked` if it is a known release, a patch release of one (6.1.2), or a whole major release (6 for 6.0)."""
    try:
        at = release(asked)
    except ValueError as error:
        raise UsageError(f"{product} release: {error}", hint=_listed(product, known)) from None
    if at[:2] not in {release(one)[:2] for one in known}:
        raise UsageError(f"{product} {asked} is not in the mapping tables", hint=_listed(product, known))
    return asked


def _listed(product: str, known: tuple[str, ...]) -> str:
    return f"known {product} releases: {', '.join(known)}"


def _nearest(installed: str, known: tuple[str, ...]) -> str:
    """Return the newest known release that is not newer than the installed one, or else the oldest."""
    try:
        at = release(installed)[:2]
    except ValueError:
        raise HipportError(
            f"the installed HIP reports the release {installed!r}", hint="name the release with --rocm"
        ) from None
    return next((one for one in reversed(known) if release(one) <= at), known[0])
