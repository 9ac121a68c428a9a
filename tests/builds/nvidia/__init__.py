"""Tests of builds for NVIDIA GPUs that need no compiler."""
