"""CUDA's functions of textures and surfaces in device code."""

from __future__ import annotations

_SHAPES = ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered")
SAMPLES = frozenset({"tex1Dfetch", *(f"tex{shape}" for shape in _SHAPES)})
"""One value of a texture, at its finest level."""
LEVELS = frozenset({"tex2Dgather", *(f"tex{shape}{end}" for shape in _SHAPES for end in ("Lod", "Grad"))})
"""Levels of detail, gradients and gathers."""
ACCESSES = frozenset(f"surf{shape}{end}" for shape in _SHAPES for end in ("read", "write"))
"""Reads and writes of surfaces."""
