"""Static archives: the members of an `ar` file in the GNU and BSD variants."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.codeobject.region import MalformedError, Region

MAGIC = b"!<arch>\n"
THIN_MAGIC = b"!<thin>\n"
_HEADER = 60
_INDEXES = (b"/", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED")


def read_members(region: Region) -> Iterator[tuple[str, Region]]:
    """Yield the name and content of each member, except symbol indexes and the table of long names."""
    if region.starts_with(THIN_MAGIC):
        raise MalformedError("a thin archive does not contain its members", hint="Inspect the object files themselves.")
    offset, long_names = len(MAGIC), b""
    while offset < region.size:
        header = region.read(offset, _HEADER, "archive member's header")
        body = region.sub(offset + _HEADER, _size(header), "archive member")
        offset += _HEADER + body.size + body.size % 2
        field = header[:16].rstrip()
        if field == b"//":
            long_names = body.read(0, body.size, "archive's long names")
        elif field not in _INDEXES:
            name, body = _name(field, body, long_names)
            if name not in _INDEXES:
                yield name.decode("utf-8", "backslashreplace"), body


def _size(header: bytes) -> int:
    digits = header[48:58].strip()
    if header[58:] != b"`\n" or not digits.isdigit():
        raise MalformedError("archive member's header is invalid")
    return int(digits)


def _name(field: bytes, body: Region, long_names: bytes) -> tuple[bytes, Region]:
    """Resolve a member's name.

    GNU writes `name/`, or `/offset` into the table of long names; BSD writes `#1/length` and starts the body with the
    name.
    """
    if field.startswith(b"#1/") and field[3:].isdigit():
        size = int(field[3:])
        name = body.read(0, size, "archive member's name").rstrip(b"\0")
        return name, body.sub(size, body.size - size, "archive member")
    if field.startswith(b"/") and field[1:].isdigit():
        return long_names[int(field[1:]) :].partition(b"\n")[0].rstrip(b"/"), body
    return field.rstrip(b"/"), body
