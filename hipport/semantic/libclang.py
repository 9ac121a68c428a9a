"""Load libclang, and query it about places in files that it has parsed."""

from __future__ import annotations

import ctypes
import functools
import importlib
from typing import Any

from hipport.errors import HipportError

_KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: a missing header is not fatal


def require() -> None:
    """Raise HipportError unless the package is installed and its library can be loaded."""
    _library()


@functools.cache
def _library() -> Any:
    try:
        cindex = importlib.import_module("clang.cindex")
        library = cindex.conf.lib
    except (ImportError, OSError) as error:
        hint = "pip install 'hipport[semantic]'"
        raise HipportError(f"--semantic needs the Python package libclang: {error}", hint=hint) from None
    except Exception as error:  # cindex.LibclangError: it cannot be named before the import
        raise HipportError(f"cannot load libclang: {error}", hint="pip install 'hipport[semantic]'") from None
    for name in ("clang_getFileLocation", "clang_getSpellingLocation"):
        function = getattr(library, name)
        offset = ctypes.POINTER(ctypes.c_uint)
        function.argtypes = [cindex.SourceLocation, ctypes.POINTER(cindex.c_object_p), offset, offset, offset]
        function.restype = None
    return cindex


def parse(path: str, arguments: list[str]) -> Any:
    """Return the translation unit of a source, or None if libclang fails at once."""
    cindex = _library()
    try:
        return cindex.Index.create().parse(path, args=arguments, options=_KEEP_GOING)
    except cindex.TranslationUnitLoadError:
        return None


def version() -> str:
    """Return libclang's version string."""
    cindex = _library()
    function = cindex.conf.lib.clang_getClangVersion
    function.restype = cindex._CXString
    function.errcheck = cindex._CXString.from_result
    return str(function())


def contents(unit: Any, file: Any) -> bytes:
    """Return the bytes of a file as they were when the unit was parsed."""
    size = ctypes.c_size_t()
    function = _library().conf.lib.clang_getFileContents
    function.argtypes = [_library().TranslationUnit, _library().c_object_p, ctypes.POINTER(ctypes.c_size_t)]
    function.restype = ctypes.c_void_p
    start = function(unit, file, ctypes.byref(size))
    return ctypes.string_at(start, size.value) if start else b""


def cursor_at(unit: Any, file: Any, offset: int) -> Any:
    """Return the cursor whose name is exactly at the offset; None if clang saw nothing there or a macro's expansion."""
    cindex = _library()
    cursor = cindex.Cursor.from_location(unit, cindex.SourceLocation.from_offset(unit, file, offset))
    if cursor is None or cursor.kind.is_invalid():
        return None
    here = cursor.location
    places = {_offset(here, name) for name in ("clang_getFileLocation", "clang_getSpellingLocation")}
    return cursor if places == {offset} else None


def _offset(location: Any, function: str) -> int:
    """Return the offset of a location: in the text that called a macro, or in the text that spells the name."""
    found, file = ctypes.c_uint(), _library().c_object_p()
    unused = ctypes.c_uint()
    arguments = (ctypes.byref(file), ctypes.byref(unused), ctypes.byref(unused), ctypes.byref(found))
    getattr(_library().conf.lib, function)(location, *arguments)
    return found.value


def declarations(cursor: Any) -> list[Any]:
    """Return the declarations a name refers to: one, or all overloads it may mean; empty if clang does not know."""
    referenced = cursor.referenced
    if referenced is None:
        return []
    library = _library().conf.lib
    if referenced.kind.name != "OVERLOADED_DECL_REF":
        return [referenced]
    count = library.clang_getNumOverloadedDecls(referenced)
    return [library.clang_getOverloadedDecl(referenced, index) for index in range(count)]
