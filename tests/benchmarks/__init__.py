"""Benchmarks: ratios of times measured side by side in one run. `python -m tests.benchmarks` runs them all."""
