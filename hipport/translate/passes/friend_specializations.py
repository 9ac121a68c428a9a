"""Friends that are specializations of a function template for devices, declared without its words for sides.

    template <int i, typename T> __device__ T get(tuple<T> const& t);
    template <typename T> class tuple { friend T get<0>(tuple<T> const&); };

To HIP's compilers `__device__` is part of a signature: such a friend matches no template. nvcc takes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.specialized_functions import sides_of_templates
from hipport.translate.syntax.brackets import skip_blanks, template_close
from hipport.translate.work import Work

_FRIEND = re.compile(
    r"\bfriend\s+(?P<type>(?!class\b|struct\b|union\b)[\w\s:*&<>,]*?[\s*&>])(?P<name>[A-Za-z_]\w*)\s*(?=<)"
)
_WRITTEN = re.compile(r"\b(?:__host__|__device__|__global__|(?=\w*[A-Z]{2})[A-Z_][A-Z0-9_]*)\b")
"""Matches words that decide about sides: macros may be `__host__ __device__`."""
WORDS = (frozenset({"friend"}), frozenset({"__device__"}))


def run(work: Work) -> Iterator[Edit]:
    """Give such friends the template's words and macros for sides, if all templates of the name have the same ones."""
    code = work.unit.code
    friends = [] if is_hip(work) else list(_FRIEND.finditer(code))
    sides = sides_of_templates(work.unit) if friends else {}
    for match in friends:
        found = sides.get(match["name"], set())
        if len(found) != 1 or _WRITTEN.search(match["type"]) or not _is_function(code, match.end()):
            continue
        words = "".join(f"{word} " for word in next(iter(found)))
        yield Replace(match.start("type"), match.start("type"), words)


def _is_function(code: str, opening: int) -> bool:
    """Return whether parameters follow the template arguments that open at an offset."""
    close = template_close(code, opening, len(code))
    return close is not None and code.startswith("(", skip_blanks(code, close + 1))
