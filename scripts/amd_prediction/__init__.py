"""Predict the time of `hipport llm` on AMD GPUs from what the emulator sees; write docs/amd-prediction.md."""
