"""Measurements: ratios taken side by side in one run. `python -m tests.benchmarks` runs them all."""
