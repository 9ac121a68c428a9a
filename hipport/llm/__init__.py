"""Language models on the engine that hipport builds for AMD GPUs, NVIDIA GPUs and the CPU. Needs `hipport[llm]`."""

from hipport.llm.inference import Engine, Sampling, Stats
from hipport.llm.opening import open_engine, open_model

__all__ = ["Engine", "Sampling", "Stats", "open_engine", "open_model"]
