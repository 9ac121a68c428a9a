"""Write the functions of CUDA's headers, the program that records their results, and the record.

    python -m scripts.values signatures HEADERS.i   tests/values/signatures.txt
    python -m scripts.values program RECORD.cu      the program, for nvcc -arch=sm_90 -std=c++17 -cudart static
    python -m scripts.values record OUTPUT          tests/values/cuda.bin.xz, from what the program wrote

HEADERS.i is the output of `nvcc -arch=sm_90 -std=c++17 -E` for a file that includes cuda_fp16.h, cuda_bf16.h and
cuda_fp8.h. The functions are those that mappings/device.yaml lists or a compat header provides.
"""

from __future__ import annotations

import argparse
import lzma
import re
from pathlib import Path

import yaml

from scripts.values import record, recorder, signatures

TESTS = Path(__file__).parents[2] / "tests" / "values"
_TABLES = Path(__file__).parents[2] / "mappings"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.values", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=("signatures", "program", "record"))
    parser.add_argument("file", type=Path)
    chosen = parser.parse_args()
    if chosen.what == "signatures":
        _write_signatures(chosen.file.read_text())
        return
    known = signatures.read(TESTS / "signatures.txt")
    if chosen.what == "program":
        chosen.file.write_text(recorder.program(known))
        return
    data = chosen.file.read_bytes()
    list(record.parse(data, known))
    (TESTS / "cuda.bin.xz").write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def _write_signatures(preprocessed: str) -> None:
    known = set(yaml.safe_load((_TABLES / "device.yaml").read_text())["functions"])
    known |= set(re.findall(r"\w+", (_TABLES / "support" / "compat.yaml").read_text()))
    found = (*signatures.declared(preprocessed), *signatures.expressions())
    kept = {str(one) for one in found if one.name in known or not re.fullmatch(r"\w+", one.name)}
    (TESTS / "signatures.txt").write_text("".join(f"{one}\n" for one in sorted(kept)))


if __name__ == "__main__":
    main()
