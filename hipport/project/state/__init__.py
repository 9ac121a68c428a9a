"""State of an output tree, stored in its folder `.hipport`, so that a run only does what changed."""
