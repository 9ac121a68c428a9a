"""The checks, one per module."""
