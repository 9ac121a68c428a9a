"""File names and messages as they can be shown: whatever bytes a tree holds, one line that no terminal obeys."""

from __future__ import annotations

import base64
import os
import re

_HIDDEN = re.compile(r"[^\x20-\x7e\u00a0-\u200d\u2010-\u2027\u2030-\u2065\u2070-\ud7ff\ue000-\U0010ffff]")
"""Control characters, line separators, changes of writing direction, and bytes that are no UTF-8."""


def shown(text: str) -> str:
    r"""The text with what cannot be shown as escapes: `\n`, `\x1b`, `\xff`."""
    return _HIDDEN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = ord(match[0])
    if 0xDC80 <= character <= 0xDCFF:  # a byte that os.fsdecode could not decode
        return f"\\x{character - 0xDC00:02x}"
    return match[0].encode("unicode_escape", "surrogatepass").decode()


def json_name(key: str, path: str) -> dict[str, str]:
    """A path for JSON, which has no bytes: one that is not UTF-8 gets its bytes beside it, under `<key>_base64`."""
    raw = os.fsencode(path)
    try:
        return {key: raw.decode()}
    except UnicodeDecodeError:
        return {key: raw.decode("utf-8", "replace"), f"{key}_base64": base64.b64encode(raw).decode()}


def json_text(text: str) -> str:
    """The text free of lone surrogates, which JSON parsers outside Python refuse."""
    return text.encode("utf-8", "replace").decode()


def diff_name(path: bytes) -> bytes:
    """A path as git writes it in a diff: in quotes, with C escapes, where it is not plain."""
    if re.fullmatch(rb'[^\x00-\x1f"\\\x7f-\xff]*', path):
        return path
    return b'"' + re.sub(rb'[\x00-\x1f"\\\x7f-\xff]', lambda match: b"\\%03o" % match[0][0], path) + b'"'
