"""Sessions with the installed server: findings as one types, hover, code actions, settings, hostile input."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hipport.diagnostics import Severity
from tests.lsp.client import Client, session

HAZARD = "unsigned odd = __ballot_sync(0xffffffff, 1);"
KERNEL = (
    f"__global__ void k(int* out) {{ const int lane = threadIdx.x % warpSize;\n  {HAZARD} out[lane] = __popc(odd); }}\n"
)
MISSING = "void f() { cudaCtxResetPersistingL2Cache(); }\n"
SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.NOTE: 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree").resolve()
    (folder / "hipport.toml").write_text('rocm = "6.2"\n')
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    edits = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
    with session(folder, capabilities=edits) as client:
        yield client


def place(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    return {"range": {"start": place(*start), "end": place(*end)}, "text": text}


def wide(text: str) -> int:
    """Return the length of a text in code units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def checked(path: Path, *options: str) -> list[tuple[str, int, str, int, int]]:
    """Return what `hipport check` says about a saved file, in the protocol's terms."""
    command = [sys.executable, "-m", "hipport", "check", path.name, "--report", "-", "-q", *options]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    lines = path.read_bytes().decode().split("\n")
    return sorted(
        (
            found["code"],
            SEVERITIES[Severity(found["severity"])],
            found["message"],
            found["line"] - 1,
            wide(lines[found["line"] - 1][: found["column"] - 1]),
        )
        for found in json.loads(done.stdout)["diagnostics"]
    )


def told(found: list[dict[str, Any]]) -> list[tuple[str, int, str, int, int]]:
    return sorted(
        (
            each["code"],
            each["severity"],
            each["message"].partition("\n")[0],
            each["range"]["start"]["line"],
            each["range"]["start"]["character"],
        )
        for each in found
    )


class TestDiagnostics:
    def test_a_finding_has_all_that_an_editor_shows(self, client: Client, folder: Path) -> None:
        found = client.diagnostics(client.open(folder / "all.cu", MISSING))
        assert [each["code"] for each in found] == ["HP101"]
        assert found[0]["range"] == {"start": place(0, 11), "end": place(0, 40)}
        assert (found[0]["severity"], found[0]["source"]) == (1, "hipport")
        assert "has no counterpart in HIP" in found[0]["message"]
        assert found[0]["message"].endswith("\nleave it out: it changes performance only")
        assert found[0]["codeDescription"]["href"].endswith("/HP101.md")

    def test_positions_count_utf16(self, client: Client, folder: Path) -> None:
        start = "void f() { /* \U0001f680 \u00e9 */ "
        found = client.diagnostics(client.open(folder / "wide.cu", f"{start}cudaCtxResetPersistingL2Cache(); }}\n"))
        assert found[0]["range"]["start"] == place(0, wide(start))
        assert wide(start) == len(start) + 1

    def test_typing_changes_them(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "typed.cu", "")
        assert client.diagnostics(uri) == []
        for at, letter in enumerate(MISSING):
            client.change(uri, edit((0, at), (0, at), letter))
        assert [each["code"] for each in client.diagnostics(uri)] == ["HP101"]
        client.change(uri, {"text": "int x;\n"})
        assert client.diagnostics(uri) == []

    def test_headers_are_read_from_disk(self, client: Client, folder: Path) -> None:
        header = folder / "own.h"
        header.write_text("inline void cudaCtxResetPersistingL2Cache() {}\n")
        uri = client.open(folder / "user.cu", f'#include "own.h"\n{MISSING}')
        assert client.diagnostics(uri) == []
        header.write_text("\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": header.as_uri()}})
        assert [each["code"] for each in client.diagnostics(uri)] == ["HP101"]

    def test_a_document_on_no_disk_is_checked_as_cuda(self, client: Client) -> None:
        found = client.diagnostics(client.open_uri("untitled:Untitled-1", MISSING))
        assert [each["code"] for each in found] == ["HP101"]

    @pytest.mark.parametrize(("name", "language"), [("notes.txt", "plaintext"), ("setup.py", "python")])
    def test_other_files_have_none(self, client: Client, folder: Path, name: str, language: str) -> None:
        assert client.diagnostics(client.open(folder / name, MISSING, language)) == []

    def test_closing_removes_them(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "closed.cu", MISSING)
        assert client.diagnostics(uri)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert client.cleared(uri)


PIECES = (
    "cudaMalloc(&p, 4);",
    "\n",
    "\r\n",
    "}",
    "{",
    '"',
    "/*",
    "*/",
    "\U0001f680",
    "\u00e9\u2028",
    "\f",
    "#if 0\n",
    HAZARD,
    "#endif\n",
    MISSING,
    KERNEL,
    "k<<<1, 2048>>>(p);",
    "// hipport: ignore[HP101]",
    "\\\n",
    'R"(',
    '#include "own.h"\n',
)


@pytest.mark.parametrize("seed", range(3))
def test_edits_in_any_order_give_what_check_says_about_the_saved_file(
    client: Client, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    path = tmp_path.resolve() / "edited.cu"
    (path.parent / "own.h").write_text("inline void cudaCtxResetPersistingL2Cache() {}\n")
    (path.parent / "hipport.toml").write_text('rocm = "6.2"\n')
    content = KERNEL + MISSING
    uri = client.open(path, content)
    found = len(client.diagnostics(uri))
    for _ in range(3):
        for _ in range(chance.randint(1, 6)):
            start, end = sorted(chance.randint(0, len(content)) for _ in range(2))
            end = min(end, start + 12)
            new = "".join(chance.choices(PIECES, k=chance.randint(0, 3)))
            between = [at for at in (start, end) if content[at - 1 : at + 1] == "\r\n"]
            if between:
                continue
            client.change(uri, edit(editor_place(content, start), editor_place(content, end), new))
            content = content[:start] + new + content[end:]
        path.write_bytes(content.encode())
        client.change(uri)  # a change of nothing: the last one may have had no effect on the version
        shown = told(client.diagnostics(uri))
        assert shown == checked(path), content
        found += len(shown)
    assert found > 2


def editor_place(content: str, offset: int) -> tuple[int, int]:
    lines = content[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return len(lines) - 1, wide(lines[-1])


class TestHover:
    def ask(self, client: Client, folder: Path, text: str, at: str) -> str | None:
        uri = client.open(folder / "hover.cu", text)
        client.diagnostics(uri)
        answer = client.at("textDocument/hover", uri, *editor_place(text, text.index(at)))
        return answer and answer["contents"]["value"].replace("\\", "")

    def test_a_function(self, client: Client, folder: Path) -> None:
        shown = self.ask(client, folder, "/* \U0001f680 */ void f() { cudaMalloc(0, 1); }", "Malloc")
        assert shown is not None
        assert "**`cudaMalloc` → `hipMalloc`** (function, runtime)" in shown
        assert "since 1.5.0" in shown and "ROCm 6.2: hipMalloc" in shown and "hip/hip_runtime_api.h" in shown

    def test_a_qualified_name_and_a_header(self, client: Client, folder: Path) -> None:
        text = "#include <cub/cub.cuh>\nusing B = cub::BlockReduce<int, 32>;\n"
        assert "`hipcub::BlockReduce`" in str(self.ask(client, folder, text, "Reduce"))
        assert "`cub/cub.cuh` → `hipcub/hipcub.hpp`" in str(self.ask(client, folder, text, "cub.cuh"))

    @pytest.mark.parametrize("text", ["// cudaMalloc\n", 'auto s = "cudaMalloc";\n', "int myMalloc;\n", "Malloc\n"])
    def test_other_words_have_none(self, client: Client, folder: Path, text: str) -> None:
        assert self.ask(client, folder, text, "Malloc") is None


class TestActions:
    def test_a_quick_fix(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "fix.cu", KERNEL)
        (found,) = client.diagnostics(uri)
        fix, ignore, every = client.actions(uri, found)
        assert (fix["kind"], fix["isPreferred"], every["kind"]) == ("quickfix", True, "source.fixAll.hipport")
        (changed,) = fix["edit"]["documentChanges"]
        assert changed["textDocument"] == {"uri": uri, "version": 1}
        assert changed["edits"] == [
            {"range": {"start": place(1, 2), "end": place(1, 10)}, "newText": "unsigned long long"}
        ]
        assert every["edit"] == fix["edit"]
        assert ignore["title"] == "Ignore HP201 here"
        client.change(uri, *ranges(changed["edits"]))
        assert client.diagnostics(uri) == []

    def test_ignoring(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "ignore.cu", MISSING)
        (found,) = client.diagnostics(uri)
        (action,) = client.actions(uri, found)
        client.change(uri, *ranges(action["edit"]["documentChanges"][0]["edits"]))
        assert client.diagnostics(uri) == []

    def test_only_what_is_asked_for(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "only.cu", KERNEL)
        (found,) = client.diagnostics(uri)
        assert [each["kind"] for each in client.actions(uri, found, ["source.fixAll"])] == ["source.fixAll.hipport"]
        assert client.actions(uri, found, ["refactor"]) == []

    def test_they_belong_to_the_present_text(self, client: Client, folder: Path) -> None:
        uri = client.open(folder / "present.cu", KERNEL)
        (found,) = client.diagnostics(uri)
        client.change(uri, edit((0, 0), (0, 0), "\n\n"))
        moved = {"range": {"start": place(3, 0), "end": place(3, 60)}}
        fix = client.actions(uri, found | moved)[0]["edit"]["documentChanges"][0]
        assert fix["textDocument"]["version"] == 2
        assert fix["edits"][0]["range"]["start"] == place(3, 2)


def ranges(edits: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"range": each["range"], "text": each["newText"]} for each in edits]


class TestSettings:
    def test_the_release_is_that_of_the_settings(self, client: Client, tmp_path: Path) -> None:
        settings = tmp_path / "hipport.toml"
        settings.write_text('rocm = "5.0"\n')
        text = "void f() { cudaGetDriverEntryPoint(0, 0, 0, 0); }\n"
        uri = client.open(tmp_path / "a.cu", text)
        before = client.diagnostics(uri)
        settings.write_text('rocm = "7.2"\n')
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 2}]})
        assert told(before) != told(client.diagnostics(uri)) == checked_at(tmp_path / "a.cu", text)

    def test_an_error_in_them_is_shown_once(self, client: Client, tmp_path: Path) -> None:
        (tmp_path / "hipport.toml").write_text("rokm = 1\n")
        uri = client.open(tmp_path / "a.cu", MISSING)
        assert client.diagnostics(uri) == []
        client.change(uri, edit((0, 0), (0, 0), "\n"))
        assert client.diagnostics(uri) == []
        (message,) = client.messages
        assert "unknown key 'rokm'" in message
        client.messages.clear()


def checked_at(path: Path, text: str) -> list[tuple[str, int, str, int, int]]:
    path.write_text(text)
    return checked(path)


class TestHostile:
    @pytest.mark.parametrize(
        "text",
        [
            "{" * 100_000,
            "\x00\x01",
            "\ud800 \udfff",
            "#if\n" * 5000,
            'R"(',
            "/*",
            "\ufeff" + MISSING,
            "k<<<" * 3000,
            "\r\r\n\r",
        ],
        ids=["braces", "NUL", "surrogates", "conditions", "raw", "comment", "mark", "launches", "ends"],
    )
    def test_broken_sources(self, client: Client, folder: Path, text: str) -> None:
        uri = client.open(folder / "broken.cu", text)
        found = client.diagnostics(uri)
        assert "HP905" not in {each["code"] for each in found}
        client.at("textDocument/hover", uri, 10**6, 10**6)
        client.change(uri, edit((10**6, 7), (3, 10**6), "x"), {"text": MISSING})
        assert [each["code"] for each in client.diagnostics(uri)] == ["HP101"]

    def test_what_is_not_the_protocol(self, client: Client, folder: Path) -> None:
        client.notify(
            "textDocument/didChange", {"textDocument": {"uri": "file:///absent.cu", "version": 2}, "contentChanges": []}
        )
        client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///absent.cu"}})
        client.notify("no/such", {})
        assert client.at("textDocument/hover", "file:///absent.cu", 0, 0) is None
        assert client.diagnostics(client.open(folder / "after.cu", MISSING))

    def test_two_megabytes(self, client: Client, folder: Path) -> None:
        text = "// \U0001f680\r\n" + "void g() { cudaMalloc(0, 1); }\r\n" * 65_000 + MISSING
        assert len(text) > 2_000_000
        uri = client.open(folder / "large.cu", text)
        for at in range(20):
            client.change(uri, edit((65_001, at), (65_001, at), " "))
        started = time.monotonic()
        assert client.at("textDocument/hover", uri, 1, 5) is None
        found = client.diagnostics(uri)
        assert [each["range"]["start"] for each in found] == [place(65_001, 31)]
        assert time.monotonic() - started < 60


def test_over_tcp(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "hipport", "lsp", "--tcp", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None and process.stdout is not None
        assert b"waiting for an editor" in process.stderr.readline()
        connection = connected(port)
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}}}'
        connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert connection.recv(20).startswith(b"Content-Length")
        connection.close()
        process.terminate()
        assert process.stdout.read() == b""


def connected(port: int) -> socket.socket:
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=30)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody listens")


@pytest.mark.parametrize("address", ["8000", "host:", "host:0", "host:99999", "host:x"])
def test_a_wrong_address_is_wrong_use(address: str) -> None:
    command = [sys.executable, "-m", "hipport", "lsp", "--tcp", address]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert "127.0.0.1:8123" in done.stderr


def test_without_pygls_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; from hipport.cli import main; sys.argv = ['hipport', 'lsp']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pip install 'hipport[lsp]'" in done.stderr and "Traceback" not in done.stderr


def test_an_editor_that_goes_away_ends_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hipport", "lsp"]
    done = subprocess.run(command, capture_output=True, input=b"", check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["--help", "check --help", "explain HP101", "lsp --help"])
def test_other_commands_start_without_it(command: str) -> None:
    code = (
        "import sys\nfrom hipport.cli import main\nsys.argv = ['hipport', *sys.argv[1:]]\n"
        "try: main()\nfinally: print(sorted({'pygls', 'lsprotocol', 'asyncio', 'hipport.lsp'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")
