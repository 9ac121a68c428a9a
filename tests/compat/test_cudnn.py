"""Compile hipport's cudnn.h with MIOpen's headers, in C and C++, and link all of its functions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir

SOURCE = "#include <hipport/compat/cudnn.h>\nint main(void) { return 0; }\n"
LANGUAGES = {
    "c": ["gcc", "-x", "c", "-std=c11", "-fkeep-inline-functions"],
    "c++": ["g++", "-x", "c++", "-std=c++14", "-fkeep-inline-functions"],
}


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.skipif(not Path("/usr/include/miopen/miopen.h").is_file(), reason="MIOpen is missing (libmiopen-dev)")
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_compiles_and_links_with_miopen(language: str, tmp_path: Path) -> None:
    command = LANGUAGES[language]
    assert shutil.which(command[0]), f"{command[0]} is missing"
    options = ["-Wall", "-Wextra", "-Werror", "-D__HIP_PLATFORM_AMD__", "-I", str(include_dir()), "-"]
    libraries = ["-o", str(tmp_path / "program"), "-lMIOpen", "-lamdhip64"]
    done = subprocess.run([*command, *options, *libraries], input=SOURCE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
