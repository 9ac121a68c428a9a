"""Tests of the headers for NVIDIA GPUs with CUDA's own headers."""
