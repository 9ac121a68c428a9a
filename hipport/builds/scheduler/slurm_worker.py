"""An element of the Slurm array: a Dask worker that runs until the build is over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed.security import Security

_ALONE = "60s"
"""How long a worker looks for a lost scheduler."""


def work(address: str, threads: int, security: Security) -> None:
    """Run jobs for the scheduler at an address, `threads` at a time, until it ends."""
    asyncio.run(_work(address, threads, security))


async def _work(address: str, threads: int, security: Security) -> None:
    from distributed import Worker

    async with Worker(
        address, nthreads=threads, security=security, death_timeout=_ALONE, memory_limit=0, dashboard=False
    ) as worker:
        await worker.finished()
