"""Tests of the headers for NVIDIA GPUs, by CUDA's own."""
