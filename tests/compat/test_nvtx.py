"""NVTX events on rocTX: the calls that rocTX gets from a program in C and in C++."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.compat.conftest import tool

ROCTX = """
#pragma once
#include <stdint.h>
#include <stdio.h>
typedef uint64_t roctx_range_id_t;
static inline void roctxMarkA(const char* text) { printf("mark %s\\n", text); }
static inline int roctxRangePushA(const char* text) { return printf("push %s\\n", text) > 0; }
static inline int roctxRangePop(void) { return puts("pop") > 0; }
static inline roctx_range_id_t roctxRangeStartA(const char* text) { return printf("start %s\\n", text) > 0 ? 7 : 0; }
static inline void roctxRangeStop(roctx_range_id_t id) { printf("stop %d\\n", (int)id); }
"""

PROGRAM = """
#include <hipport/compat/nvtx.h>
int main(void) {
  nvtxEventAttributes_t event;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
  memset(&event, 0, sizeof(event));
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.payload.dValue = 1.5;
  nvtxMarkEx(&event);
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "assembly %s";
  nvtxRangePushEx(&event);
  nvtxNameOsThread(3, "worker");
  nvtxDomainRangePop(domain);
  event.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  event.message.unicode = L"wide";
  nvtxDomainMarkEx(domain, &event);
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "kept");
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &event));
  nvtxDomainDestroy(domain);
  return event.size != sizeof(event);
}
"""

TOLD = "mark \npush assembly %s\npop\nmark solver: wide\nstart solver: kept\nstop 7\n"


@pytest.mark.toolchain
@pytest.mark.parametrize(("compiler", "name", "standard"), [("gcc", "a.c", "c99"), ("g++", "a.cpp", "c++14")])
def test_what_roctx_is_told(compiler: str, name: str, standard: str, tmp_path: Path) -> None:
    (tmp_path / "roctracer").mkdir()
    (tmp_path / "roctracer" / "roctx.h").write_text(ROCTX)
    (tmp_path / name).write_text(PROGRAM)
    command = [tool(compiler), f"-std={standard}", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-format-truncation"]
    command += ["-isystem", str(tmp_path), "-I", str(include_dir()), str(tmp_path / name)]
    command += ["-o", str(tmp_path / "program")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout) == (0, TOLD)
