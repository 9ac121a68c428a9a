"""Make file names and messages displayable: any bytes become one line without control sequences."""

from __future__ import annotations

import os

from hipport import lazy_re as re

_HIDDEN = re.compile(r"[^\x20-\x7e\u00a0-\u200d\u2010-\u2027\u2030-\u2065\u2070-\ud7ff\ue000-\U0010ffff]")
"""Control characters, line separators, changes of writing direction, and bytes that are not UTF-8."""


def shown(text: str) -> str:
    r"""Return the text with escapes for what cannot be shown: `\n`, `\x1b`, `\xff`."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = ord(match[0])
    if 0xDC80 <= character <= 0xDCFF:  # a byte that os.fsdecode could not decode
        return f"\\x{character - 0xDC00:02x}"
    return match[0].encode("unicode_escape", "surrogatepass").decode()


def json_name(key: str, path: str) -> dict[str, str]:
    """Return a path for JSON, which has no bytes; if it is not UTF-8, its bytes are added as `<key>_base64`."""
    import base64

    raw = os.fsencode(path)
    try:
        return {key: raw.decode()}
    except UnicodeDecodeError:
        return {key: raw.decode("utf-8", "replace"), f"{key}_base64": base64.b64encode(raw).decode()}


def json_text(text: str) -> str:
    """Return the text without lone surrogates, which JSON parsers outside Python reject."""
    return text.encode("utf-8", "replace").decode()


def diff_name(path: bytes) -> bytes:
    """Return a path as git writes it in a diff: quoted with C escapes unless it is plain."""
    if re.fullmatch(rb'[^\x00-\x1f"\\\x7f-\xff]*', path):
        return path
    return b'"' + re.sub(rb'[\x00-\x1f"\\\x7f-\xff]', lambda match: b"\\%03o" % match[0][0], path) + b'"'
