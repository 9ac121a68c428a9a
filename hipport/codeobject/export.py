"""The JSON format of a binary's content; documented in `docs/inspect.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hipport.codeobject.model import Binary, Bundle, BundleEntry, HostPart, Kernel

SCHEMA_VERSION = 1


def to_json(binary: Binary, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a binary as dictionaries and lists; `names` has C++ names of kernels if they were requested."""
    return {
        "path": str(binary.path),
        "kind": binary.kind,
        "bundles": [_bundle(bundle, names) for bundle in binary.bundles],
        "hosts": [_host(host) for host in binary.hosts],
    }


def _host(host: HostPart) -> dict[str, Any]:
    return asdict(host) | {
        "unchecked": host.unchecked or None,
        "missing": [asdict(missing) | {"is_error": missing.is_error} for missing in host.missing],
    }


def _bundle(bundle: Bundle, names: Mapping[str, str]) -> dict[str, Any]:
    return _shallow(bundle, "entries") | {"entries": [_entry(entry, names) for entry in bundle.entries]}


def _entry(entry: BundleEntry, names: Mapping[str, str]) -> dict[str, Any]:
    return _shallow(entry, "kernels") | {
        "warnings": list(entry.warnings),
        "kernels": [_kernel(kernel, names) for kernel in entry.kernels],
    }


def _kernel(kernel: Kernel, names: Mapping[str, str]) -> dict[str, Any]:
    record = asdict(kernel)
    if kernel.occupancy is not None:
        waves = {"waves": kernel.occupancy.waves, "limited_by": kernel.occupancy.limited_by or None}
        record["occupancy"] = waves | record["occupancy"]
    return record | {"demangled": names.get(kernel.name)}


def _shallow(item: Bundle | BundleEntry, nested: str) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__ if name != nested}
