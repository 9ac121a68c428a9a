"""Keeps an output tree in step with its input: does what changed, spares and merges edits, removes what is gone."""
