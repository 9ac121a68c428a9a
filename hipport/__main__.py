"""Entry point of the command `hipport` and of `python -m hipport`."""

from __future__ import annotations

import gc

_NEW_OBJECTS = 200_000
"""New objects between collections of garbage; at Python's 700, they take a tenth of the time of a small command."""


def main() -> None:
    """Run the command line, which is imported only then: collections while it starts and ends find no garbage."""
    gc.set_threshold(_NEW_OBJECTS)
    try:
        from hipport.cli import main as run

        run()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
