"""Language models on the engine that hipport builds for AMD GPUs, NVIDIA GPUs and the CPU. Needs `hipport[llm]`."""
