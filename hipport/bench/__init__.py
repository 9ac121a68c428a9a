"""Benchmarks of the machine rather than of a program: measured against theoretical GPU performance."""
