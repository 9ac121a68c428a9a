"""The extension for VS Code has what `vsce package` requires, and its parts agree."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text("utf-8"))
CODE = (FOLDER / "extension.js").read_text("utf-8")


def test_the_fields_that_a_package_needs() -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", MANIFEST["name"]) and MANIFEST["publisher"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", MANIFEST["version"])
    assert re.fullmatch(r"\^1\.\d+\.0", MANIFEST["engines"]["vscode"])
    assert (FOLDER / MANIFEST["main"]).is_file() and (FOLDER / "README.md").is_file()
    assert (FOLDER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_what_the_code_requires_is_declared() -> None:
    required = {name.partition("/")[0] for name in re.findall(r'require\("([^"]+)"\)', CODE)}
    assert required - {"vscode"} == MANIFEST["dependencies"].keys()


def test_settings_and_commands_of_the_code_are_contributed() -> None:
    settings = {f"hipport.{name}" for name in re.findall(r'settings\.get\("(\w+)"', CODE)}
    assert settings == MANIFEST["contributes"]["configuration"]["properties"].keys()
    assert set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]) == settings
    commands = set(re.findall(r'registerCommand\("([^"]+)"', CODE))
    assert commands == {each["command"] for each in MANIFEST["contributes"]["commands"]}
