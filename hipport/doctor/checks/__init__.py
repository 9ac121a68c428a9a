"""One check a module."""
