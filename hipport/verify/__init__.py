"""Runs a CUDA program and its port with the same arguments and compares what they print and write."""
