"""Which header an `#include` means: one of CUDA's, one of the language's, or one of the project."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.files.inclusion import fact
from hipport.mappings.entry import Header
from hipport.translate.inclusion import is_replaced
from hipport.translate.passes import hip_branches
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.work import Work

_CPP_STANDARD = re.compile(r"[a-z0-9_]+\Z")
_C_STANDARD = re.compile(
    r"(?:(?:sys|linux|arpa|netinet|bits)/.*|assert|complex|ctype|dirent|errno|fcntl|fenv|float|getopt|inttypes|limits"
    r"|locale|malloc|math|memory|pthread|sched|semaphore|setjmp|signal|std(?:align|arg|atomic|bool|def|int|io|lib|noreturn)"
    r"|string|strings|tgmath|threads|time|uchar|unistd|wchar|wctype)(?:\.h)?\Z"
)
_PART = re.compile(r"cuda/(?:std/)?(?:detail/|__)")
"""Matches the names of the parts of libcu++ that its headers include."""


def known(work: Work, include: Include) -> Header | None:
    """Return a header's table entry; None for a header of the project that has the name of one of CUDA's.

    `"cuda/a.cuh"` and <cuda/api.hpp> are, too, since libcu++ headers have no suffix, but for parts of its own.
    """
    header = work.context.tables.headers.get(include.operand)
    if include.quoted and work.is_told(fact(Kind.OWN, include.operand)):
        return None
    if header is not None and work.is_told(fact(Kind.FINDS, include.operand)):
        return None
    if header is not None and header.library == "libcudacxx" and "." in include.operand:
        return header if not include.quoted and _PART.match(include.operand) else None
    return header


def followed(work: Work) -> tuple[str, ...]:
    """Return the operands of the `#include` lines, but for those in angle brackets that mean no file of the project.

    These are C's own, such as `<math.h>` in a tree with another `math.h`, and those that one of HIP's replaces: a copy
    of CUDA's header in the project, such as CUB's, is then not what the translation includes. For quoted operands that
    depends on the place of the copy: `hipport.files.inclusion`.
    """
    lines = (line for line in includes(work.unit) if line.quoted or not _C_STANDARD.match(line.operand))
    return tuple(line.operand for line in lines if line.quoted or not _is_replaced(work, line))


def _is_replaced(work: Work, include: Include) -> bool:
    replaced = is_replaced(work.context.tables.headers.get(include.operand))
    return replaced and not hip_branches.only_nvcc(work, include.span.start)


def target_of(work: Work, include: Include) -> str:
    """Return the header that a translation includes in place of one."""
    header = known(work, include)
    return header.hip if header is not None and header.hip else include.operand


def is_standard(include: Include) -> bool:
    """Return whether an include is one of the C or C++ library."""
    return bool(_CPP_STANDARD.match(include.operand) or _C_STANDARD.match(include.operand))
