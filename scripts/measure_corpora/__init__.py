"""Measure CUDA trees: how many units compile after `hipport convert`, and which failures it reported."""
