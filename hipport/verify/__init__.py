"""Run a CUDA program and its port with the same arguments, and compare their output and the files they write."""
