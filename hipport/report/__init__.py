"""Render the results of a run for people and programs, as text that the command line prints."""
