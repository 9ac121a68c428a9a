"""Update an output tree from its input: process what changed, keep or merge edits, remove what is gone."""
