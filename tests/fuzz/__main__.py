"""Fuzz targets with atheris, each in a separate process, which libFuzzer ends."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

_LONGEST = 6000  # bytes of an input
_SLOW = 20  # seconds for one input: a hang


def main() -> int:
    """Fuzz; exit status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="those of targets.py; all if none is named")
    parser.add_argument("--seconds", type=int, default=30, help="for each target")
    parser.add_argument("--found", type=Path, default=Path("build/fuzz"), help="folder for what goes wrong")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        _fuzz(arguments.targets[0], arguments.seconds, arguments.found)
    from tests.fuzz.targets import TARGETS

    if unknown := set(arguments.targets) - TARGETS.keys():
        parser.error(f"no targets: {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    return max([_start(name, arguments.seconds, arguments.found) for name in arguments.targets or TARGETS])


def _start(name: str, seconds: int, found: Path) -> int:
    print(f"--- {name}", flush=True)
    command = [sys.executable, "-m", "tests.fuzz", name, "--here", "--seconds", str(seconds), "--found", str(found)]
    return int(subprocess.run(command, check=False).returncode != 0)


def _fuzz(name: str, seconds: int, found: Path) -> None:
    """Fuzz one target. Never returns: libFuzzer ends the process and writes a failing input to the folder `found`."""
    import atheris

    with atheris.instrument_imports(include=["hipport"]):  # what is imported earlier is not watched
        from tests.fuzz.targets import TARGETS
    target = TARGETS[name]
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus, words = Path(folder, "corpus"), Path(folder, "words")
        corpus.mkdir()
        for seed in target.seeds():
            (corpus / hashlib.sha1(seed, usedforsecurity=False).hexdigest()).write_bytes(seed[:_LONGEST])
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
        limits = [f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-timeout={_SLOW}", "-rss_limit_mb=4096"]
        known = [f"-dict={words}"] if target.words else []  # libFuzzer takes an empty file for a mistake
        places = [str(corpus), *known, f"-artifact_prefix={found}/{name}-"]
        atheris.Setup([sys.argv[0], *places, *limits, "-print_final_stats=1"], target.run)
        atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    sys.exit(main())
