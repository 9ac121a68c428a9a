"""The C++ grammar of tree-sitter."""

from __future__ import annotations

import functools
import importlib
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType

import tree_sitter

_PACKAGE, _LIBRARY = "tree_sitter_cpp", "tree_sitter_cpp._binding"


@functools.cache
def language() -> tree_sitter.Language:
    """Return the grammar."""
    return tree_sitter.Language(_library().language())


def _library() -> ModuleType:
    """Return the package's library alone, where it is found: the package imports `importlib.resources`.

    That is for its queries, takes as long as the translation of a small file, and nothing else here needs it.
    """
    package = find_spec(_PACKAGE)
    found = PathFinder.find_spec(_LIBRARY, package.submodule_search_locations) if package is not None else None
    if found is None or found.loader is None:
        return importlib.import_module(_PACKAGE)
    library = module_from_spec(found)
    found.loader.exec_module(library)
    return library
