"""Calls of CUB and Thrust that are generated from CUDA's headers, and how many of them compile for AMD GPUs."""
