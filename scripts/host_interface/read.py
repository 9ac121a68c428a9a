"""Read the host interface from HIP's headers, or from the sources of the emulator, with libclang."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clang import cindex

from scripts.host_interface.model import Function, Interface, Member, Record

HEADERS = ("hip/hip_runtime_api.h", "hip/hiprtc.h")
_FLAGS = ("-x", "c++", "-std=c++20", "-w", "-ferror-limit=0", "-D__HIP_PLATFORM_AMD__=1", "-DHIPPORT_WAVE_SIZE=64")
_OPTIONS = 0x200 | 0x40
"""CXTranslationUnit_KeepGoing and SkipFunctionBodies."""
_SCOPES = {"LINKAGE_SPEC", "UNEXPOSED_DECL"}
_OWN = {"", "hipport", "emulate"}
"""Namespaces of the emulator in which functions with C names are defined."""
_RECORDS = {"STRUCT_DECL", "UNION_DECL"}
_FLOATS = {"FLOAT", "DOUBLE", "LONGDOUBLE", "HALF"}
_REFERENCES = {"POINTER", "LVALUEREFERENCE"}
_ATTRIBUTE = re.compile(r"ATTRIBUTE\((\d+), (\w+)\)")
_PREFIXES = ("hip", "HIP", "__hip")


def of_headers(folder: Path, resources: Path) -> Interface:
    """Return the interface that the headers in a folder declare; `resources` is clang's resource directory."""
    present = [name for name in HEADERS if (folder / name).is_file()]
    text = "".join(f"#include <{name}>\n" for name in present)
    return _parsed(text, (folder,), resources, is_labelled=False)


def of_emulator(native: Path, headers: Path, resources: Path) -> Interface:
    """Return the functions that the emulator's sources define under C names, with the layouts that they work with."""
    text = "".join(f'#include "{path.name}"\n' for path in sorted(native.glob("api*.cpp")))
    whole = _parsed(text, (native, headers), resources, is_labelled=True)
    rows = _ATTRIBUTE.findall((native / "attributes.inc").read_text(encoding="utf-8"))
    whole.enums["hipDeviceAttribute_t"] = {f"hipDeviceAttribute{name}": int(number) for number, name in rows}
    return whole


def _parsed(text: str, folders: Sequence[Path], resources: Path, *, is_labelled: bool) -> Interface:
    """Return the interface that a source declares, or what of it has a C name given by `asm`."""
    arguments = [*_FLAGS, "-resource-dir", str(resources)]
    arguments += [part for folder in folders for part in ("-I", str(folder))]
    files = [("interface.cpp", text)]
    unit = cindex.Index.create().parse("interface.cpp", args=arguments, unsaved_files=files, options=_OPTIONS)
    wrong = [f"{each.location}: {each.spelling}" for each in unit.diagnostics if each.severity >= 3]
    if wrong:
        raise ValueError("the headers do not compile:\n" + "\n".join(wrong))
    reader = _Reader(is_labelled)
    reader.walk(unit.cursor)
    return reader.found


class _Reader:
    def __init__(self, is_labelled: bool) -> None:
        self.found = Interface()
        self._is_labelled = is_labelled

    def walk(self, cursor: Any, *, is_own: bool = False) -> None:
        """Enter what a cursor declares; `is_own` in namespaces without names, in which all structures count."""
        for child in cursor.get_children():
            kind = child.kind.name
            if kind in _SCOPES or (kind == "NAMESPACE" and child.spelling in _OWN):
                self.walk(child, is_own=is_own or (kind == "NAMESPACE" and not child.spelling))
            elif kind in _RECORDS and child.is_definition() and (is_own or child.spelling.startswith(_PREFIXES)):
                self._record(child.type, child.type, child.spelling)
            elif kind == "FUNCTION_DECL":
                self._function(child)
            elif kind == "ENUM_DECL" and child.spelling.startswith(_PREFIXES):
                self._enum(child.type, child.type, child.spelling)

    def _function(self, cursor: Any) -> None:
        labels = [each.spelling for each in cursor.get_children() if each.kind.name == "ASM_LABEL_ATTR"]
        name = labels[0] if labels else cursor.spelling
        is_c = bool(labels) if self._is_labelled else cursor.mangled_name == name
        if not name.startswith(_PREFIXES) or not is_c or cursor.type.is_function_variadic():
            return
        takes = tuple(self._type(each.type, each.spelling) for each in cursor.get_arguments())
        self.found.functions[name] = Function(self._type(cursor.result_type, name), takes)

    def _type(self, given: Any, place: str) -> str:
        """Return a type as text, and enter the enumerations and structures that it names."""
        type_ = given.get_canonical()
        kind = type_.kind.name
        if kind == "VOID":
            return "void"
        if kind in _REFERENCES:
            return self._pointer(type_.get_pointee(), place)
        if kind == "CONSTANTARRAY":
            return f"[{type_.element_count}] {self._type(type_.element_type, place)}"
        if kind == "ENUM":
            return f"enum {self._enum(given, type_, place)}"
        if kind == "RECORD":
            return f"record {self._record(given, type_, place)}"
        letter = "f" if kind in _FLOATS else "i" if kind in _SIGNED else "u"
        return f"{letter}{type_.get_size()}"

    def _pointer(self, given: Any, place: str) -> str:
        kind = given.get_canonical().kind.name
        is_whole = kind == "ENUM" or (kind == "RECORD" and given.get_canonical().get_declaration().is_definition())
        return f"ptr {self._type(given, place)}" if is_whole else "ptr"

    def _enum(self, given: Any, type_: Any, place: str) -> str:
        name = _name(given, type_, place)
        if name not in self.found.enums:
            constants = type_.get_declaration().get_children()
            values = {each.spelling: each.enum_value for each in constants if each.kind.name == "ENUM_CONSTANT_DECL"}
            self.found.enums[name] = values
        return name

    def _record(self, given: Any, type_: Any, place: str) -> str:
        name = _name(given, type_, place)
        if name not in self.found.records:
            self.found.records[name] = Record(0, {})  # ends the recursion of what points to itself
            members = dict(self._members(type_, name))
            self.found.records[name] = Record(type_.get_size(), members)
        return name

    def _members(self, type_: Any, name: str) -> Iterator[tuple[str, Member]]:
        """Yield the members, those of structures without names as their own."""
        for each in type_.get_fields():
            start = each.get_field_offsetof()
            if not each.is_anonymous():
                yield each.spelling, Member(start // 8, self._type(each.type, f"{name}.{each.spelling}"))
                continue
            for inner, member in self._members(each.type.get_canonical(), name):
                yield inner, Member(start // 8 + member.offset, member.type)


_SIGNED = {"CHAR_S", "SCHAR", "SHORT", "INT", "LONG", "LONGLONG", "WCHAR"}


def _name(given: Any, type_: Any, place: str) -> str:
    """Return the name of an enumeration or structure: that of its declaration, or of a typedef, or where it is used."""
    declared: str = type_.get_declaration().spelling
    if declared and "(" not in declared:
        return declared
    text: str = given.spelling.removeprefix("const ").removeprefix("struct ").removeprefix("enum ")
    return place if "(" in text else text


def resources() -> Path:
    """Return the folder with the own headers of an installed clang. Raises `FileNotFoundError` if there is none."""
    for name in ("clang", *(f"clang-{release}" for release in range(21, 14, -1))):
        if path := shutil.which(name):
            printed = subprocess.run([path, "-print-resource-dir"], capture_output=True, text=True, check=True)
            return Path(printed.stdout.strip())
    raise FileNotFoundError("clang")
