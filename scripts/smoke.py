"""Try the installed hipport: convert, check with reports, update with an edit, the language server, the shipped files.

    python scripts/smoke.py

For machines with nothing but Python: a fresh environment with the wheel, macOS, Windows. Needs no other file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = """\
#include <cuda_runtime.h>
__global__ void scale(float* x, float a) { x[threadIdx.x] *= __shfl_sync(0xffffffff, a, 0); }
int main() { cudaCtxResetPersistingL2Cache(); scale<<<1, 32>>>(nullptr, 2.0f); return cudaDeviceSynchronize(); }
"""
CMAKE = "cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CUDA)\nadd_executable(x main.cu)\n"


def hipport(folder: Path, *arguments: str, status: int = 0, stdin: bytes | None = None) -> str:
    """Run a command in the folder and return what it prints. Exits if its status is not the expected one."""
    command = [sys.executable, "-m", "hipport", *arguments]
    done = subprocess.run(
        command, cwd=folder, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    text = done.stdout.decode("utf-8", "replace")
    print(f"$ hipport {' '.join(arguments)}\n{text}", flush=True)
    if done.returncode != status or "Traceback" in text:
        sys.exit(f"expected status {status}, got {done.returncode}")
    return text


def expect(condition: bool, what: str) -> None:
    """Exit unless the condition holds."""
    if not condition:
        sys.exit(f"failed: {what}")


def main() -> None:
    """Run all checks in a temporary folder."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "cuda").mkdir()
        (folder / "cuda/main.cu").write_bytes(SOURCE.replace("\n", "\r\n").encode())
        (folder / "cuda/CMakeLists.txt").write_text(CMAKE)
        translate(folder)
        report(folder)
        serve(folder)
        for command in ("explain HP101", "mappings query cudaMalloc", "cmake-dir", "include-dir", "init cuda --stdout"):
            hipport(folder, *command.split())
    print("hipport works here")


def translate(folder: Path) -> None:
    """Convert a tree with lines of Windows, edit it by hand, and update it."""
    hipport(folder, "convert", "cuda", "-o", "hip", status=1)
    port = folder / "hip/main.hip"
    expect(b"hipLaunchKernelGGL" in port.read_bytes(), "the launch is translated")
    expect(port.read_bytes().count(b"\r\n") == port.read_bytes().count(b"\n"), "line ends are kept")
    port.write_bytes(b"// by hand\r\n" + port.read_bytes())
    (folder / "cuda/main.cu").write_bytes(SOURCE.replace("2.0f", "3.0f").replace("\n", "\r\n").encode())
    hipport(folder, "update", "cuda", "hip")
    expect(b"3.0f" in port.read_bytes() and b"by hand" in port.read_bytes(), "the edit is merged")


def report(folder: Path) -> None:
    """Check the tree and read the reports."""
    hipport(folder, "check", "cuda", *(f"--report=report.{kind}" for kind in ("json", "sarif", "html")), status=1)
    found = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    expect(found["summary"]["errors"] == 1, "one error")
    expect('"cuda/main.cu"' in (folder / "report.sarif").read_text(encoding="utf-8"), "paths in SARIF have slashes")
    expect("HP101" in (folder / "report.html").read_text(encoding="utf-8"), "the page has the finding")


def serve(folder: Path) -> None:
    """Start and end the language server, if pygls is installed."""
    try:
        import pygls  # noqa: F401
    except ModuleNotFoundError:
        return
    messages = (
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    wire = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    expect("codeActionProvider" in hipport(folder, "lsp", stdin=wire), "the server says what it can do")


if __name__ == "__main__":
    main()
