"""The keys of `hipport.toml`: their types, examples and meanings, from which checks and the JSON Schema are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from hipport import lazy_re as re
from hipport.errors import HipportError

CODE = re.compile(r"HP\d{0,3}")
"""Matches the code of a diagnostic, or the beginning of codes: `HP2` is all of HP201 to HP236."""
_CODE_SCHEMA = {"type": "string", "pattern": r"^HP\d{0,3}$"}
_TEXTS_SCHEMA = {"type": "array", "items": {"type": "string"}}


class Shape(Struct, frozen=True):
    """A type of values: what messages say is expected, its JSON Schema, and whether a value is of it."""

    expected: str
    schema: Mapping[str, Any]
    accepts: Callable[[object], bool]


class Key(Struct, frozen=True):
    """A key: its type, an example in TOML, its meaning."""

    shape: Shape
    example: str
    about: str

    def check(self, where: str, name: str, value: object) -> None:
        """Raise HipportError if the value is not of the key's type, or has a NUL, which no path and no name has."""
        if _has_nul(value):
            raise HipportError(f"{where}: {name}: {value!r} contains a NUL character")
        if not self.shape.accepts(value):
            wrong = f", not {value!r}" if isinstance(value, str) else ""
            raise HipportError(
                f"{where}: {name}: expected {self.shape.expected}{wrong}, such as {name} = {self.example}"
            )


def check_known(where: str, name: str, known: Iterable[str]) -> None:
    """Raise HipportError for an unknown key; the error names the one that is meant."""
    keys = tuple(known)
    if name not in keys:
        import difflib  # needed for mistakes only

        close = difflib.get_close_matches(name, keys, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise HipportError(f"{where}: unknown key {name!r}{meant}", hint=f"allowed here: {', '.join(keys)}")


def _has_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_nul, (*value, *value.values())))
    return any(map(_has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value


def _choice(*values: str) -> Shape:
    *most, last = values
    return Shape(f"{', '.join(most)} or {last}", {"enum": list(values)}, lambda value: value in values)


def _list(what: str) -> Shape:
    return Shape(f"a list of {what}", _TEXTS_SCHEMA, _is_texts)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_codes(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and CODE.fullmatch(item) for item in value)


def _is_codes_by_file(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_codes, value.values()))


def _is_wave_size(value: object) -> bool:
    return value == "auto" or (not isinstance(value, bool) and value in (32, 64))


_TEXT = Shape("a string", {"type": "string"}, lambda value: isinstance(value, str))
_FLAG = Shape("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool))
_CODES = Shape("a list of codes", {"type": "array", "items": _CODE_SCHEMA}, _is_codes)
_CODES_BY_FILE = Shape(
    "a table of codes for each pattern of files",
    {"type": "object", "additionalProperties": {"type": "array", "items": _CODE_SCHEMA}},
    _is_codes_by_file,
)
_WAVE_SIZE = Shape('"auto", 32 or 64', {"enum": ["auto", 32, 64]}, _is_wave_size)

KEYS: Mapping[str, Key] = {
    "rocm": Key(_TEXT, '"6.2"', "ROCm release to translate for; default: the installed one, else the newest"),
    "cuda": Key(_TEXT, '"12.4"', "CUDA release of the sources; default: any"),
    "libs": Key(_choice("hip", "roc"), '"hip"', "translate to hip libraries (hipBLAS) or roc libraries (rocBLAS)"),
    "torch": Key(_TEXT, '"2.13"', "PyTorch release that extensions are for"),
    "mappings": Key(_list("files"), '["names.yaml"]', "YAML files with additional names"),
    "launch": Key(_choice("ggl", "chevron"), '"chevron"', "write launches as hipLaunchKernelGGL or keep <<<...>>>"),
    "wave-size": Key(_WAVE_SIZE, "64", "lanes per wavefront of the target GPUs; auto: code for both"),
    "offload-arch": Key(_list("targets"), '["gfx90a", "gfx1100"]', "GPUs to name in build files and to build for"),
    "select": Key(_CODES, '["HP1", "HP301"]', "report these codes only; HP1 stands for HP101 to HP199"),
    "ignore": Key(_CODES, '["HP502"]', "do not report these codes"),
    "per-file-ignores": Key(_CODES_BY_FILE, '{ "third_party/" = ["HP2"] }', "codes not to report in some files"),
    "baseline": Key(_TEXT, '"hipport-baseline.json"', "file with accepted findings, which `hipport check` leaves out"),
    "semantic": Key(_FLAG, "true", "resolve names with libclang"),
    "compile-commands": Key(_TEXT, '"build"', "folder with compile_commands.json; implies semantic"),
    "compile-flags": Key(_list("options"), '["-Iinclude"]', "compiler options for semantic"),
}
TARGETS = "targets"
"""The key that `hipport.builds.project_file` reads."""
