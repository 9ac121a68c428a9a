"""Throughput of a model, PyTorch's for comparison, and a chart of both."""
