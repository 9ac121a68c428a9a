"""All fuzz targets: functions that accept any bytes, and raise only if hipport has a bug."""

from __future__ import annotations

from tests.fuzz.chat_targets import CHAT_TARGETS
from tests.fuzz.model_targets import MODEL_TARGETS
from tests.fuzz.session_targets import SESSION_TARGETS
from tests.fuzz.source_targets import SOURCE_TARGETS
from tests.fuzz.target import ROOT, Target
from tests.fuzz.tree_targets import TREE_TARGETS

__all__ = ["ROOT", "TARGETS", "Target"]

TARGETS = {**SOURCE_TARGETS, **TREE_TARGETS, **MODEL_TARGETS, **CHAT_TARGETS, **SESSION_TARGETS}
