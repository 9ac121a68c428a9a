"""The parts of a build for the CPU that the user's cache holds: the compiled headers, and the runtime's objects.

They are the same for all projects, so that the projects' include folders are left out, and macros whose names are the
project's own: headers read only reserved ones and those of HIP.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hipport.builds.cpu.code_flags import CodeFlags
from hipport.builds.cpu.precompiled import CHECKS, HEADERS, RUNTIME, CachedFile, Kind, cached
from hipport.builds.request import OutputKind
from hipport.support import include_dir

AS_HEADER = ("-x", "c++-header", "-fpch-instantiate-templates", "-Xclang", "-fno-pch-timestamp")
CODE_OF_CHECKS = ("-O2", "-fPIC", "-fno-omit-frame-pointer")
OUTLINED = "-DHIPPORT_RUNTIME_OBJECT=0"
_LEVEL_OF_HEADERS = {"1": "3", "2": "3", "g": "3"}
"""Optimization levels that define the same macros, so that they share precompiled headers."""
_WITH_RUNTIME = (OutputKind.EXECUTABLE, OutputKind.SHARED, OutputKind.FAT_BINARY)
_READ_BY_HEADERS = re.compile(r"-[DU](_|HIP(?!PORT_LLM_)|NDEBUG\b|ROCM)")
"""What these headers may read; the engine for language models, whose macros begin with hipport's name, is a project."""


@dataclass(frozen=True, slots=True)
class CachedParts:
    """Finds the parts of a build; precompiled headers are those of clang++."""

    flags: CodeFlags

    @staticmethod
    def of(flags: CodeFlags) -> CachedParts:
        """Return the parts of a build with these flags."""
        defines = tuple(option for option in flags.settings.defines if _READ_BY_HEADERS.match(option))
        return CachedParts(replace(flags, settings=replace(flags.settings, defines=defines)))

    def headers(self) -> CachedFile | None:
        """Return the precompiled headers; None if the user's cache cannot be written."""
        level = _LEVEL_OF_HEADERS.get(self.flags.level, self.flags.level)
        outlined = (OUTLINED,) if self._has_runtime() else ()
        return self._cached(HEADERS, (*AS_HEADER, f"-O{level}", *self.flags.meaning(), *outlined))

    def objects(self) -> tuple[CachedFile, ...]:
        """Return the objects to link."""
        found = (self._runtime(), self._checks())
        return tuple(each for each in found if each is not None)

    def _runtime(self) -> CachedFile | None:
        """Return the object of the runtime's functions, which programs, libraries and modules share."""
        if not self._has_runtime():
            return None
        everywhere = (*replace(self.flags, kind=OutputKind.SHARED).meaning(), *self._own_variables())
        return self._cached(RUNTIME, ("-x", "c++", "-O2", *everywhere, "-DHIPPORT_RUNTIME_OBJECT=1"))

    def _own_variables(self) -> tuple[str, ...]:
        """Return the option of g++ for an object whose variables are not the same in all libraries of a process."""
        return ("-fno-gnu-unique",) if self.flags.compiler.kind == "g++" else ()

    def _has_runtime(self) -> bool:
        """Return whether the runtime's functions come from an object.

        Sanitizers report lines of what is inlined, and a static library would need the object in it.
        """
        options = self.flags.options
        return self.flags.kind in _WITH_RUNTIME and not options.sanitizers and not options.checks

    def _checks(self) -> CachedFile | None:
        return self._cached(CHECKS, ("-x", "c++", *CODE_OF_CHECKS)) if self.flags.links_checks else None

    def _cached(self, kind: Kind, flags: Sequence[str]) -> CachedFile | None:
        compiler, standard = self.flags.compiler, f"-std={self.flags.settings.std}"
        folders = ("-isystem", str(include_dir() / "cpu"), "-I", str(include_dir()))
        return cached(kind, (*compiler.command, standard, *flags, *folders), compiler.path)
