"""Record the host interface of a release of HIP, from its headers.

    python -m scripts.host_interface RELEASE FOLDER SOURCE [--resources CLANG]

RELEASE is major.minor, FOLDER has `hip/hip_runtime_api.h`, SOURCE says where the headers are from; CLANG is clang's
resource directory (`clang -print-resource-dir`). `tests/emulate/releases` compares what is recorded with the emulator.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.host_interface.read import of_headers, resources
from scripts.host_interface.recorded import PATH, load, save


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release")
    parser.add_argument("folder", type=Path)
    parser.add_argument("source")
    parser.add_argument("--resources", type=Path)
    options = parser.parse_args()
    sources, interfaces = load() if PATH.is_file() else ({}, {})
    sources[options.release] = options.source
    interfaces[options.release] = of_headers(options.folder, options.resources or resources())
    save(sources, interfaces)


if __name__ == "__main__":
    main()
