"""A header may name CUDA's structs without including CUDA: `struct cudaArray* a;` declares the type.

All structs of CUDA's headers are used like that, before HIP's headers are included; the translation compiles.
"""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.audit.signatures.test_call_sites import errors, include

FOLDERS = (Path("/usr/local/cuda/include"), Path(sysconfig.get_path("purelib")) / "nvidia/cu13/include")
HEADERS = ("driver_types.h", "texture_types.h", "surface_types.h", "cuda_runtime_api.h", "cuda.h")
STRUCT = re.compile(r"\bstruct\s+(?:__device_builtin__\s+)?((?:cu|CU)\w+)\s*[;{*\w]")


def structs() -> list[str]:
    folder = next((place for place in FOLDERS if (place / "cuda.h").is_file()), None)
    assert folder is not None, "pip install nvidia-cuda-runtime (the dev extra has it)"
    texts = ((folder / name).read_text(errors="replace") for name in HEADERS if (folder / name).is_file())
    return sorted({name for text in texts for name in STRUCT.findall(text)})


def headers_version(folder: Path) -> str:
    version = (folder / "hip/hip_version.h").read_text()
    return ".".join(re.findall(r"#define HIP_VERSION_(?:MAJOR|MINOR) (\d+)", version))


@pytest.mark.toolchain
@pytest.mark.slow
def test_structs_that_are_declared_by_their_use_compile(tmp_path: Path) -> None:
    names = structs()
    assert len(names) > 100
    used = "".join(f"struct {name};\nstruct {name}_user {{ struct {name}* it; }};\n" for name in names)
    text = f"{used}#include <cuda_runtime.h>\n#include <cuda.h>\nint main() {{}}\n"
    tables = load_choice(NameChoice(rocm=headers_version(include())))
    translated = tmp_path / "use.hip"
    translated.write_bytes(convert_source(text.encode(), "use.cu", Context(tables)).data)
    assert errors(translated) == []
