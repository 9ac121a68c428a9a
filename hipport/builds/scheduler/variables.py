"""Select the environment variables that affect compilers, launchers and wrappers; workers use the site's values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_NAMES = re.compile(
    r"PATH|LD_LIBRARY_PATH|LIBRARY_PATH|C_INCLUDE_PATH|CPATH|CPLUS_INCLUDE_PATH|LANG|LC_\w+|SOURCE_DATE_EPOCH"
    r"|(?:HIP|HIPCC|ROCM|ROC|CUDA|NVCC|CCACHE|SCCACHE|DISTCC|ICECC|OMPI|MPICH)_\w+"
)


def of_site(environ: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that other machines take over."""
    return tuple((name, value) for name, value in sorted(environ.items()) if _NAMES.fullmatch(name))


def taken_over(environ: Mapping[str, str], of_site: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the environment of a command: the machine's own, with the selected variables replaced by the site's."""
    return {name: value for name, value in environ.items() if not _NAMES.fullmatch(name)} | dict(of_site)
