"""Copies between all pairs of GPUs: measured, held against what the links promise, drawn."""
