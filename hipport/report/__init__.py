"""Render the results of a run for people and programs. Returns text; the command line prints it."""
