"""What hipport remembers of an output tree, in its folder `.hipport`: so that a run does only what changed."""
