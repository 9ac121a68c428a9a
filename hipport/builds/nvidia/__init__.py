"""Builds for NVIDIA GPUs: HIP compiled by nvcc, using `hipport/include/cuda/` and headers generated from the tables."""
