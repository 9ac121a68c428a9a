"""Builds for NVIDIA GPUs: HIP compiled by nvcc, through `hipport/include/cuda/` and headers made from the tables."""
