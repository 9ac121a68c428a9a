"""Fuzz all readers of foreign input: `python -m tests.fuzz [TARGET...] [--seconds N]`."""
