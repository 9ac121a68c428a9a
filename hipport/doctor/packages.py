"""Find the installed Python frameworks and the platform each was built for, without importing them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hipport.doctor.machine import text_of

_DIST = re.compile(r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)\.dist-info")
_TORCH = re.compile(r"^(hip|cuda|rocm)\b[^=]*= *'([^']+)'", re.MULTILINE)
_JAX = re.compile(r"jax_(rocm|cuda)(\d+)_plugin")
_JAXLIB = re.compile(r".*\+(rocm|cuda)(\d+)")
_CUPY = re.compile(r"cupy_(rocm|cuda)_?(\d+(?:_\d+)?)x?")
_TENSORFLOW = re.compile(r"\d+\.\d+\.\d+\.(\d)(\d)\d")


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: its common `name`, its `platform` (ROCm, CUDA or `""`), and the platform's `release`.

    With `brings`, it bundles its own libraries of that platform; others use those of the system.
    """

    name: str
    version: str
    platform: str = ""
    release: str = ""
    brings: bool = False

    @property
    def key(self) -> str:
        """Its name in the table of releases."""
        return self.name.lower()


def frameworks(folders: Iterable[Path]) -> list[Framework]:
    """Return the frameworks in these folders, without duplicates: the first is the one that Python imports."""
    found: dict[str, Framework] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.dist-info")):
            match = _DIST.fullmatch(path.name)
            framework = _framework(folder, match["name"], match["version"]) if match else None
            if framework is not None:
                found.setdefault(framework.name, framework)
    return list(found.values())


def _framework(folder: Path, name: str, version: str) -> Framework | None:
    if name == "torch":
        return _torch(folder, version)
    if match := _JAX.fullmatch(name):
        return Framework("JAX", version, _platform(match[1]), _dotted(match[2]))
    if name == "jaxlib":  # sorts after its plugins; without them it is for CPUs
        match = _JAXLIB.fullmatch(version)
        return Framework("JAX", version, _platform(match[1]), _dotted(match[2])) if match else Framework("JAX", version)
    if match := _CUPY.fullmatch(name):
        return Framework("CuPy", version, _platform(match[1]), match[2].replace("_", "."))
    if name == "tensorflow_rocm" and (match := _TENSORFLOW.fullmatch(version)):
        return Framework("TensorFlow", version, "ROCm", f"{match[1]}.{match[2]}")
    return Framework("TensorFlow", version, "CUDA") if name == "tensorflow" else None


def _torch(folder: Path, version: str) -> Framework:
    built = dict(_TORCH.findall(text_of(folder / "torch/version.py")))
    if "hip" in built or "rocm" in built:
        return Framework("PyTorch", version, "ROCm", ".".join((built.get("rocm") or built["hip"]).split(".")[:2]), True)
    return Framework("PyTorch", version, "CUDA" if "cuda" in built else "", built.get("cuda", ""), True)


def _platform(word: str) -> str:
    return {"rocm": "ROCm", "cuda": "CUDA"}[word]


def _dotted(digits: str) -> str:
    """Return `6.1` for 611 and for 61; `7` and `12` are major releases."""
    return f"{digits[0]}.{digits[1]}" if len(digits) > 1 and digits[0] != "1" else digits
