"""Prepare the inputs of any build before planning: check them, translate CUDA, create translation units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from hipport.builds.ingest import Ingested, Translator, ingest, is_toolkit
from hipport.builds.ported_units import Ported
from hipport.builds.request import BuildRequest, CompileSettings, Language, OutputKind, Unit
from hipport.builds.translations import Translations
from hipport.builds.units import language, split_inputs, unit_key
from hipport.builds.workspace import TRANSLATED, TRANSLATIONS
from hipport.counts import count_of
from hipport.errors import HipportError, UsageError
from hipport.mappings.choice import NameChoice
from hipport.project.state import setup as setups
from hipport.project.translate import Converter
from hipport.support import include_dir
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source

_RDC = frozenset({"-fgpu-rdc", "-rdc=true", "--relocatable-device-code=true", "-dc"})


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a build: sources, and objects and libraries for the link."""

    sources: tuple[str, ...]
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Units ready to be planned, settings with hipport's own headers, and the include folders `dropped` from them.

    `notes` are on decisions made for the user.
    """

    units: tuple[Unit, ...]
    settings: CompileSettings
    ingested: Ingested
    dropped: tuple[str, ...]
    notes: tuple[str, ...] = ()


def inputs(request: BuildRequest) -> Inputs:
    """Return the inputs of a build. Raises `UsageError` for anything that cannot be built."""
    sources, objects = split_inputs(request.sources)
    _check(request, sources, objects)
    return Inputs(tuple(sources), tuple(objects))


def gather(
    request: BuildRequest, named: Inputs, translating: Translator, *, hip: bool = False, ported: Ported | None = None
) -> Gathered:
    """Translate the sources of a build into its folder, without writing; `hip` is passed to `ingest`.

    The `ported` units are compiled as they are.
    """
    dropped = tuple(folder for folder in request.settings.include_dirs if is_toolkit(folder))
    kept = tuple(folder for folder in request.settings.include_dirs if folder not in dropped)
    settings = replace(with_rdc(request.settings), include_dirs=(*kept, str(include_dir())))
    ported = ported or Ported()
    where = f"{request.folder}/{TRANSLATED}"
    ingested = ingest(named.sources, kept, where, translating, hip=hip, ported=ported.units)
    ingested = replace(ingested, read=tuple(sorted({*ingested.read, *ported.read})))
    units = tuple(make_unit(source, ingested) for source in named.sources)
    _check_units(request, units)
    return Gathered(units, settings, ingested, dropped, tuple(ported.notes()))


def with_rdc(settings: CompileSettings) -> CompileSettings:
    """Return the settings with other compilers' flags for separate compilation replaced by `rdc`."""
    both, device = (tuple(flag for flag in flags if flag not in _RDC) for flags in (settings.both, settings.device))
    found = (both, device) != (settings.both, settings.device)
    return replace(settings, both=both, device=device, rdc=settings.rdc or found)


def make_unit(source: str, ingested: Ingested) -> Unit:
    """Return the translation unit of a source, or of its translation."""
    path = ingested.units.get(source, source)
    kind = language(source, Path(source).read_bytes)
    if path == source:
        return Unit(source, path, unit_key(source), kind)
    # A file included through a macro (#include CONFIG) was not seen and is still in the source's folder. That folder
    # comes last, since a header must not be found both there and among the translations.
    return Unit(source, path, unit_key(source), kind, ingested.include_dirs, (str(Path(source).parent),))


def _check(request: BuildRequest, sources: list[str], objects: list[str]) -> None:
    """Reject anything that cannot be built before any work is done."""
    if not sources:
        raise UsageError("no sources to build", hint="Name one or more .cu, .hip or .cpp files.")
    for path in (*sources, *objects):
        if not Path(path).is_file():
            raise UsageError(f"no such file: {path}")
    if any(Path(request.output).resolve() == Path(path).resolve() for path in (*sources, *objects)):
        raise UsageError(f"the output {request.output} is one of the sources")
    if request.kind is OutputKind.FAT_BINARY and with_rdc(request.settings).rdc:
        raise HipportError(
            "--genco builds a single unit, so -fgpu-rdc has no effect",
            hint="Define device functions in the unit that calls them, for example in a header.",
        )


def _check_units(request: BuildRequest, units: tuple[Unit, ...]) -> None:
    if request.kind is not OutputKind.FAT_BINARY:
        return
    if len(units) != 1 or units[0].language is not Language.HIP:
        raise UsageError(
            "--genco builds a single unit with kernels",
            hint=f"{count_of(len(units), 'source')} named; run hipport build --genco for each .hip or .cu file.",
        )


def translator(
    names: NameChoice,
    installed: str,
    cache: Path,
    *,
    convert: Converter = convert_source,
    purpose: str = "",
    lane_masks: bool = False,
    jobs: int | None = None,
) -> Translator:
    """Return the translator of a build: with the tables for the installed HIP release unless another was requested.

    `cache` is the folder of its cache. `purpose` tells apart what one `convert` may make of the same source.
    """
    from hipport.mappings.loader import load_choice, tables_digest

    names = structs.replace(names, installed=installed or None)
    tables = load_choice(names)
    told = {
        "tables": tables_digest(names),
        "releases": structs.astuple(tables.releases),
        "libs": names.flavour,
        "lane_masks": lane_masks,
        "purpose": purpose,
    }
    context = Context(tables, Options(lane_masks=lane_masks))
    return Translator(convert, context, jobs, Translations(cache, setups.key(told)))


def cache_folder(request: BuildRequest) -> Path:
    """Return the folder of a build's cache of translations."""
    return Path(request.folder) / TRANSLATIONS
